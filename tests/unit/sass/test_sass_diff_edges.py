"""Verdicts where there is little to compare."""

from ptxtool.sass import Function, FunctionVerdict, Instruction, diff
from ptxtool.sass.control import decode


def code(text):
    return [Instruction(0, text, None, text.split()[0], (), 0, decode(0))]


def test_code_without_blocks_is_never_shown_to_be_the_same():
    changed = diff(Function("k", code("FADD R0")), Function("k", code("FMUL R0")))
    assert changed.verdict is FunctionVerdict.INSTRUCTIONS


def test_code_against_none():
    assert diff(Function("k", code("EXIT")), Function("k", [])).verdict is (
        FunctionVerdict.INSTRUCTIONS
    )
