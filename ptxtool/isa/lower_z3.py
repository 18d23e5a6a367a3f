"""Terms as z3 bit-vectors. z3 comes with the extra `prove` and is imported only here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ptxtool.core.errors import ToolMissing
from ptxtool.isa.terms import Term, fold


def load_z3() -> Any:
    """The module z3. Raises ToolMissing."""
    try:
        import z3
    except ImportError as error:
        raise ToolMissing("z3 is not installed", help="pip install 'ptxtool[prove]'") from error
    return z3


def to_z3(root: Term) -> Any:
    """The z3 expression of a term; one-bit terms are bit-vectors of width 1."""
    z3 = load_z3()

    def make(node: Term, args: list[object]) -> object:
        return _lower(z3, node, args)

    return fold(root, make)


def _lower(z3: Any, node: Term, args: list[Any]) -> Any:
    if node.op == "constant":
        return z3.BitVecVal(node.value, node.width)
    if node.op == "variable":
        return z3.BitVec(node.value, node.width)
    if node.op == "extract":
        low = int(node.value or 0)
        return z3.Extract(low + node.width - 1, low, args[0])
    if node.op in ("zext", "sext"):
        extend = z3.ZeroExt if node.op == "zext" else z3.SignExt
        return extend(node.width - node.args[0].width, args[0])
    if node.op in _TO_BIT:
        return z3.If(_TO_BIT[node.op](z3, *args), z3.BitVecVal(1, 1), z3.BitVecVal(0, 1))
    if node.op == "ite":
        return z3.If(args[0] == 1, args[1], args[2])
    return _BINARY[node.op](z3, *args)


_TO_BIT: dict[str, Callable[..., Any]] = {
    "eq": lambda z3, a, b: a == b,
    "ult": lambda z3, a, b: z3.ULT(a, b),
    "slt": lambda z3, a, b: a < b,
}
_BINARY: dict[str, Callable[..., Any]] = {
    "add": lambda z3, a, b: a + b,
    "sub": lambda z3, a, b: a - b,
    "mul": lambda z3, a, b: a * b,
    "udiv": lambda z3, a, b: z3.UDiv(a, b),
    "urem": lambda z3, a, b: z3.URem(a, b),
    "sdiv": lambda z3, a, b: a / b,
    "srem": lambda z3, a, b: z3.SRem(a, b),
    "and": lambda z3, a, b: a & b,
    "or": lambda z3, a, b: a | b,
    "xor": lambda z3, a, b: a ^ b,
    "not": lambda z3, a: ~a,
    "neg": lambda z3, a: -a,
    "shl": lambda z3, a, b: a << b,
    "lshr": lambda z3, a, b: z3.LShR(a, b),
    "ashr": lambda z3, a, b: a >> b,
    "concat": lambda z3, a, b: z3.Concat(a, b),
}
