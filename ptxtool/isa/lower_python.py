"""The reference lowering: evaluate terms on Python integers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ptxtool.core.errors import PtxtoolError
from ptxtool.isa.terms import Term, postorder


def signed(value: int, width: int) -> int:
    """The two's-complement value of `width` bits."""
    return value - (1 << width) if value >> (width - 1) & 1 else value


def _shl(term: Term, a: int, b: int) -> int:
    return a << b if b < term.width else 0


def _lshr(term: Term, a: int, b: int) -> int:
    return a >> b if b < term.width else 0


def _ashr(term: Term, a: int, b: int) -> int:
    return signed(a, term.width) >> min(b, term.width - 1)


def _slt(term: Term, a: int, b: int) -> int:
    width = term.args[0].width
    return int(signed(a, width) < signed(b, width))


_OPERATIONS: dict[str, Callable[..., int]] = {
    "add": lambda _term, a, b: a + b,
    "sub": lambda _term, a, b: a - b,
    "mul": lambda _term, a, b: a * b,
    "udiv": lambda _term, a, b: a // b if b else -1,
    "urem": lambda _term, a, b: a % b if b else a,
    "and": lambda _term, a, b: a & b,
    "or": lambda _term, a, b: a | b,
    "xor": lambda _term, a, b: a ^ b,
    "not": lambda _term, a: ~a,
    "shl": _shl,
    "lshr": _lshr,
    "ashr": _ashr,
    "eq": lambda _term, a, b: int(a == b),
    "ult": lambda _term, a, b: int(a < b),
    "slt": _slt,
    "ite": lambda _term, c, a, b: a if c else b,
    "concat": lambda term, a, b: a << term.args[1].width | b,
    "extract": lambda term, a: a >> term.data[0],
    "zext": lambda _term, a: a,
    "sext": lambda term, a: signed(a, term.args[0].width),
    "const": lambda term: term.data[0],
}


def lower_python(term: Term, values: Mapping[str, int] | None = None) -> int:
    """The unsigned value of a term. Raises PtxtoolError for an opaque part or a missing value."""
    known: dict[int, int] = {}
    for part in postorder([term]):
        mask = (1 << part.width) - 1
        known[id(part)] = _value(part, known, values or {}) & mask
    return known[id(term)]


def _value(part: Term, known: dict[int, int], values: Mapping[str, int]) -> int:
    if part.op == "var":
        name = str(part.data[0])
        if name not in values:
            raise PtxtoolError(f"no value for {name}")
        return values[name]
    operation = _OPERATIONS.get(part.op)
    if operation is None:
        raise PtxtoolError(f"{part.data[0] if part.data else part.op} has no integer meaning")
    return operation(part, *(known[id(arg)] for arg in part.args))
