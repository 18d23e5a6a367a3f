"""Terms as Python integers: the slow reference that every other lowering is held against."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

from ptxtool.isa.terms import Term, fold


def evaluate(root: Term, values: Mapping[str, int]) -> int:
    """The unsigned value of a term. Raises KeyError for a variable without one."""

    def make(node: Term, args: list[object]) -> object:
        return _value(node, cast("list[int]", args), values)

    return cast("int", fold(root, make))


def _value(node: Term, args: list[int], values: Mapping[str, int]) -> int:
    if node.op == "constant":
        return cast("int", node.value)
    mask = (1 << node.width) - 1
    if node.op == "variable":
        return values[cast("str", node.value)] & mask
    if node.op == "extract":
        return args[0] >> cast("int", node.value) & mask
    if node.op == "concat":
        return args[0] << node.args[1].width | args[1]
    if node.op == "sext":
        return _signed(args[0], node.args[0].width) & mask
    width = node.args[0].width
    return _OPERATIONS[node.op](args, width) & mask


def _signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value


def _udiv(args: list[int], width: int) -> int:
    return args[0] // args[1] if args[1] else -1


def _urem(args: list[int], width: int) -> int:
    return args[0] % args[1] if args[1] else args[0]


def _sdiv(args: list[int], width: int) -> int:
    a, b = (_signed(value, width) for value in args)
    if b == 0:
        return 1 if a < 0 else -1
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _srem(args: list[int], width: int) -> int:
    a, b = (_signed(value, width) for value in args)
    if b == 0:
        return a
    return abs(a) % abs(b) * (-1 if a < 0 else 1)


# Shifts by the width or more give what a solver's bit-vectors give: zeros, or copies of the sign.
_OPERATIONS: dict[str, Callable[[list[int], int], int]] = {
    "add": lambda a, w: a[0] + a[1],
    "sub": lambda a, w: a[0] - a[1],
    "mul": lambda a, w: a[0] * a[1],
    "udiv": _udiv,
    "urem": _urem,
    "sdiv": _sdiv,
    "srem": _srem,
    "and": lambda a, w: a[0] & a[1],
    "or": lambda a, w: a[0] | a[1],
    "xor": lambda a, w: a[0] ^ a[1],
    "not": lambda a, w: ~a[0],
    "neg": lambda a, w: -a[0],
    "shl": lambda a, w: a[0] << a[1] if a[1] < w else 0,
    "lshr": lambda a, w: a[0] >> a[1] if a[1] < w else 0,
    "ashr": lambda a, w: _signed(a[0], w) >> min(a[1], w),
    "eq": lambda a, w: int(a[0] == a[1]),
    "ult": lambda a, w: int(a[0] < a[1]),
    "slt": lambda a, w: int(_signed(a[0], w) < _signed(a[1], w)),
    "ite": lambda a, w: a[1] if a[0] else a[2],
    "zext": lambda a, w: a[0],
}
