"""What ptxas refuses for its syntax is refused here, at ptxas's line, with few follow-up errors."""

from __future__ import annotations

import re

import pytest

from ptxtool.core.source import Source
from ptxtool.syntax import parse

pytestmark = pytest.mark.oracle

SYNTAX = re.compile(r"Parsing error|non-ASCII|Missing \.version|Unexpected EOF")

# ptxas calls these syntax errors; no opcode-agnostic grammar can tell: left to the ISA table.
LEFT_TO_THE_ISA = {
    "op_unified.ptx": "`.unified` is no modifier of ld",
    "x_setp_paren.ptx": "parentheses around a register belong to call alone",
}
# Where our line differs from ptxas's, and why ours is better or as good.
OTHER_LINE = {
    "mod_no_version.ptx": "we point at the first statement, ptxas at the end of it",
    "dbg_section_dwarf_at.ptx": "we point at the first @@DWARF line, ptxas at the second",
    "dbg_section_nonbrace.ptx": "we point behind the section's name, ptxas at the next line",
}
MOST_FALSE_FOLLOW_UPS = 2


@pytest.fixture(scope="module")
def rejects(corners):
    """File, ptxas's message, our diagnostics."""
    found = []
    for row in (corners / "INDEX.tsv").read_text().splitlines()[1:]:
        verdict, name, *message = row.split("\t")
        if verdict == "reject":
            module = parse(Source.read(corners / "reject" / name))
            found.append((name, message[0] if message else "", module.diagnostics))
    assert len(found) >= 185
    return found


def test_every_syntax_fault_is_refused(rejects):
    missed = {name for name, message, found in rejects if SYNTAX.search(message) and not found}
    assert missed == set(LEFT_TO_THE_ISA)


def test_the_line_is_ptxas_line(rejects):
    wrong = {}
    for name, message, found in rejects:
        line = re.search(r"line (\d+)", message)
        if not SYNTAX.search(message) or not found or line is None:
            continue
        if found[0].span.line != int(line.group(1)):
            wrong[name] = (found[0].span.line, int(line.group(1)))
    assert set(wrong) == set(OTHER_LINE), wrong


def test_follow_up_errors_are_few(rejects):
    """Each of these files has one fault, so a second diagnostic is a false one."""
    extra = {
        name: len(found) - 1
        for name, message, found in rejects
        if SYNTAX.search(message) and len(found) > 1
    }
    assert sum(extra.values()) <= MOST_FALSE_FOLLOW_UPS, extra


def test_semantic_faults_are_left_to_the_isa_table_or_refused_at_the_right_line(rejects):
    """A fault that ptxas calls semantic may be seen here only at the line that ptxas names."""
    for name, message, found in rejects:
        line = re.search(r"line (\d+)", message)
        if SYNTAX.search(message) or not found or line is None:
            continue
        assert found[0].span.line == int(line.group(1)), name


def test_every_refusal_says_where_and_what(rejects):
    for name, _, found in rejects:
        for item in found:
            assert item.span is not None, name
            assert item.message, name


@pytest.mark.parametrize(
    ("statement", "help"),
    [
        ("ld.global.u32 %r1, [%rd1-4];", "write [%rd1+-4] for [%rd1-4]"),
        ("ld.global.u32 %r1, [%rd1+%rd2];", "add the registers beforehand"),
        ("ld.global.u32 %r1, [4+%rd1];", "write the register first"),
        ("add. s32 %r1, %r2, %r3;", "directly behind its dot"),
        ("mov.b32 %r1, 08;", "octal"),
        ("mov.b32 %r1, 3u;", "suffix of an integer is U"),
        ("mov.f32 %f1, 1.0f;", "no suffix f"),
        ("mov.f32 %f1, 0f3F80;", "8 hexadecimal digits"),
        ("mov.b32 %r1, 7%3;", "7 % 3"),
        ("add.s32 %r1, %r2, ;", "remove the comma"),
        ("mov.b64 {{%r1}, %r2}, %rd1;", "no vector"),
        ("ret;;", "no empty statement"),
        ("mov.u64 %rd1, g-4;", "g+-4"),
        ("@!!%p1 ret;", "one ! negates"),
        ("ld.global.L2 :: 64B.u32 %r1, [%rd1];", "without blanks"),
    ],
)
def test_the_way_out_is_named(statement, help):
    text = f".version 8.0\n.target sm_80\n.entry k()\n{{\n{statement}\nret;\n}}\n"
    found = parse(Source("k.ptx", text)).diagnostics
    assert found
    assert found[0].span.line == 5
    assert help in (found[0].help or ""), str(found[0])
