"""The test corpus that the project owns: its record is true, and the whole line runs on it."""

from __future__ import annotations

import csv
import hashlib
import re
from pathlib import Path

import pytest

from ptxtool import ir, sass
from ptxtool.analysis.mix import instruction_mix
from ptxtool.analysis.pressure import pressure
from ptxtool.core.source import Source
from ptxtool.syntax import format_module, parse

CORPUS = Path(__file__).resolve().parents[1] / "corpus"
with (CORPUS / "MANIFEST.csv").open() as rows:
    MANIFEST = {row["file"]: row for row in csv.DictReader(rows)}
LIMIT_BYTES = 5 << 20


def test_the_manifest_lists_every_file_as_it_is():
    files = sorted(CORPUS.glob("*.ptx"))
    assert {path.name for path in files} == set(MANIFEST)
    assert len(files) >= 40
    assert sum(path.stat().st_size for path in CORPUS.rglob("*") if path.is_file()) <= LIMIT_BYTES
    for path in files:
        row = MANIFEST[path.name]
        assert hashlib.sha256(path.read_bytes()).hexdigest() == row["sha256"], path.name
        assert (CORPUS.parents[1] / row["source"]).exists()
        assert not re.search(r"/(?:home|root|tmp|usr|opt|work)/", path.read_text()), path.name


@pytest.mark.parametrize("name", MANIFEST)
def test_parses_binds_and_counts(name):
    module = parse(Source.read(CORPUS / name))
    assert not module.diagnostics
    assert len(module.kernels) == int(MANIFEST[name]["kernels"])
    for kernel in module.kernels:
        function = ir.build(kernel, module)
        assert not function.diagnostics
        assert pressure(function).peak_registers > 0
        assert instruction_mix(function).count("unknown") == 0
        assert instruction_mix(function).total == len(function.instructions)


@pytest.mark.oracle
@pytest.mark.parametrize("name", MANIFEST)
def test_assembles_and_decodes(name, toolchain):
    data = (CORPUS / name).read_bytes()
    assembly = toolchain.assemble(data, MANIFEST[name]["arch"], name=name)
    entries = [item for item in assembly.functions.values() if item.kind == "entry"]
    assert len(entries) == int(MANIFEST[name]["kernels"])
    views = toolchain.disassemble(assembly.cubin)
    code = sass.read(assembly.cubin, views.listing, views.live_counts)
    stated = sass.resources(assembly.cubin)
    for entry in entries:
        function = code[entry.name]
        assert function.instructions
        assert all(item.control.is_valid for item in function.instructions)
        with_line = sum(item.ptx_line is not None for item in function.instructions)
        assert with_line == len(function.instructions)
        # Two ways to the same fact: what ptxas printed, and what the cubin says.
        assert stated[entry.name].registers == entry.registers
        assert stated[entry.name].shared_bytes == entry.shared_bytes
        # ptxas -v counts at least the live registers that nvdisasm sees.
        peak = max(item.live.gpr for item in function.instructions if item.live)
        assert peak <= entry.registers


@pytest.mark.oracle
@pytest.mark.parametrize("name", sorted(MANIFEST)[::4])
def test_formatting_leaves_the_machine_code(name, toolchain):
    source = Source.read(CORPUS / name)
    arch = MANIFEST[name]["arch"]
    before = toolchain.assemble(source.to_bytes(), arch, lineinfo=False)
    after = toolchain.assemble(format_module(source).encode("latin-1"), arch, lineinfo=False)
    first, second = (
        sass.read(made.cubin, toolchain.listing(made.cubin)) for made in (before, after)
    )
    for name_ in first:
        assert sass.diff(first[name_], second[name_]).verdict is sass.FunctionVerdict.IDENTICAL
