"""When outputs agree: planted differences of known size, in every kind of limit."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ptxtool.launch.dtypes import DType, parse_dtype
from ptxtool.launch.layouts import Field, Layout
from ptxtool.launch.tolerance import BITWISE, Tolerance, compare, ulp_distance


def dtype(name: str) -> DType:
    found = parse_dtype(name)
    assert found is not None
    return found


def judged(name: str, expected, actual, tolerance: Tolerance | None = None):
    kind = dtype(name)
    pair = [kind.pack(kind.element.encode(np.array(values))) for values in (expected, actual)]
    return compare(kind, *pair, tolerance)


def test_equal_buffers_agree() -> None:
    result = judged("f32", [1.0, math.nan, math.inf, 0.0], [1.0, math.nan, math.inf, -0.0])
    assert result.agrees
    assert result.elements == 4


@pytest.mark.parametrize("steps", [1, 4, 5])
def test_ulp_limit_is_exact(steps: int) -> None:
    base = np.array([1.0], np.float32)
    other = (base.view(np.uint32) + steps).view(np.float32)
    result = judged("f32", base, other)
    assert result.agrees == (steps <= 4)
    assert result.worst_ulp == steps


def test_first_mismatch_is_shown() -> None:
    result = judged("s32", [1, 2, 3, 4], [1, 2, -3, 5])
    assert (result.agrees, result.mismatches, result.first_index) == (False, 2, 2)
    assert result.first_expected == "3 (0x00000003)"
    assert result.first_actual == "-3 (0xfffffffd)"


@pytest.mark.parametrize(
    ("tolerance", "error", "agrees"),
    [
        (Tolerance(absolute=0.5), 0.5, True),
        (Tolerance(absolute=0.5), 0.75, False),
        (Tolerance(relative=0.25), 25.0, True),
        (Tolerance(relative=0.25), 26.0, False),
        (Tolerance(absolute=1.0, relative=0.25), 26.0, True),
        (Tolerance(ulp=1, absolute=10.0), 9.0, True),
        (Tolerance(norm=0.1), 9.0, True),
        (Tolerance(norm=0.1), 11.0, False),
        (Tolerance(absolute=50.0, norm=0.1), 11.0, False),
    ],
)
def test_limits(tolerance: Tolerance, error: float, agrees: bool) -> None:
    assert judged("f64", [100.0], [100.0 + error], tolerance).agrees is agrees


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("tolerance", [Tolerance(norm=1e9), Tolerance(relative=1e9), None])
def test_nan_and_infinity_are_never_within_limits(bad: float, tolerance) -> None:
    assert not judged("f32", [1.0, 2.0], [1.0, bad], tolerance).agrees
    assert not judged("f32", [1.0, bad], [1.0, 2.0], tolerance).agrees


def test_bitwise_tells_zeros_and_nans_apart() -> None:
    assert judged("f32", [0.0], [-0.0]).agrees
    assert not judged("f32", [0.0], [-0.0], BITWISE).agrees
    kind = dtype("f32")
    quiet = np.array([0x7FC00000], np.uint32).view(np.uint8)
    other = np.array([0x7FC00001], np.uint32).view(np.uint8)
    assert compare(kind, quiet, other, Tolerance(ulp=0)).agrees
    assert not compare(kind, quiet, other, BITWISE).agrees


@pytest.mark.parametrize(
    ("name", "a", "b", "distance"),
    [
        ("f32", 0.0, -0.0, 0),
        ("f32", 2.0**-149, -(2.0**-149), 2),
        ("bf16", 1.0, 1.0078125, 1),
        ("e4m3", 1.0, 1.25, 2),
        ("f64", -math.inf, math.inf, 2 * (0x7FF << 52)),
        ("s8", -128, 127, 255),
        ("s64", -(2**63), 2**63 - 1, 2**64 - 1),
        ("u64", 0, 2**64 - 1, 2**64 - 1),
        ("u64", 2**63, 2**63 - 2, 2),
        ("e8m0", 1.0, 4.0, 2),
    ],
)
def test_distances(name: str, a: float, b: float, distance: int) -> None:
    kind = dtype(name)
    as_type = object if isinstance(a, int) else float
    codes = [kind.element.encode(np.array([value], dtype=as_type)) for value in (a, b)]
    assert int(ulp_distance(kind, *codes)[0]) == distance
    assert int(ulp_distance(kind, *reversed(codes))[0]) == distance


def test_differences_behind_the_first_chunk_are_found() -> None:
    expected = np.zeros((1 << 20) + 5, np.float32)
    actual = expected.copy()
    actual[-2] = 1
    result = compare(dtype("f32"), expected.view(np.uint8), actual.view(np.uint8), None)
    assert result.first_index == (1 << 20) + 3
    assert result.mismatches == 1
    assert result.norm_error == math.inf


def test_sizes_must_be_the_same() -> None:
    with pytest.raises(ValueError, match="cannot be compared"):
        compare(dtype("u8"), np.zeros(3, np.uint8), np.zeros(4, np.uint8), None)


def test_structs_are_compared_by_field_and_padding_is_left_out() -> None:
    layout = Layout("s", (Field("a", dtype("u8"), 1, 0), Field("b", dtype("f32"), 1, 4)), 8, 4)
    expected = np.zeros(16, np.uint8)
    actual = expected.copy()
    actual[1:4] = 99
    assert compare(layout, expected, actual, None).agrees
    actual[13] = 200
    result = compare(layout, expected, actual, None)
    assert not result.agrees
    assert (result.field, result.first_index, result.elements) == ("b", 1, 4)
