"""What arithmetic, comparison and selection compute; None where no meaning is given yet."""

from __future__ import annotations

from collections.abc import Callable

from ptxtool.isa import terms as t
from ptxtool.isa.forms import Meaning, Signature
from ptxtool.isa.terms import Term
from ptxtool.isa.types import BITS, FLOAT, INTEGER, is_signed


def simple(bits: tuple[int, ...], compute: Callable[..., Term]) -> Meaning:
    """A meaning with one destination."""
    return Meaning(bits, 1, lambda sources: (compute(*sources),))


def integer_type(form: Signature) -> str | None:
    """The one plain integer type of a form without other modifiers, else None."""
    if len(form.types) != 1 or form.types[0] not in INTEGER or not form.only("lo", "hi", "wide"):
        return None
    return form.types[0]


def opaque(form: Signature) -> Meaning | None:
    """Floating point: an opaque operation named by its full mnemonic."""
    if not form.types or form.types[0] not in FLOAT or form.has("cc"):
        return None
    bits = tuple(BITS[form.types[0]] for _ in range(form.count))
    if len(form.types) > 1 or form.count < 2:
        return None
    name = ".".join((form.opcode, *form.modifiers))
    return simple(bits, lambda *sources: t.opaque(name, bits[0], sources))


def _arithmetic(
    count: int, compute: Callable[[int, bool], Callable[..., Term]]
) -> Callable[[Signature], Meaning | None]:
    """A meaning for `count` operands of one integer type; opaque for floating point."""

    def meaning(form: Signature) -> Meaning | None:
        name = integer_type(form)
        if name is None or form.count != count:
            return opaque(form)
        width = BITS[name]
        return simple((width,) * count, compute(width, is_signed(name)))

    return meaning


def _least(a: Term, b: Term, signed: bool) -> Term:
    return t.ite(t.less(b, a, signed), b, a)


def _most(a: Term, b: Term, signed: bool) -> Term:
    return t.ite(t.less(a, b, signed), b, a)


def _magnitude(a: Term) -> Term:
    return t.ite(t.slt(a, t.const(0, a.width)), t.neg(a), a)


add = _arithmetic(3, lambda _width, _signed: t.add)
subtract = _arithmetic(3, lambda _width, _signed: t.sub)
minimum = _arithmetic(3, lambda _width, signed: lambda a, b: _least(a, b, signed))
maximum = _arithmetic(3, lambda _width, signed: lambda a, b: _most(a, b, signed))
absolute = _arithmetic(2, lambda _width, _signed: _magnitude)
negate = _arithmetic(2, lambda _width, _signed: t.neg)


def _difference(a: Term, b: Term, signed: bool) -> Term:
    return t.ite(t.less(a, b, signed), t.sub(b, a), t.sub(a, b))


sad = _arithmetic(4, lambda _width, signed: lambda a, b, c: t.add(_difference(a, b, signed), c))


def _quotient(a: Term, b: Term) -> Term:
    zero = t.const(0, a.width)
    size = t.udiv(_magnitude(a), _magnitude(b))
    flip = t.xor(t.slt(a, zero), t.slt(b, zero))
    return t.ite(t.eq(b, zero), t.const(-1, a.width), t.ite(flip, t.neg(size), size))


def _unsigned_remainder(a: Term, b: Term) -> Term:
    # As ptxas folds it and as its code computes it: dividing by zero gives all ones here too.
    return t.ite(t.eq(b, t.const(0, a.width)), t.const(-1, a.width), t.urem(a, b))


def _remainder(a: Term, b: Term) -> Term:
    zero = t.const(0, a.width)
    size = t.urem(_magnitude(a), _magnitude(b))
    signed = t.ite(t.slt(a, zero), t.neg(size), size)
    return t.ite(t.eq(b, zero), t.const(-1, a.width), signed)


div = _arithmetic(3, lambda _width, signed: _quotient if signed else t.udiv)
rem = _arithmetic(3, lambda _width, signed: _remainder if signed else _unsigned_remainder)


def _product(a: Term, b: Term, signed: bool, part: str) -> Term:
    width = a.width
    if part == "lo":
        return t.mul(a, b)
    full = t.mul(t.extend(a, 2 * width, signed), t.extend(b, 2 * width, signed))
    return t.extract(full, width, width) if part == "hi" else full


def _part(form: Signature) -> str | None:
    return next((name for name in ("lo", "hi", "wide") if form.has(name)), None)


def mul(form: Signature) -> Meaning | None:
    """mul.lo, .hi and .wide."""
    name, part = integer_type(form), _part(form)
    if name is None or part is None or form.count != 3:
        return opaque(form)
    width, signed = BITS[name], is_signed(name)
    result = 2 * width if part == "wide" else width
    return simple((result, width, width), lambda a, b: _product(a, b, signed, part))


def mad(form: Signature) -> Meaning | None:
    """mad.lo, .hi and .wide."""
    name, part = integer_type(form), _part(form)
    if name is None or part is None or form.count != 4:
        return opaque(form)
    width, signed = BITS[name], is_signed(name)
    result = 2 * width if part == "wide" else width
    bits = (result, width, width, result)
    return simple(bits, lambda a, b, c: t.add(_product(a, b, signed, part), c))


