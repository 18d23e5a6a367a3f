"""The source of the samples, run on the CPU, computes what the references say.

This proves the source and the launch spec, not the PTX that was compiled from it.
"""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

import numpy as np
import pytest

from ptxtool.launch import compare, load_spec, spec_cases

ROOT = Path(__file__).resolve().parents[2]


def support(name: str):
    spec = importlib.util.spec_from_file_location(name, ROOT / "tests" / "support" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


REFERENCES = support("references").REFERENCES
pytestmark = pytest.mark.oracle


@pytest.mark.parametrize("name", REFERENCES)
def test_source_computes_the_reference(name, tmp_path):
    if shutil.which("g++") is None:
        pytest.skip("no C++ compiler: the source of the samples is not run on the CPU")
    shim = support("shim")
    folder = ROOT / "samples" / name
    spec = load_spec(folder / f"{name}.launch.toml")
    library = shim.build(folder / f"{name}.cu", name, tmp_path)
    cases = [case for case in spec_cases(spec) if case.total_bytes <= 8 << 20]
    assert cases, "no edge of this spec is small enough for the CPU"
    for case in cases:
        before, after = shim.run(library, spec, case)
        expected = REFERENCES[name](before, case.sizes)
        assert set(expected) == {buffer.name for buffer in case.outputs}
        for buffer in case.outputs:
            wanted = np.ascontiguousarray(expected[buffer.name]).view(np.uint8).ravel()
            got = after[buffer.name].view(np.uint8).ravel()
            result = compare(buffer.type, wanted, got, buffer.tolerance)
            assert result.agrees, (case.label, result)


def test_a_wrong_source_is_found(tmp_path):
    if shutil.which("g++") is None:
        pytest.skip("no C++ compiler: the source of the samples is not run on the CPU")
    shim = support("shim")
    folder = ROOT / "samples" / "transpose"
    broken = tmp_path / "transpose.cu"
    text = (folder / "transpose.cu").read_text()
    broken.write_text(
        text.replace("tile[threadIdx.x][threadIdx.y + j]", "tile[threadIdx.y + j][threadIdx.x]")
    )
    spec = load_spec(folder / "transpose.launch.toml")
    library = shim.build(broken, "transpose", tmp_path)
    case = spec_cases(spec)[-1]
    before, after = shim.run(library, spec, case)
    expected = REFERENCES["transpose"](before, case.sizes)["out"]
    assert not np.array_equal(expected, after["out"])
