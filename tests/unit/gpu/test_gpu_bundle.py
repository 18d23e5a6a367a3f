"""A bundle written here and run on the simulated device; none of its parts costs another."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from ptxtool.core.errors import InputError, UsageError
from ptxtool.gpu import Method, SimulatedDevice, SimulatedKernel, Variant
from ptxtool.gpu.bundle import BundlePart, write_bundle
from ptxtool.gpu.bundle_run import run_bundle
from ptxtool.launch import load_spec

SPEC = """\
schema = 1
[buffer.x]
dtype = "u32"
shape = 16
init = { kind = "file", path = "data/x.npy" }
output = true
[[launch]]
kernel = "k"
grid = 1
block = 16
arguments = ["x"]
"""
QUICK = Method(minimum_seconds=0.01, maximum_rounds=40)


def double(memory, launch) -> None:
    view = memory.view(int.from_bytes(launch.arguments[0], "little"), 64).view(np.uint32)
    view *= 2


def hang(memory, launch) -> None:
    time.sleep(60)


def die(memory, launch) -> None:
    os._exit(3)


def fault(memory, launch) -> None:
    raise ZeroDivisionError("a fault of ours")


FUNCTIONS = {b"good": double, b"hang": hang, b"die": die, b"fault": fault}


def device() -> SimulatedDevice:
    programs = {code: {"k": SimulatedKernel(run, 1e-3)} for code, run in FUNCTIONS.items()}
    return SimulatedDevice(programs)


@pytest.fixture
def spec(tmp_path: Path):
    folder = tmp_path / "spec"
    (folder / "data").mkdir(parents=True)
    np.save(folder / "data" / "x.npy", np.arange(16, dtype=np.uint32))
    (folder / "launch.toml").write_text(SPEC)
    return load_spec(folder / "launch.toml")


def part(spec, name: str, code: bytes = b"good", **options) -> BundlePart:
    variants = (Variant("one", code, ("k",), {"ptxas": "13.5"}), Variant("two", code))
    return BundlePart(name, spec, variants, method=QUICK, **options)


def test_parts_stand_alone(spec, tmp_path: Path) -> None:
    parts = [
        part(spec, "first", labels={"row": "3"}),
        part(spec, "hangs", b"hang", seconds=0.5),
        part(spec, "dies", b"die"),
        part(spec, "faulty", b"fault"),
        part(spec, "probe", is_probe=True),
        part(spec, "last"),
    ]
    size = write_bundle(tmp_path / "bundle", parts, {"ptxas": "13.5"})
    assert 0 < size < 1 << 20
    start = time.monotonic()
    found = run_bundle(tmp_path / "bundle", tmp_path / "out", device)
    assert time.monotonic() - start < 20
    outcomes = {result.name: result.outcome for result in found}
    assert outcomes == {
        "first": "done",
        "hangs": "out of time",
        "dies": "failed",
        "faulty": "failed",
        "probe": "done",
        "last": "done",
    }
    assert found[3].error == "ZeroDivisionError: a fault of ours"
    content = json.loads((tmp_path / "out" / "results.json").read_text())
    assert content["tools"] == {"ptxas": "13.5"}
    first, probe = content["parts"][0], content["parts"][4]
    assert first["labels"] == {"row": "3"}
    assert first["report"]["variants"][1]["ratio"]["verdict"] == "same"
    assert first["report"]["variants"][0]["origin"] == {"ptxas": "13.5"}
    doubled = np.arange(16, dtype=np.uint32) * 2
    assert probe["report"]["outputs"]["x"] == doubled.tobytes().hex()
    assert len(list((tmp_path / "out").iterdir())) == 1


def test_the_total_time_is_kept(spec, tmp_path: Path) -> None:
    parts = [part(spec, "hangs", b"hang", seconds=60), part(spec, "late")]
    write_bundle(tmp_path / "bundle", parts, {})
    found = run_bundle(tmp_path / "bundle", tmp_path / "out", device, total_seconds=0.5)
    assert [result.outcome for result in found] == ["out of time", "not started"]


def test_it_needs_only_the_standard_library_numpy_and_cuda_bindings(spec, tmp_path: Path) -> None:
    """Every import in the bundled rooms, judged by name."""
    import ast

    write_bundle(tmp_path / "bundle", [part(spec, "a")], {})
    lib = tmp_path / "bundle" / "lib"
    names: set[str] = set()
    for path in [*lib.rglob("*.py"), tmp_path / "bundle" / "run.py"]:
        tree = ast.parse(path.read_text())
        hidden = {
            id(item)
            for node in ast.walk(tree)
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
            for item in ast.walk(node)
        }
        for node in ast.walk(tree):
            if id(node) in hidden:
                continue
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                names.add(node.module)
    rooms = {name.split(".")[1] for name in names if name.startswith("ptxtool.")}
    assert rooms == {"core", "launch", "gpu"}
    outside = {name.split(".")[0] for name in names} - set(sys.stdlib_module_names)
    assert outside == {"ptxtool", "numpy"}  # cuda.bindings is imported by name, at run time


def test_the_runner_tells_where_there_is_no_device(spec, tmp_path: Path, monkeypatch) -> None:
    from ptxtool.core.errors import DeviceUnavailable
    from ptxtool.gpu import bundle_run

    def none():
        raise DeviceUnavailable("no NVIDIA driver")

    monkeypatch.setattr(bundle_run.CudaDevice, "open", none)
    write_bundle(tmp_path / "bundle", [part(spec, "a")], {})
    assert bundle_run.main(tmp_path / "bundle", tmp_path / "out") == 1
    content = json.loads((tmp_path / "out" / "results.json").read_text())
    assert content["parts"][0]["error"] == "no NVIDIA driver"


def test_bad_bundles(spec, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="different names"):
        write_bundle(tmp_path / "b", [part(spec, "a"), part(spec, "a")], {})
    with pytest.raises(UsageError, match="different names"):
        write_bundle(tmp_path / "b", [part(spec, "../a")], {})
    with pytest.raises(UsageError, match="is not empty"):
        write_bundle(spec.folder, [part(spec, "a")], {})
    big = BundlePart("big", spec, (Variant("v", bytes(41 << 20)),))
    with pytest.raises(UsageError, match="at most 41943040 are allowed") as caught:
        write_bundle(tmp_path / "c", [big], {})
    assert caught.value.help == "the largest file is parts/big/0.cubin"
    with pytest.raises(InputError, match="is not a bundle"):
        run_bundle(tmp_path / "none", tmp_path / "out", device)
