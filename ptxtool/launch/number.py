"""A number as a spec writes it: a literal or an expression, with its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ptxtool.launch.expressions import ExpressionError, UnknownName, evaluate
from ptxtool.launch.problems import (
    BAD_EXPRESSION,
    BAD_VALUE,
    OVER_LIMIT,
    UNKNOWN_NAME,
    KeyPath,
    SpecProblem,
)

Sizes = Mapping[str, int]
_LIMIT = 1 << 64


@dataclass(frozen=True)
class Number:
    """A literal or an expression over the sizes. All methods raise SpecProblem."""

    value: int | float | str
    path: KeyPath = ()

    def integer(self, sizes: Sizes, *, low: int = -(1 << 63), high: int = _LIMIT - 1) -> int:
        """Its value as an integer between `low` and `high`, both included."""
        value = self._evaluate(sizes, floating=False)
        if isinstance(value, float):
            raise SpecProblem(BAD_VALUE, f"{value} is not an integer", self.path)
        if not low <= value <= high:
            message = f"{self._shown(value)} is not between {low} and {high}"
            raise SpecProblem(OVER_LIMIT, message, self.path)
        return value

    def real(self, sizes: Sizes) -> float:
        """Its value as a float, correctly rounded."""
        return float(self._evaluate(sizes, floating=True))

    def exact(self, sizes: Sizes, *, floating: bool) -> int | float:
        """Its value; an integer stays one, so that 64-bit values keep every bit."""
        return self._evaluate(sizes, floating=floating)

    def _shown(self, value: int) -> str:
        return f"`{self.value}` = {value}" if isinstance(self.value, str) else str(value)

    def _evaluate(self, sizes: Sizes, *, floating: bool) -> int | float:
        if not isinstance(self.value, str):
            return self._literal(self.value)
        try:
            return evaluate(self.value, sizes, floating=floating)
        except UnknownName as error:
            help = f"define it under [sizes]; known: {', '.join(sorted(sizes)) or 'none'}"
            raise SpecProblem(UNKNOWN_NAME, str(error), self.path, help=help) from None
        except ExpressionError as error:
            message = f"`{self.value[:60]}`: {error}"
            raise SpecProblem(BAD_EXPRESSION, message, self.path) from None

    def _literal(self, value: int | float) -> int | float:
        if isinstance(value, int) and abs(value) >= _LIMIT:
            raise SpecProblem(OVER_LIMIT, "the number does not fit in 64 bits", self.path)
        return value
