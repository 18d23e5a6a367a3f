"""Meanings that ptxas does not fold, against formulas written differently; terms; z3."""

from __future__ import annotations

from itertools import product

import pytest

from ptxtool import isa
from ptxtool.core.errors import PtxtoolError
from ptxtool.isa import lower_python, terms

EDGES = (0, 1, 7, 0x80, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFF9, 0x89ABCDEF)


def signed(value: int, bits: int = 32) -> int:
    return int.from_bytes(value.to_bytes(bits // 8, "little"), "little", signed=True)


def run(mnemonic: str, *values: int, destination: int = 0) -> int:
    opcode, *modifiers = mnemonic.split(".")
    form = isa.lookup(opcode, tuple(modifiers), len(values) + 1)
    assert form is not None
    assert form.semantics is not None
    widths = form.semantics.bits[form.semantics.destinations :]
    sources = [terms.const(v, w) for v, w in zip(values, widths, strict=True)]
    return lower_python(form.semantics(sources)[destination])


@pytest.mark.parametrize(("a", "b"), list(product(EDGES, EDGES)))
def test_sad_and_mad_hi(a: int, b: int) -> None:
    assert run("sad.u32", a, b, 5) == (abs(a - b) + 5) % 2**32
    assert run("sad.s32", a, b, 5) == (abs(signed(a) - signed(b)) + 5) % 2**32
    assert run("mad.hi.u32", a, b, 9) == (a * b // 2**32 + 9) % 2**32
    assert run("mad.hi.s32", a, b, 9) == (signed(a) * signed(b) // 2**32 + 9) % 2**32


@pytest.mark.parametrize("table", [0x00, 0x80, 0x96, 0xE8, 0xCA, 0xFE, 0xFF])
def test_lop3(table: int) -> None:
    a, b, c = 0xF0F0F0F0, 0xCCCCCCCC, 0xAAAAAAAA
    assert run("lop3.b32", a, b, c, table) == table * 0x01010101


@pytest.mark.parametrize("selector", [0x3210, 0x7654, 0x0123, 0x9E21, 0xFEDC, 0x8888])
def test_prmt(selector: int) -> None:
    a, b = 0x80017FFE, 0x00FF8155
    source = a.to_bytes(4, "little") + b.to_bytes(4, "little")
    wanted = bytearray()
    for position in range(4):
        nibble = selector >> 4 * position & 15
        byte = source[nibble & 7]
        wanted.append((255 if byte > 127 else 0) if nibble & 8 else byte)
    assert run("prmt.b32", a, b, selector) == int.from_bytes(wanted, "little")


def test_setp_gives_the_comparison_and_its_negation() -> None:
    assert run("setp.lt.s32", 0xFFFFFFFF, 0) == 1
    assert run("setp.lt.s32", 0xFFFFFFFF, 0, destination=1) == 0
    assert run("setp.lt.and.s32", 0xFFFFFFFF, 0, 0) == 0


def test_packing_puts_the_first_element_lowest() -> None:
    assert run("mov.b64", 0x0000000200000001) == 0x0000000200000001


def test_terms_are_shared_and_checked() -> None:
    a = terms.var("a", 32)
    assert terms.add(a, terms.const(1, 32)) is terms.add(a, terms.const(1 + 2**32, 32))
    with pytest.raises(ValueError, match="32 and 64"):
        terms.add(a, terms.var("b", 64))
    with pytest.raises(ValueError, match="bits"):
        terms.extract(a, 30, 4)


def test_deep_terms_need_no_recursion() -> None:
    term = terms.var("a", 32)
    for _ in range(20_000):
        term = terms.add(term, terms.const(1, 32))
    assert lower_python(term, {"a": 5}) == 20_005


def test_floating_point_is_opaque() -> None:
    form = isa.lookup("fma", ("rn", "f32"), 4)
    assert form is not None
    assert form.semantics is not None
    term = form.semantics([terms.var(n, 32) for n in "abc"])[0]
    with pytest.raises(PtxtoolError, match=r"fma\.rn\.f32 has no integer meaning"):
        lower_python(term, {"a": 0, "b": 0, "c": 0})


def test_a_meaning_refuses_wrong_widths() -> None:
    form = isa.lookup("mad", ("wide", "s32"), 4)
    assert form is not None
    assert form.semantics is not None
    with pytest.raises(ValueError, match="sources of"):
        form.semantics([terms.var("a", 32)] * 3)


def test_copysign_takes_the_sign_of_the_first_operand() -> None:
    # ptxas makes it LOP3 with table 0xb8: the bits of b, the sign of a.
    assert run("copysign.f32", 0xC0000000, 0x3F800000) == 0xBF800000
    assert run("copysign.f32", 0x40000000, 0xBF800001) == 0x3F800001
