"""The z3 lowering agrees with the Python reference, and proves and refutes known rewrites."""

from __future__ import annotations

import pytest

from ptxtool import isa
from ptxtool.isa import lower_python, lower_z3, terms

z3 = pytest.importorskip("z3", reason="z3 comes with the extra prove")
pytestmark = pytest.mark.oracle

FORMS = """
add.s32 mul.hi.s32 mul.wide.u16 mad.wide.s32 div.s32 rem.s32 div.u32 rem.u32 min.s32 max.u32 abs.s64
neg.s32 sad.s32 shl.b32 shr.s32 shr.u64 shf.l.wrap.b32 shf.r.clamp.b32 bfe.s32 bfe.u64 bfi.b32
bfind.s32 brev.b32 clz.b64 popc.b32 prmt.b32 lop3.b32 cvt.sat.s8.s32 mul24.hi.s32 selp.b32
slct.u32.s32 setp.lt.s32 cnot.b32
"""
COUNTS = (
    {"bfi": 5, "lop3": 5}
    | dict.fromkeys(["mad", "sad", "shf", "bfe", "prmt", "selp", "slct"], 4)
    | dict.fromkeys(["abs", "neg", "bfind", "brev", "clz", "popc", "cvt", "cnot"], 2)
)


def meaning(mnemonic: str) -> isa.Meaning:
    opcode, *modifiers = mnemonic.split(".")
    form = isa.lookup(opcode, tuple(modifiers), COUNTS.get(opcode, 3))
    assert form is not None
    assert form.semantics is not None
    return form.semantics


def bound(values: dict[str, int], widths: tuple[int, ...]) -> list[tuple]:
    pairs = zip(values.items(), widths, strict=True)
    return [(z3.BitVec(name, width), z3.BitVecVal(value, width)) for (name, value), width in pairs]


@pytest.mark.parametrize("mnemonic", FORMS.split())
def test_z3_computes_what_python_computes(mnemonic: str) -> None:
    form = meaning(mnemonic)
    widths = form.bits[form.destinations :]
    sources = [terms.var(f"x{i}", width) for i, width in enumerate(widths)]
    for seed in (0, 1, 33, 0x80000001, 0xFFFFFFFF, 0x123456789ABCDEF, (1 << 64) - 7):
        values = {f"x{i}": (seed * (2 * i + 1) + i) % (1 << w) for i, w in enumerate(widths)}
        for term in form(sources):
            known = [
                (z3.BitVec(f"x{i}", w), z3.BitVecVal(values[f"x{i}"], w))
                for i, w in enumerate(widths)
            ]
            found = z3.simplify(z3.substitute(lower_z3(term), *known))
            assert found.as_long() == lower_python(term, values)


def equal(a: terms.Term, b: terms.Term) -> bool:
    solver = z3.Solver()
    solver.add(lower_z3(a) != lower_z3(b))
    return solver.check() == z3.unsat


def test_a_right_rewrite_is_proved_and_a_wrong_one_refuted() -> None:
    x = terms.var("x", 32)
    quotient = meaning("div.u32")([x, terms.const(16, 32)])[0]
    assert equal(quotient, meaning("shr.u32")([x, terms.const(4, 32)])[0])
    signed = meaning("div.s32")([x, terms.const(16, 32)])[0]
    assert not equal(signed, meaning("shr.s32")([x, terms.const(4, 32)])[0])


def test_mad_wide_is_mul_wide_and_add() -> None:
    a, b, c = terms.var("a", 32), terms.var("b", 32), terms.var("c", 64)
    product = meaning("mul.wide.s32")([a, b])[0]
    assert equal(meaning("mad.wide.s32")([a, b, c])[0], meaning("add.s64")([product, c])[0])


def test_opaque_operations_are_equal_only_on_equal_inputs() -> None:
    a, b = terms.var("a", 32), terms.var("b", 32)
    add = meaning("add.f32")
    assert equal(add([a, b])[0], add([a, b])[0])
    assert not equal(add([a, b])[0], add([b, a])[0])
