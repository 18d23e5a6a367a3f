"""What is printed from the tree parses to the same tree and assembles to the same machine code."""

from __future__ import annotations

import csv
import dataclasses
import os

import pytest

from ptxtool import sass
from ptxtool.core.source import Source
from ptxtool.syntax import parse, print_module

FULL = os.environ.get("PTXTOOL_ORACLE_FULL") == "1"
PLACES = {"start", "end", "in_inline_asm", "source", "diagnostics"}


def bare(node):
    """A tree without places."""
    if dataclasses.is_dataclass(node):
        names = [field.name for field in dataclasses.fields(node) if field.name not in PLACES]
        return (type(node).__name__, *(bare(getattr(node, name)) for name in names))
    if isinstance(node, tuple):
        return tuple(map(bare, node))
    return node


def check(path):
    module = parse(Source.read(path))
    again = parse(Source("printed.ptx", print_module(module)))
    assert not again.diagnostics, (path.name, str(again.diagnostics[0]))
    for before, after in zip(module.statements, again.statements, strict=True):
        assert bare(before) == bare(after), path.name


def code(toolchain, text, arch):
    made = toolchain.assemble(text, arch, lineinfo=False)
    return sass.read(made.cubin, toolchain.listing(made.cubin))


def same(first, second):
    assert first
    assert first.keys() == second.keys()
    for name in first:
        assert sass.diff(first[name], second[name]).verdict is sass.FunctionVerdict.IDENTICAL, name


def test_our_own_files_survive_printing(own_files):
    for path in own_files:
        check(path)


@pytest.mark.oracle
def test_the_corners_survive_printing(corners):
    for path in sorted((corners / "accept").glob("*.ptx")):
        check(path)


@pytest.mark.oracle
def test_the_corpus_survives_printing(corpus_files):
    for path in corpus_files if FULL else corpus_files[::12]:
        if FULL or path.stat().st_size < 400_000:
            check(path)


def targets(corpus, most):
    """Corpus files with their targets: a few small ones, or all."""
    with (corpus / "manifest.csv").open() as rows:
        found = [row for row in csv.DictReader(rows) if int(row["kernels"])]
    found = [row for row in found if (corpus / row["file"]).is_file() and row["accepted"] == "yes"]
    if FULL:
        return [(corpus / row["file"], row["arch"]) for row in found]
    small = [row for row in found if int(row["bytes"]) < 40_000]
    step = max(1, len(small) // most)
    return [(corpus / row["file"], row["arch"]) for row in small[::step]]


@pytest.mark.oracle
def test_the_print_assembles_to_the_same_code(corpus, toolchain):
    for path, arch in targets(corpus, 12):
        printed = print_module(parse(Source.read(path))).encode("latin-1")
        same(code(toolchain, path.read_bytes(), arch), code(toolchain, printed, arch))


@pytest.mark.parametrize(
    "operand", ["g[2]", "g+2", "g+(4)", "g+(4*2)", "g+-4", "g+4*2", "-1", "WARP_SZ", "(4+4)"]
)
def test_each_spelling_of_an_operand_survives(operand):
    text = f".version 8.0\n.entry k()\n{{\n\tmov.u64 %rd1, {operand};\n}}\n\n"
    module = parse(Source("k.ptx", text))
    assert not module.diagnostics
    assert print_module(module) == text


def test_an_index_counts_elements_and_an_offset_bytes():
    text = ".version 8.0\n.entry k()\n{\nmov.u64 %rd1, g[2];\nmov.u64 %rd1, g+2;\n}\n"
    first, second = parse(Source("k.ptx", text)).kernels[0].body.statements
    assert first.operands[1].indexed
    assert not second.operands[1].indexed


@pytest.mark.parametrize("operand", ["g+h[2]", "g[2]+4", "-g[2]", "4+g[2]"])
def test_an_element_is_no_part_of_an_expression(operand):
    text = f".version 8.0\n.entry k()\n{{\n\tmov.u64 %rd1, {operand};\n}}\n"
    (found,) = parse(Source("k.ptx", text)).diagnostics
    assert found.span.line == 4
    assert "byte offset" in (found.help or "")


def test_returns_attributes_and_directives_of_a_function_are_printed():
    text = (
        ".version 8.0\n"
        ".visible .func .attribute(.unified(1, 2)) (.param .b32 out) f(\n"
        "\t.param .u64 .ptr .global .align 8 p,\n\t.param .align 4 .b8 q[12]\n)\n"
        ".noreturn\n{\n}\n\n"
    )
    module = parse(Source("f.ptx", text))
    assert not module.diagnostics
    assert print_module(module) == text
