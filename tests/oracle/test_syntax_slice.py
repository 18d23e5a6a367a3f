"""A kernel cut out of its module assembles to the code that it has inside it."""

from __future__ import annotations

import csv
import os
from dataclasses import replace

import pytest

from ptxtool import sass
from ptxtool.core.source import Source
from ptxtool.syntax import parse, slice_kernel

FULL = os.environ.get("PTXTOOL_ORACLE_FULL") == "1"
SEVERAL = [
    "thrust_mix",
    "cub_radix_sort.sm_80",
    "sgemm_tiled.lineinfo",
    "atomics.sm_80",
    "fp_convert.sm_75",
]


def facts(toolchain, ptx: bytes, arch: str, kernel: str) -> tuple[object, int]:
    """Resources and instruction count.

    Not the text: bank 4 holds the addresses of globals, a slice has fewer of them, and ptxas then
    chooses now and then another of two equal moves.
    """
    assembly = toolchain.assemble(ptx, arch, kernel=kernel)
    function = sass.read(assembly.cubin, toolchain.listing(assembly.cubin))[kernel]
    resources = replace(assembly.functions[kernel], constant_bytes=None)
    return resources, len(function.instructions)


def test_names_variables_and_functions_follow():
    text = """.version 8.0
.target sm_80
.address_size 64
.global .u32 a, b;
.global .u32 unused;
.func helper() { .reg .b64 %x; mov.u64 %x, b; ret; }
.entry other() { ret; }
.entry k() { call helper; ret; }
"""
    source = slice_kernel(parse(Source("m.ptx", text)), "k")
    module = parse(source)
    assert not module.diagnostics
    assert [function.name for function in module.functions] == ["helper", "k"]
    assert ".global .u32 a, b;" in source.text
    assert "unused" not in source.text
    assert module.target == ("sm_80",)
    with pytest.raises(KeyError):
        slice_kernel(module, "none")
    debug = parse(Source("d.ptx", text.replace("sm_80", "sm_80, debug")))
    with pytest.raises(ValueError, match="debugging"):
        slice_kernel(debug, "k")


@pytest.mark.oracle
def test_slices_have_the_code_of_the_whole(corpus, toolchain):
    with (corpus / "manifest.csv").open() as rows:
        # A module with indirect calls holds every function that may be called: slices hold fewer.
        known = [
            row
            for row in csv.DictReader(rows)
            if int(row["kernels"]) > 1
            and "debug" not in row["file"]
            and "calls." not in row["file"]
        ]
    chosen = known if FULL else [r for r in known if any(name in r["file"] for name in SEVERAL)]
    assert len(chosen) >= 6
    compared = 0
    for row in chosen:
        source = Source.read(corpus / row["file"])
        module = parse(source)
        kernels = [kernel.name for kernel in module.kernels]
        for kernel in kernels if FULL else kernels[:2]:
            whole = facts(toolchain, source.to_bytes(), row["arch"], kernel)
            part = facts(toolchain, slice_kernel(module, kernel).to_bytes(), row["arch"], kernel)
            assert whole == part
            compared += 1
    assert compared >= 10
