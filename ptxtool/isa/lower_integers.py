"""Terms as z3 integers, for facts that bit vectors cannot decide in time: division by constants.

Every value is the unsigned number of its bits. Only linear terms have such a form: a product needs
a constant factor, a division or shift a constant on its right.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ptxtool.isa.lower_python import lower_python
from ptxtool.isa.terms import Term, postorder


class NotLinear(Exception):
    """The term has no linear integer form."""


@dataclass(frozen=True)
class _Number:
    """An expression (an int for constants) and the largest value that it can have."""

    value: Any
    most: int


def lower_integers(term: Term) -> tuple[Any, list[Any]]:
    """A z3 integer expression and the ranges of its variables. Raises NotLinear, ImportError."""
    import z3

    known: dict[int, _Number] = {}
    ranges: list[Any] = []
    for part in postorder([term]):
        args = [known[id(arg)] for arg in part.args]
        if part.op == "var":
            variable = z3.Int(part.data[0])
            ranges += [variable >= 0, variable < 1 << part.width]
            known[id(part)] = _Number(variable, (1 << part.width) - 1)
        elif all(isinstance(arg.value, int) for arg in args):
            value = lower_python(part)
            known[id(part)] = _Number(value, value)
        else:
            known[id(part)] = _lower(part, args)
    return known[id(term)].value, ranges


def _lower(part: Term, args: list[_Number]) -> _Number:
    if part.op == "ite":
        condition = args[0].value
        if not isinstance(condition, int):
            raise NotLinear("a choice by an unknown value")
        return args[1] if condition else args[2]
    if part.op == "zext":
        return args[0]
    if part.op == "extract":
        low = int(part.data[0])
        shifted = _Number(args[0].value / (1 << low) if low else args[0].value, args[0].most >> low)
        return _wrapped(shifted, part.width)
    if part.op == "lshr":
        shift = _constant(args[1])
        return _Number(args[0].value / (1 << shift), args[0].most >> shift)
    if part.op in ("udiv", "urem"):
        divisor = _constant(args[1])
        if divisor == 0:
            raise NotLinear("division by zero")
        if part.op == "udiv":
            return _Number(args[0].value / divisor, args[0].most // divisor)
        return _Number(args[0].value % divisor, divisor - 1)
    return _wrapped(_sum_or_product(part.op, *args), part.width)


def _sum_or_product(op: str, a: _Number, b: _Number) -> _Number:
    if op == "add":
        return _Number(a.value + b.value, a.most + b.most)
    if op == "sub":
        return _Number(a.value - b.value, -1)  # may be negative: always wrapped
    if op == "mul" and (isinstance(a.value, int) or isinstance(b.value, int)):
        return _Number(a.value * b.value, a.most * b.most)
    raise NotLinear(f"{op} of two unknown values")


def _wrapped(number: _Number, width: int) -> _Number:
    """The number modulo 2^width, without the modulo where it cannot matter."""
    if 0 <= number.most < 1 << width:
        return number
    return _Number(number.value % (1 << width), (1 << width) - 1)


def _constant(number: _Number) -> int:
    if not isinstance(number.value, int):
        raise NotLinear("an unknown divisor or shift")
    return number.value
