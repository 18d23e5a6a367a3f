"""What logic, shifts, bit fields, permutation and moves compute."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from ptxtool.isa import terms as t
from ptxtool.isa.forms import Meaning, Signature
from ptxtool.isa.meaning import simple
from ptxtool.isa.terms import Term
from ptxtool.isa.types import BITS, is_signed


def _width(form: Signature, *modifiers: str) -> int | None:
    """The width of the one type of a form that has no modifiers but these."""
    return BITS[form.types[0]] if len(form.types) == 1 and form.only(*modifiers) else None


def _uniform(count: int, compute: Callable[..., Term]) -> Callable[[Signature], Meaning | None]:
    """A meaning for `count` operands of the one type."""

    def meaning(form: Signature) -> Meaning | None:
        width = _width(form)
        return simple((width,) * count, compute) if width and form.count == count else None

    return meaning


def _is_zero(a: Term) -> Term:
    return t.eq(a, t.const(0, a.width))


and_ = _uniform(3, t.and_)
or_ = _uniform(3, t.or_)
xor = _uniform(3, t.xor)
not_ = _uniform(2, t.not_)
cnot = _uniform(2, lambda a: t.zext(_is_zero(a), a.width))


def mov(form: Signature) -> Meaning | None:
    """A copy; a vector operand is the concatenation of its elements, the first one lowest."""
    return _uniform(2, lambda a: a)(form)


def _amount(count: Term, width: int) -> Term:
    """A 32-bit amount as a shift of `width` bits; whatever is too large stays too large."""
    if width >= 32:
        return t.zext(count, width)
    large = t.not_(t.ult(count, t.const(width, 32)))
    return t.ite(large, t.const(width, width), t.zext(count, width))


def _shift(operation: Callable[[Term, Term], Term], width: int) -> Meaning:
    bits = (width, width, 32)
    return simple(bits, lambda a, count: operation(a, _amount(count, width)))


def shl(form: Signature) -> Meaning | None:
    """Shift left by a 32-bit amount that clamps at the width."""
    width = _width(form)
    return _shift(t.shl, width) if width else None


def shr(form: Signature) -> Meaning | None:
    """Shift right, arithmetic for signed types, by an amount that clamps at the width."""
    width = _width(form)
    if not width:
        return None
    return _shift(t.ashr if is_signed(form.types[0]) else t.lshr, width)


def shf(form: Signature) -> Meaning | None:
    """The high (.l) or low (.r) 32 bits of b:a shifted by c, masked (.wrap) or clamped at 32."""
    if form.types != ("b32",) or form.count != 4 or not form.only("l", "r", "wrap", "clamp"):
        return None
    left, wrap = form.has("l"), form.has("wrap")

    def compute(a: Term, b: Term, count: Term) -> Term:
        limit = t.const(32, 32)
        by = t.and_(count, t.const(31, 32)) if wrap else t.ite(t.ult(limit, count), limit, count)
        both, wide = t.concat(b, a), t.zext(by, 64)
        return (
            t.extract(t.shl(both, wide), 32, 32) if left else t.extract(t.lshr(both, wide), 0, 32)
        )

    return simple((32,) * 4, compute)


def lop3(form: Signature) -> Meaning | None:
    """Truth table of three operands; the predicate form has none yet."""
    if form.types != ("b32",) or form.count != 5 or len(form.modifiers) != 1:
        return None
    return simple((32,) * 5, _lop3)


def _lop3(a: Term, b: Term, c: Term, table: Term) -> Term:
    result = t.const(0, 32)
    for row in range(8):
        picks = ((a, row & 4), (b, row & 2), (c, row & 1))
        minterm = reduce(t.and_, (v if bit else t.not_(v) for v, bit in picks))
        result = t.or_(result, t.and_(minterm, t.sext(t.extract(table, row, 1), 32)))
    return result


def prmt(form: Signature) -> Meaning | None:
    """Default mode: each selector nibble picks a byte, or spreads its sign bit."""
    if form.modifiers != ("b32",) or form.count != 4:
        return None
    return simple((32,) * 4, _prmt)


def _prmt(a: Term, b: Term, selector: Term) -> Term:
    both = t.concat(b, a)
    picked = []
    for position in range(4):
        nibble = t.extract(selector, 4 * position, 4)
        by = t.concat(t.zext(t.extract(nibble, 0, 3), 61), t.const(0, 3))
        byte = t.extract(t.lshr(both, by), 0, 8)
        sign = t.sext(t.extract(byte, 7, 1), 8)
        picked.append(t.ite(t.extract(nibble, 3, 1), sign, byte))
    return reduce(lambda low, high: t.concat(high, low), picked)


def _place(value: Term, width: int) -> Term:
    # The manual allows 0..255. Beyond that 32-bit forms take the low byte, 64-bit forms do not
    # (as ptxas folds them).
    return t.zext(t.extract(value, 0, 8) if width == 32 else value, width)


def bfe(form: Signature) -> Meaning | None:
    """Extract a field; a signed one is extended from its last bit."""
    width = _width(form)
    if width not in (32, 64) or form.count != 4:
        return None
    signed = is_signed(form.types[0])
    return simple((width, width, 32, 32), lambda a, pos, size: _bfe(a, pos, size, signed))


def _bfe(a: Term, position: Term, length: Term, signed: bool) -> Term:
    width = a.width
    pos, size = _place(position, width), _place(length, width)
    ones = t.const(-1, width)
    mask = t.not_(t.shl(ones, size))
    field = t.and_(t.lshr(a, pos), mask)
    if not signed:
        return field
    end, last = t.sub(t.add(pos, size), t.const(1, width)), t.const(width - 1, width)
    bit = t.and_(t.lshr(a, t.ite(t.ult(last, end), last, end)), t.const(1, width))
    fill = t.and_(t.neg(bit), t.not_(mask))
    # Bits of the field above the register's top are filled with the sign too.
    above = t.and_(t.neg(bit), t.not_(t.lshr(ones, pos)))
    result = t.or_(t.or_(field, fill), above)
    return t.ite(_is_zero(size), t.const(0, width), result)


def bfi(form: Signature) -> Meaning | None:
    """Insert the low bits of the first operand into the second."""
    width = _width(form)
    if width is None or form.count != 5:
        return None

    def compute(a: Term, b: Term, position: Term, length: Term) -> Term:
        pos, size = _place(position, width), _place(length, width)
        mask = t.shl(t.not_(t.shl(t.const(-1, width), size)), pos)
        return t.or_(t.and_(t.shl(a, pos), mask), t.and_(b, t.not_(mask)))

    return simple((width, width, width, 32, 32), compute)


def _reversed(a: Term) -> Term:
    parts = (t.extract(a, index, 1) for index in range(a.width))
    return reduce(t.concat, parts)


brev = _uniform(2, _reversed)


def _highest(a: Term) -> Term:
    """Position of the highest set bit in 32 bits, -1 when there is none."""
    found = t.const(-1, 32)
    for index in range(a.width):
        found = t.ite(t.extract(a, index, 1), t.const(index, 32), found)
    return found


def clz(form: Signature) -> Meaning | None:
    """Leading zeros; the width for 0. The result has 32 bits."""
    width = _width(form)
    if not width:
        return None
    return simple((32, width), lambda a: t.sub(t.const(width - 1, 32), _highest(a)))


def popc(form: Signature) -> Meaning | None:
    """Number of ones; the result has 32 bits."""
    width = _width(form)
    if not width:
        return None
    return simple((32, width), lambda a: reduce(t.add, _digits(a)))


def _digits(a: Term) -> list[Term]:
    return [t.zext(t.extract(a, index, 1), 32) for index in range(a.width)]


def bfind(form: Signature) -> Meaning | None:
    """Highest bit that differs from the sign (0 for unsigned); -1 when there is none."""
    width = _width(form, "shiftamt")
    if not width:
        return None
    signed, amount = is_signed(form.types[0]), form.has("shiftamt")

    def compute(a: Term) -> Term:
        value = t.ite(t.extract(a, width - 1, 1), t.not_(a), a) if signed else a
        found = _highest(value)
        if not amount:
            return found
        shifted = t.sub(t.const(width - 1, 32), found)
        return t.ite(t.eq(found, t.const(-1, 32)), found, shifted)

    return simple((32, width), compute)
