"""Small floats against NumPy, against every code, and against known answers."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from ptxtool.launch import floats
from ptxtool.launch.dtypes import ELEMENTS, DType, Kind, edge_codes, parse_dtype

FORMATS = {
    "f16": floats.F16,
    "bf16": floats.BF16,
    "e4m3": floats.E4M3,
    "e5m2": floats.E5M2,
    "e2m1": floats.E2M1,
    "e8m0": floats.E8M0,
}

# From the OCP 8-bit and microscaling format specifications and IEEE 754.
KNOWN = {
    "f16": {0x3C00: 1.0, 0x7BFF: 65504.0, 0x0001: 2.0**-24, 0x0400: 2.0**-14, 0xFC00: -math.inf},
    "bf16": {0x3F80: 1.0, 0x7F7F: 3.3895313892515355e38, 0x0001: 2.0**-133, 0xC000: -2.0},
    "e4m3": {0x38: 1.0, 0x7E: 448.0, 0x01: 2.0**-9, 0x08: 2.0**-6, 0xFE: -448.0, 0x7F: math.nan},
    "e5m2": {0x3C: 1.0, 0x7B: 57344.0, 0x01: 2.0**-16, 0x04: 2.0**-14, 0x7C: math.inf},
    "e2m1": {0: 0.0, 1: 0.5, 2: 1.0, 3: 1.5, 4: 2.0, 5: 3.0, 6: 4.0, 7: 6.0, 15: -6.0},
    "e8m0": {0: 2.0**-127, 127: 1.0, 254: 2.0**127, 255: math.nan},
}


def all_codes(name: str) -> np.ndarray:
    form = FORMATS[name]
    return np.arange(form.magnitudes << form.signed)


@pytest.mark.parametrize("name", FORMATS)
def test_known_values(name: str) -> None:
    for code, value in KNOWN[name].items():
        found = floats.decode(FORMATS[name], np.array([code]))[0]
        assert found == value or (math.isnan(found) and math.isnan(value)), hex(code)


@pytest.mark.parametrize("name", FORMATS)
def test_every_code_comes_back(name: str) -> None:
    codes = all_codes(name)
    values = floats.decode(FORMATS[name], codes)
    back = floats.encode(FORMATS[name], values)
    ordinary = ~np.isnan(values)
    assert np.array_equal(back[ordinary], codes[ordinary])
    assert np.all(np.isnan(floats.decode(FORMATS[name], back[~ordinary])))


def test_f16_is_numpys() -> None:
    codes = all_codes("f16").astype(np.uint16)
    values = codes.view(np.float16).astype(np.float64)
    found = floats.decode(floats.F16, codes)
    assert np.array_equal(found, values, equal_nan=True)


def test_bf16_is_the_top_half_of_f32() -> None:
    codes = all_codes("bf16").astype(np.uint16)
    with np.errstate(invalid="ignore"):  # signalling NaNs
        values = (codes.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    assert np.array_equal(floats.decode(floats.BF16, codes), values, equal_nan=True)


def nearest_even(name: str, value: float) -> float:
    """Rounding by exact search: an independent account of round to nearest even."""
    form = FORMATS[name]
    table = floats.values_of(form)[: form.largest + 1]
    distances = [abs(Fraction(float(entry)) - Fraction(value)) for entry in table]
    best = min(distances)
    ties = [code for code, distance in enumerate(distances) if distance == best]
    return float(table[min(ties, key=lambda code: code % 2)])


@pytest.mark.parametrize("name", ["e4m3", "e5m2", "e2m1"])
def test_rounding_against_exact_search(name: str) -> None:
    form = FORMATS[name]
    table = floats.values_of(form)[: form.largest + 1]
    middles = (table[1:] + table[:-1]) / 2
    samples = np.concatenate([middles, np.nextafter(middles, 0), np.nextafter(middles, 1e9)])
    found = floats.decode(form, floats.encode(form, samples))
    expected = [nearest_even(name, float(sample)) for sample in samples]
    assert found.tolist() == expected


def test_bf16_rounds_once() -> None:
    """1 + 2**-8 is a tie in bf16; a bit far below float32's reach must still break it upwards."""
    tie = 1.0 + 2.0**-8
    above = tie + 2.0**-40
    below = tie - 2.0**-40
    found = floats.decode(floats.BF16, floats.encode(floats.BF16, np.array([tie, above, below])))
    assert found.tolist() == [1.0, 1.0 + 2.0**-7, 1.0]


def test_overflow() -> None:
    big = np.array([1e9, -1e9, math.inf])
    assert floats.encode(floats.E4M3, big).tolist() == [0x7E, 0xFE, 0x7E]
    assert floats.encode(floats.E5M2, big).tolist() == [0x7C, 0xFC, 0x7C]
    assert floats.encode(floats.BF16, np.array([3.4e38, 1e300])).tolist() == [0x7F80, 0x7F80]
    assert floats.encode(floats.E5M2, np.array([61439.0, 61440.0])).tolist() == [0x7B, 0x7C]


@pytest.mark.parametrize("name", sorted(set(ELEMENTS) - {"ptr"}))
def test_edge_codes_hold_zero_and_both_ends(name: str) -> None:
    element = ELEMENTS[name]
    values = element.decode(edge_codes(element)).astype(np.float64)
    if element.kind is Kind.FLOAT:
        limit = {"f32": float(np.finfo(np.float32).max), "f64": np.finfo(np.float64).max}
        largest = limit.get(name) or float(floats.values_of(FORMATS[name])[FORMATS[name].largest])
        assert largest in values
        assert 1.0 in values
    else:
        low, high = element.range
        assert {float(low), float(high), 0.0, 1.0} <= set(values)
    assert len(set(edge_codes(element).tolist())) == len(edge_codes(element))


@pytest.mark.parametrize(
    ("name", "size"),
    [("f32", 4), ("f16x2", 4), ("e4m3x4", 4), ("s4x8", 4), ("f32x4", 16), ("u8", 1), ("f64x4", 32)],
)
def test_sizes(name: str, size: int) -> None:
    dtype = parse_dtype(name)
    assert dtype is not None
    assert dtype.size == size
    assert dtype.name == name


@pytest.mark.parametrize(
    "name", ["u4", "e2m1", "f32x3", "float", "", "f64x8", "ptrx2", "f128", "x2"]
)
def test_no_such_type(name: str) -> None:
    assert parse_dtype(name) is None


def test_four_bit_codes_lie_low_first() -> None:
    dtype = DType(ELEMENTS["s4"], 8)
    data = dtype.pack(dtype.element.encode(np.array([1, -1, 2, -2, 3, -3, 7, -8])))
    assert data.tolist() == [0xF1, 0xE2, 0xD3, 0x87]
    assert dtype.element.decode(dtype.unpack(data)).tolist() == [1, -1, 2, -2, 3, -3, 7, -8]
