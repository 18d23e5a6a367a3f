"""Terms as z3 bit vectors. z3 comes with the extra `prove` and is imported on first use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ptxtool.core.errors import PtxtoolError
from ptxtool.isa.terms import Term, postorder


def _z3() -> Any:
    try:
        import z3
    except ImportError as missing:
        raise PtxtoolError("proofs need z3: pip install 'ptxtool[prove]'") from missing
    return z3


def lower_z3(term: Term) -> Any:
    """A z3 BitVec expression of the term's width; variables keep their names.

    An opaque part becomes an uninterpreted function. Raises PtxtoolError without z3.
    """
    z3 = _z3()
    known: dict[int, Any] = {}
    for part in postorder([term]):
        known[id(part)] = _lower(z3, part, [known[id(arg)] for arg in part.args])
    return known[id(term)]


def _flag(z3: Any, condition: Any) -> Any:
    return z3.If(condition, z3.BitVecVal(1, 1), z3.BitVecVal(0, 1))


_OPERATIONS: dict[str, Callable[..., Any]] = {
    "add": lambda _z3, _t, a, b: a + b,
    "sub": lambda _z3, _t, a, b: a - b,
    "mul": lambda _z3, _t, a, b: a * b,
    "udiv": lambda z3, _t, a, b: z3.UDiv(a, b),
    "urem": lambda z3, _t, a, b: z3.URem(a, b),
    "and": lambda _z3, _t, a, b: a & b,
    "or": lambda _z3, _t, a, b: a | b,
    "xor": lambda _z3, _t, a, b: a ^ b,
    "not": lambda _z3, _t, a: ~a,
    "shl": lambda _z3, _t, a, b: a << b,
    "lshr": lambda z3, _t, a, b: z3.LShR(a, b),
    "ashr": lambda _z3, _t, a, b: a >> b,
    "eq": lambda z3, _t, a, b: _flag(z3, a == b),
    "ult": lambda z3, _t, a, b: _flag(z3, z3.ULT(a, b)),
    "slt": lambda z3, _t, a, b: _flag(z3, a < b),
    "ite": lambda z3, _t, c, a, b: z3.If(c == 1, a, b),
    "concat": lambda z3, _t, a, b: z3.Concat(a, b),
    "extract": lambda z3, t, a: z3.Extract(t.data[0] + t.width - 1, t.data[0], a),
    "zext": lambda z3, t, a: z3.ZeroExt(t.width - t.args[0].width, a),
    "sext": lambda z3, t, a: z3.SignExt(t.width - t.args[0].width, a),
    "const": lambda z3, t: z3.BitVecVal(t.data[0], t.width),
    "var": lambda z3, t: z3.BitVec(t.data[0], t.width),
}


def _lower(z3: Any, part: Term, args: list[Any]) -> Any:
    if part.op != "opaque":
        return _OPERATIONS[part.op](z3, part, *args)
    sorts = [z3.BitVecSort(arg.width) for arg in part.args]
    return z3.Function(str(part.data[0]), *sorts, z3.BitVecSort(part.width))(*args)
