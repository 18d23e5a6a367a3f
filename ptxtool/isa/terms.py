"""What instructions compute: a small hash-consed graph over bit-vector primitives.

Every term is a bit-vector of a fixed width. Lowerings turn one graph into Python integers, solver
terms, or later array code, so that all of them mean the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

# Primitive -> number of arguments. Comparisons are one bit wide.
PRIMITIVES = {
    "constant": 0,
    "variable": 0,
    "add": 2,
    "sub": 2,
    "mul": 2,
    "udiv": 2,
    "urem": 2,
    "sdiv": 2,
    "srem": 2,
    "and": 2,
    "or": 2,
    "xor": 2,
    "not": 1,
    "neg": 1,
    "shl": 2,
    "lshr": 2,
    "ashr": 2,
    "eq": 2,
    "ult": 2,
    "slt": 2,
    "ite": 3,
    "zext": 1,
    "sext": 1,
    "extract": 1,
    "concat": 2,
}
COMPARISONS = {"eq", "ult", "slt"}


@dataclass(frozen=True, eq=False)
class Term:
    """One node; equal terms are the same object. `value`: a constant, a name, or a low bit."""

    op: str
    width: int
    args: tuple[Term, ...] = ()
    value: int | str | None = None

    def __repr__(self) -> str:
        if self.op == "constant":
            return f"{self.value}:{self.width}"
        if self.op == "variable":
            return str(self.value)
        extra = "" if self.value is None else f"@{self.value}"
        return f"{self.op}{extra}({', '.join(map(repr, self.args))})"


_TABLE: dict[tuple[str, int, tuple[int, ...], int | str | None], Term] = {}


def term(op: str, width: int, *args: Term, value: int | str | None = None) -> Term:
    """The one term of this shape."""
    assert PRIMITIVES[op] == len(args), op
    key = (op, width, tuple(map(id, args)), value)
    found = _TABLE.get(key)
    if found is None:
        found = _TABLE[key] = Term(op, width, args, value)
    return found


def constant(value: int, width: int) -> Term:
    """A constant, taken modulo 2^width."""
    return term("constant", width, value=value & ((1 << width) - 1))


def variable(name: str, width: int) -> Term:
    """A free value."""
    return term("variable", width, value=name)


def binary(op: str, a: Term, b: Term) -> Term:
    """A primitive of two values of one width."""
    assert a.width == b.width, (op, a.width, b.width)
    return term(op, 1 if op in COMPARISONS else a.width, a, b)


def unary(op: str, a: Term) -> Term:
    """`not` or `neg`."""
    return term(op, a.width, a)


def ite(condition: Term, then: Term, otherwise: Term) -> Term:
    """A choice by a one-bit value."""
    assert condition.width == 1
    assert then.width == otherwise.width
    return term("ite", then.width, condition, then, otherwise)


def extend(a: Term, width: int, *, signed: bool) -> Term:
    """Widen (or leave) a value."""
    assert width >= a.width
    return a if width == a.width else term("sext" if signed else "zext", width, a)


def extract(a: Term, low: int, width: int) -> Term:
    """Bits low .. low+width-1."""
    assert 0 <= low and low + width <= a.width
    return a if width == a.width else term("extract", width, a, value=low)


def concat(high: Term, low: Term) -> Term:
    """Two values side by side."""
    return term("concat", high.width + low.width, high, low)


def resize(a: Term, width: int, *, signed: bool) -> Term:
    """Truncate or widen."""
    return extract(a, 0, width) if width < a.width else extend(a, width, signed=signed)


def all_of(first: Term, *rest: Term) -> Term:
    """Conjunction of one-bit values."""
    for item in rest:
        first = binary("and", first, item)
    return first


def post_order(root: Term) -> Iterator[Term]:
    """Every node below `root`, arguments first, each once."""
    seen: set[int] = set()
    stack = [(root, False)]
    while stack:
        node, done = stack.pop()
        if done:
            yield node
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((node, True))
            stack.extend((child, False) for child in node.args)


def fold(root: Term, make: Callable[[Term, list[object]], object]) -> object:
    """Evaluate bottom-up with one function for all primitives."""
    values: dict[int, object] = {}
    for node in post_order(root):
        values[id(node)] = make(node, [values[id(child)] for child in node.args])
    return values[id(root)]
