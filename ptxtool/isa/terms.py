"""Hash-consed terms over bit vectors: what an instruction computes.

Every term is a bit vector of a fixed width; a predicate has width 1. Equal terms are one object,
so `is` compares them. Shift amounts have the width of the value shifted, as in SMT-LIB, and a
shift by the width or more gives zeros (or sign bits).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from weakref import WeakValueDictionary


@dataclass(frozen=True, eq=False, slots=True, weakref_slot=True)
class Term:
    """One node: an operation, its width in bits, its arguments, and constants or a name."""

    op: str
    width: int
    args: tuple[Term, ...] = ()
    data: tuple[int | str, ...] = field(default=())

    def __repr__(self) -> str:
        inner = [*map(str, self.data), *map(repr, self.args)]
        return f"{self.op}<{self.width}>({', '.join(inner)})"


_Key = tuple[str, int, tuple[int, ...], tuple[int | str, ...]]
_POOL: WeakValueDictionary[_Key, Term] = WeakValueDictionary()


def make(op: str, width: int, args: Sequence[Term] = (), data: tuple[int | str, ...] = ()) -> Term:
    """The one term with these parts."""
    # Arguments are kept alive by the term that the key leads to, so their ids are not reused.
    key = (op, width, tuple(map(id, args)), data)
    found = _POOL.get(key)
    if found is None:
        found = _POOL[key] = Term(op, width, tuple(args), data)
    return found


def const(value: int, width: int) -> Term:
    """A constant, taken modulo 2**width."""
    return make("const", width, (), (value & ((1 << width) - 1),))


def var(name: str, width: int) -> Term:
    """An unknown; two with the same name and width are equal."""
    return make("var", width, (), (name,))


def opaque(name: str, width: int, args: Sequence[Term]) -> Term:
    """An operation with no bit-vector meaning here: equal inputs give equal outputs, no more."""
    return make("opaque", width, args, (name,))


def _binary(op: str, a: Term, b: Term) -> Term:
    if a.width != b.width:
        raise ValueError(f"{op} of {a.width} and {b.width} bits")
    return make(op, a.width, (a, b))


def _compare(op: str, a: Term, b: Term) -> Term:
    if a.width != b.width:
        raise ValueError(f"{op} of {a.width} and {b.width} bits")
    return make(op, 1, (a, b))


def add(a: Term, b: Term) -> Term:
    """a + b modulo 2**width."""
    return _binary("add", a, b)


def sub(a: Term, b: Term) -> Term:
    """a - b modulo 2**width."""
    return _binary("sub", a, b)


def mul(a: Term, b: Term) -> Term:
    """The low half of a * b."""
    return _binary("mul", a, b)


def udiv(a: Term, b: Term) -> Term:
    """Unsigned quotient; all ones when b is 0, as in SMT-LIB."""
    return _binary("udiv", a, b)


def urem(a: Term, b: Term) -> Term:
    """Unsigned remainder; a when b is 0."""
    return _binary("urem", a, b)


def and_(a: Term, b: Term) -> Term:
    """Bitwise and."""
    return _binary("and", a, b)


def or_(a: Term, b: Term) -> Term:
    """Bitwise or."""
    return _binary("or", a, b)


def xor(a: Term, b: Term) -> Term:
    """Bitwise exclusive or."""
    return _binary("xor", a, b)


def not_(a: Term) -> Term:
    """Bitwise complement."""
    return make("not", a.width, (a,))


def neg(a: Term) -> Term:
    """0 - a modulo 2**width."""
    return sub(const(0, a.width), a)


def shl(a: Term, b: Term) -> Term:
    """Shift left."""
    return _binary("shl", a, b)


def lshr(a: Term, b: Term) -> Term:
    """Shift right, zeros come in."""
    return _binary("lshr", a, b)


def ashr(a: Term, b: Term) -> Term:
    """Shift right, sign bits come in."""
    return _binary("ashr", a, b)


def eq(a: Term, b: Term) -> Term:
    """1 when equal."""
    return _compare("eq", a, b)


def ult(a: Term, b: Term) -> Term:
    """1 when a < b, unsigned."""
    return _compare("ult", a, b)


def slt(a: Term, b: Term) -> Term:
    """1 when a < b, signed."""
    return _compare("slt", a, b)


def ite(condition: Term, a: Term, b: Term) -> Term:
    """a when the one-bit condition is 1, else b."""
    if condition.width != 1 or a.width != b.width:
        raise ValueError("ite needs a one-bit condition and equal widths")
    return make("ite", a.width, (condition, a, b))


def concat(high: Term, low: Term) -> Term:
    """`high` above `low`."""
    return make("concat", high.width + low.width, (high, low))


def extract(a: Term, low: int, width: int) -> Term:
    """`width` bits of a from bit `low` up."""
    if low < 0 or width <= 0 or low + width > a.width:
        raise ValueError(f"bits {low}..{low + width - 1} of {a.width}")
    return a if width == a.width else make("extract", width, (a,), (low,))


def zext(a: Term, width: int) -> Term:
    """Zero-extend to `width`, or cut down to it."""
    if width <= a.width:
        return extract(a, 0, width)
    return make("zext", width, (a,))


def sext(a: Term, width: int) -> Term:
    """Sign-extend to `width`, or cut down to it."""
    if width <= a.width:
        return extract(a, 0, width)
    return make("sext", width, (a,))


def extend(a: Term, width: int, signed: bool) -> Term:
    """`sext` or `zext`."""
    return sext(a, width) if signed else zext(a, width)


def less(a: Term, b: Term, signed: bool) -> Term:
    """`slt` or `ult`."""
    return slt(a, b) if signed else ult(a, b)


def postorder(roots: Sequence[Term]) -> list[Term]:
    """Every term below the roots once, arguments first; no recursion, so depth is no limit."""
    done: dict[int, Term] = {}
    stack = list(reversed(roots))
    while stack:
        term = stack[-1]
        waiting = [arg for arg in term.args if id(arg) not in done]
        if waiting:
            stack.extend(waiting)
            continue
        done.setdefault(id(term), term)
        stack.pop()
    return list(done.values())
