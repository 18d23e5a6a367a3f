"""Arithmetic of launch specs: a bounded evaluator over Python's expression syntax.

Nothing is compiled or called except the four functions below. Integers stay inside 64 bits at
every step, so no expression can take long or fill memory.
"""

from __future__ import annotations

import ast
import math
import operator
import re
import warnings
from collections.abc import Callable, Mapping
from functools import lru_cache

MAX_LENGTH = 500
MAX_NODES = 400  # bounds the depth of the tree, and so of the recursion
_LOWEST = -(1 << 63)
_HIGHEST = (1 << 64) - 1

Scalar = int | float

_PLAIN: dict[type[ast.operator], Callable[[Scalar, Scalar], Scalar]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Div: operator.truediv,
}
_BITWISE: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: lambda a, b: a << _small(b, 64, "shift amount"),
    ast.RShift: lambda a, b: a >> _small(b, 64, "shift amount"),
}
_UNARY: dict[type[ast.unaryop], Callable[[Scalar], Scalar]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: lambda a: ~_integer(a),
}
# Names with a meaning of their own, which no size may take.
RESERVED = frozenset({"ceil_div", "align_up", "min", "max", "inf", "nan"})
FUNCTIONS = ("ceil_div", "align_up", "min", "max")
_NOT_A_NUMBER = {"inf": math.inf, "nan": math.nan}


class ExpressionError(ValueError):
    """The expression is malformed or leaves its bounds; the message says which part."""


class UnknownName(ExpressionError):
    """The expression uses a name that is not defined."""

    def __init__(self, name: str) -> None:
        super().__init__(f"`{name}` is not one of the sizes")
        self.name = name


def evaluate(text: str, names: Mapping[str, int], *, floating: bool = False) -> Scalar:
    """Value of an expression. Only `floating` ones may use `/`, decimals, `inf` and `nan`.

    Raises ExpressionError.
    """
    return _Evaluator(names, floating).value(_tree(text))


def names_in(text: str) -> frozenset[str]:
    """The names that an expression uses, functions left out. Raises ExpressionError."""
    found = {node.id for node in ast.walk(_tree(text)) if isinstance(node, ast.Name)}
    return frozenset(found - set(FUNCTIONS))


@lru_cache(maxsize=4096)
def _tree(text: str) -> ast.expr:
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"longer than {MAX_LENGTH} characters")
    if not text.isascii() or not text.isprintable():
        raise ExpressionError("only printable ASCII is allowed")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "1 is 2" warns; here it is refused below
            tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise ExpressionError(_hint(text)) from None
    if sum(1 for _ in ast.walk(tree)) > MAX_NODES:
        raise ExpressionError("too many operations")
    return tree


def _hint(text: str) -> str:
    if re.search(r"(^|[^/])/([^/]|$)", text):
        return "not an expression (division of integers is `//`)"
    return "not an expression"


def _small(value: int, limit: int, what: str) -> int:
    if not 0 <= value <= limit:
        raise ExpressionError(f"{what} {value} is not between 0 and {limit}")
    return value


def _integer(value: Scalar) -> int:
    if isinstance(value, float):
        raise ExpressionError("bit operations need integers")
    return value


class _Evaluator:
    """One walk over one tree."""

    def __init__(self, names: Mapping[str, int], floating: bool) -> None:
        self._names = names
        self._floating = floating

    def value(self, node: ast.expr) -> Scalar:
        try:
            result = self._visit(node)
        except ZeroDivisionError:
            raise ExpressionError("division by zero") from None
        except OverflowError:
            raise ExpressionError("too large") from None
        if isinstance(result, int) and not _LOWEST <= result <= _HIGHEST:
            raise ExpressionError("a value does not fit in 64 bits")
        return result

    def _visit(self, node: ast.expr) -> Scalar:
        match node:
            case ast.Constant(value=value):
                return self._constant(value)
            case ast.Name(id=name):
                return self._name(name)
            case ast.UnaryOp(op=op, operand=operand) if type(op) in _UNARY:
                return _UNARY[type(op)](self.value(operand))
            case ast.BinOp(left=left, op=op, right=right):
                return self._binary(op, self.value(left), self.value(right))
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
                return self._call(name, [self.value(argument) for argument in args])
        raise ExpressionError(f"`{ast.unparse(node)}` is not allowed here")

    def _constant(self, value: object) -> Scalar:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ExpressionError(f"`{value!r}` is not a number")
        if isinstance(value, float) and not self._floating:
            raise ExpressionError(f"`{value}` is not an integer")
        return value

    def _name(self, name: str) -> Scalar:
        if name in self._names:
            return self._names[name]
        if self._floating and name in _NOT_A_NUMBER:
            return _NOT_A_NUMBER[name]
        raise UnknownName(name)

    def _binary(self, op: ast.operator, left: Scalar, right: Scalar) -> Scalar:
        if isinstance(op, ast.Pow):
            return self._power(left, right)
        if type(op) in _BITWISE:
            return _BITWISE[type(op)](_integer(left), _integer(right))
        if isinstance(op, ast.Div) and not self._floating:
            raise ExpressionError("division of integers is `//`")
        if type(op) not in _PLAIN:
            raise ExpressionError("this operator is not allowed here")
        return _PLAIN[type(op)](left, right)

    @staticmethod
    def _power(base: Scalar, exponent: Scalar) -> Scalar:
        if isinstance(exponent, float) or not -1100 <= exponent <= 1100:
            raise ExpressionError(f"exponent {exponent} is not allowed")
        if isinstance(base, int):
            _small(exponent, 64, "exponent")
        result: Scalar = base**exponent
        return result

    @staticmethod
    def _call(name: str, arguments: list[Scalar]) -> Scalar:
        if name not in FUNCTIONS:
            raise ExpressionError(f"`{name}` is not a function ({', '.join(FUNCTIONS)} are)")
        if name in ("min", "max"):
            if not arguments:
                raise ExpressionError(f"`{name}` needs arguments")
            return min(arguments) if name == "min" else max(arguments)
        if len(arguments) != 2:
            raise ExpressionError(f"`{name}` takes two arguments")
        value, unit = (_integer(argument) for argument in arguments)
        quotient = -(-value // unit)
        return quotient if name == "ceil_div" else quotient * unit
