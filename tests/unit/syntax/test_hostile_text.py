"""Nothing that a file may hold makes the parser raise, hang or forget where it is."""

import time

import pytest

from ptxtool.core.source import Source
from ptxtool.syntax import format_module, parse

HEAD = ".version 8.0\n.target sm_80\n.entry k()\n{\n"

HOSTILE = {
    "three million operands": HEAD + "add.s32 " + ", ".join(["%r1"] * 3_000_000) + ";\nret;\n}\n",
    "nested parentheses": HEAD + "mov.b32 %r1, " + "(" * 20_000 + "1" + ")" * 20_000 + ";ret;}",
    "nested blocks": HEAD + "{" * 100_000,
    "open brackets": HEAD + "ld.u32 %r1," + "[" * 100_000,
    "no semicolons": HEAD + "add.s32 %r1, %r2, %r3\n" * 50_000 + "}",
    "blanks": HEAD + " " * 10_000_000 + "ret;}",
    "modifiers": HEAD + "add" + ".x" * 1_000_000 + " %r1;}",
    "long table": ".version 8.0\n.target sm_80\n.global .b8 x[] = {" + "a," * 1_000_000 + "b};",
    "quotes": HEAD + '"' * 999_999,
    "open comments": HEAD + "/*" * 300_000,
    "long number": HEAD + "mov.b32 %r1, " + "9" * 1_000_000 + ";ret;}",
    "semicolons": HEAD + ";" * 100_000,
    "qualifiers": ".version 8.0\n" + ".visible " * 300_000,
    "bytes": "".join(map(chr, range(256))) * 4,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_ends_soon_with_diagnostics(name):
    began = time.process_time()
    module = parse(Source("hostile.ptx", HOSTILE[name]))
    # Generous: the point is that nothing is quadratic. A single pass takes well under a second.
    assert time.process_time() - began < 30
    # A number of any length is a number, and blanks are no fault.
    assert module.diagnostics or name in ("blanks", "long number")
    assert len(module.diagnostics) <= 1_010


def test_an_empty_text_says_what_is_missing():
    (found,) = parse(Source("empty.ptx", "")).diagnostics
    assert "no .version" in found.message


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_line_numbers_follow_any_newline(newline):
    text = (HEAD + "ret;\nadd.s32 %r1 %r2;\n}\n").replace("\n", newline)
    (found,) = parse(Source("k.ptx", text)).diagnostics
    assert found.span.line == 6


def test_every_cut_of_a_kernel_is_read_without_raising():
    text = HEAD + (
        '.reg .b32 %r<4>; // c\n.pragma "nounroll";\n'
        "L: @!%p1 ld.global.v2.u32 {%r1,_}, [%rd1+-4];\n"
        "call (r), f, (a, 1);\n}\n.global .u32 g[2] = {1, 2};\n"
    )
    for end in range(len(text)):
        parse(Source("cut.ptx", text[:end]))


def test_all_errors_are_listed_and_the_good_statements_kept():
    text = HEAD + "add.s32 %r1 %r2;\nadd.s32 %r1, %r2, %r3;\nmov.b32 %r1, ;\nret;\n}\n"
    module = parse(Source("k.ptx", text))
    assert [d.span.line for d in module.diagnostics] == [5, 7]
    body = module.kernels[0].body
    assert [statement.opcode for statement in body.statements] == ["add", "ret"]


def test_formatting_is_stable_and_keeps_comments():
    text = HEAD + "  add.s32   %r1,%r2 ,  3 ; // why\n@ !%p1   bra   L ;\nL:ret;\n}\n"
    once = format_module(Source("k.ptx", text))
    assert "\tadd.s32 %r1, %r2, 3; // why\n" in once
    assert "\t@!%p1 bra L;\n" in once
    assert format_module(Source("k.ptx", once)) == once


def test_a_file_with_errors_is_not_formatted():
    text = HEAD + "add.s32 %r1 %r2;\n}\n"
    assert format_module(Source("k.ptx", text)) == text
