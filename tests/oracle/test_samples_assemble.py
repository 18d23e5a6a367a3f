"""Every sample is complete, assembles without a word from ptxas, and fits its launch spec."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ptxtool.core.source import Source
from ptxtool.inputs import target_of
from ptxtool.launch import check_parameters, load_spec, parameters_of, spec_cases
from ptxtool.syntax import parse

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
NAMES = sorted(path.name for path in SAMPLES.iterdir() if path.is_dir() and path.name[0] != "_")


def test_there_are_enough():
    assert len(NAMES) >= 10


@pytest.mark.parametrize("name", NAMES)
def test_parts_are_there_and_the_spec_fits(name):
    folder = SAMPLES / name
    assert (folder / f"{name}.cu").exists() or (folder / f"{name}.py").exists()
    source = Source.read(folder / f"{name}.ptx")
    module = parse(source)
    assert not module.diagnostics
    assert not re.search(r"/(?:home|root|tmp|usr|opt|work)/", source.text)
    spec = load_spec(folder / f"{name}.launch.toml")
    case = spec_cases(spec)[0]
    kernels = {function.name: function for function in module.kernels}
    for kernel in spec.kernels:
        assert not check_parameters(spec, case, kernel, parameters_of(kernels[kernel]))


@pytest.mark.oracle
@pytest.mark.parametrize("name", NAMES)
def test_assembles_without_a_word(name, toolchain):
    source = Source.read(SAMPLES / name / f"{name}.ptx")
    arch = target_of(source)
    assembly = toolchain.assemble(source.to_bytes(), arch, name=name)
    assert assembly.messages == ()
    assert [f for f in assembly.functions.values() if f.kind == "entry"]


@pytest.mark.parametrize("name", NAMES)
def test_the_table_of_samples_names_it(name):
    assert f"`{name}`" in (SAMPLES / "README.md").read_text()