def _product24(a: Term, b: Term, signed: bool, part: str) -> Term:
    low = (t.extend(t.extract(value, 0, 24), 48, signed) for value in (a, b))
    return t.extract(t.mul(*low), 16 if part == "hi" else 0, 32)


def mul24(form: Signature) -> Meaning | None:
    """The low 32 or the high 32 of the 48-bit product."""
    name, part = integer_type(form), _part(form)
    if name not in ("s32", "u32") or part is None:
        return None
    signed = is_signed(name)
    return simple((32,) * 3, lambda a, b: _product24(a, b, signed, part))


def mad24(form: Signature) -> Meaning | None:
    """mul24 plus the addend, without saturation."""
    name, part = integer_type(form), _part(form)
    if name not in ("s32", "u32") or part is None:
        return None
    signed = is_signed(name)
    return simple((32,) * 4, lambda a, b, c: t.add(_product24(a, b, signed, part), c))


_COMPARISONS = frozenset({"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"})
_UNSIGNED = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}


def compare(name: str, a: Term, b: Term, signed: bool) -> Term:
    """eq, ne, lt, le, gt, ge as a one-bit term."""
    if name in ("eq", "ne"):
        return t.eq(a, b) if name == "eq" else t.not_(t.eq(a, b))
    low, high = (a, b) if name in ("lt", "ge") else (b, a)
    found = t.less(low, high, signed)
    return found if name in ("lt", "gt") else t.not_(found)


_JOIN = {"and": t.and_, "or": t.or_, "xor": t.xor}


def setp(form: Signature) -> Meaning | None:
    """Compare; the second result is the negated comparison, each joined with the predicate."""
    if len(form.types) != 1 or form.types[0] not in INTEGER | FLOAT or not form.modifiers:
        return None
    kind, word = form.types[0], form.modifiers[0]
    if not form.only(word, "ftz", *_JOIN) or (kind in INTEGER and word not in _COMPARISONS):
        return None
    width, signed = BITS[kind], is_signed(kind)
    join = next((_JOIN[name] for name in form.modifiers[1:] if name in _JOIN), None)
    operation = "setp." + ".".join(name for name in form.modifiers if name not in _JOIN)

    def results(sources: tuple[Term, ...]) -> tuple[Term, ...]:
        a, b = sources[:2]
        if kind in FLOAT:
            found = t.opaque(operation, 1, (a, b))
        else:
            found = compare(_UNSIGNED.get(word, word), a, b, signed)
        pair = (found, t.not_(found))
        return pair if join is None else tuple(join(item, sources[2]) for item in pair)

    if kind.endswith("x2") or (join is not None) != (form.count == 4):
        return None
    bits = (1, 1, width, width) + ((1,) if join else ())
    return Meaning(bits, 2, lambda sources: results(tuple(sources)))


def selp(form: Signature) -> Meaning | None:
    """The first value when the predicate holds, else the second."""
    if len(form.types) != 1 or not form.only():
        return None
    width = BITS[form.types[0]]
    return simple((width, width, width, 1), lambda a, b, p: t.ite(p, a, b))


def slct(form: Signature) -> Meaning | None:
    """The first value when the third operand is not negative, else the second."""
    if len(form.types) != 2 or form.types[1] != "s32" or not form.only():
        return None
    width = BITS[form.types[0]]
    zero = t.const(0, 32)
    return simple((width, width, width, 32), lambda a, b, c: t.ite(t.slt(c, zero), b, a))


def set_(form: Signature) -> Meaning | None:
    """Integer compare into an integer: all ones or 0; other forms have no meaning yet."""
    if len(form.types) != 2 or form.count != 3 or not form.modifiers:
        return None
    (target, source), word = form.types, form.modifiers[0]
    whole = target in ("s32", "u32") and source in INTEGER
    if not whole or word not in _COMPARISONS or not form.only(word):
        return None
    width, signed = BITS[source], is_signed(source)

    def compute(a: Term, b: Term) -> Term:
        return t.sext(compare(_UNSIGNED.get(word, word), a, b, signed), 32)

    return simple((32, width, width), compute)


def copysign(form: Signature) -> Meaning | None:
    """The sign bit of the first operand above the rest of the second."""
    if form.types not in (("f32",), ("f64",)) or not form.only() or form.count != 3:
        return None
    width = BITS[form.types[0]]

    def compute(a: Term, b: Term) -> Term:
        return t.concat(t.extract(a, width - 1, 1), t.extract(b, 0, width - 1))

    return simple((width,) * 3, compute)


def dp4a(form: Signature) -> Meaning | None:
    """Sum of four products of bytes, and the addend."""
    if len(form.types) != 2 or not form.only() or form.count != 4:
        return None
    first, second = map(is_signed, form.types)

    def compute(a: Term, b: Term, c: Term) -> Term:
        for low in (0, 8, 16, 24):
            left = t.extend(t.extract(a, low, 8), 32, first)
            c = t.add(c, t.mul(left, t.extend(t.extract(b, low, 8), 32, second)))
        return c

    return simple((32,) * 4, compute)
