"""The evaluator: what it gives, what it refuses, and that it is quick to refuse."""

from __future__ import annotations

import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptxtool.launch.expressions import ExpressionError, UnknownName, evaluate, names_in


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 << 24", 1 << 24),
        ("ceil_div(n, 256)", 4),
        ("ceil_div(n + 1, 256)", 5),
        ("align_up(n - 1, 128)", 1024),
        ("-n // 3 % 7", (-1024 // 3) % 7),
        ("~n & 0xff | 3 ^ 1", (~1024 & 0xFF) | (3 ^ 1)),
        ("max(1, min(n, 5), 3)", 5),
        ("  n  ", 1024),
        ("2**63", 1 << 63),
    ],
)
def test_integers(text: str, value: int) -> None:
    assert evaluate(text, {"n": 1024}) == value


@pytest.mark.parametrize(
    "text",
    [
        "9**9**9**9",
        "1 << 1000000000",
        "(1 << 40) * (1 << 40)",
        "1 // 0",
        "n / 2",
        "1.5",
        "x.y",
        "__import__('os')",
        "open('f')",
        "[1][0]",
        "lambda: 0",
        "n if n else 1",
        "'a' * 3",
        "True",
        "",
        "1 +",
        "(" * 400,
        "-" * 499 + "1",
        "1" * 501,
        "f(x=1)",
        "ceil_div(1)",
        "min()",
        "ceil_div(1, 0)",
        "1 is 2",
        "n := 3",
        "nan",
        "n > 0",
        "2**64 - 1",
        "1_0 @ 2",
        "\u00b2",
        "1\n+1",
    ],
)
def test_refused_at_once(text: str) -> None:
    start = time.perf_counter()
    with pytest.raises(ExpressionError):
        evaluate(text, {"n": 4})
    assert time.perf_counter() - start < 1


def test_unknown_name_is_named() -> None:
    with pytest.raises(UnknownName) as caught:
        evaluate("m + 1", {"n": 1})
    assert caught.value.name == "m"


def test_floating() -> None:
    assert evaluate("1 / n", {"n": 4}, floating=True) == 0.25
    assert evaluate("-inf", {}, floating=True) == -math.inf
    assert math.isnan(evaluate("nan", {}, floating=True))
    assert evaluate("1e-3 * n", {"n": 2}, floating=True) == 0.002
    with pytest.raises(ExpressionError):
        evaluate("1e300 ** 9", {}, floating=True)


def test_names() -> None:
    assert names_in("ceil_div(n, m) + k") == {"n", "m", "k"}


@given(st.text(max_size=60))
def test_any_text_gives_a_number_or_an_error(text: str) -> None:
    try:
        value = evaluate(text, {"n": 3}, floating=True)
    except ExpressionError:
        return
    assert isinstance(value, int | float)
