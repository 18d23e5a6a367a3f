"""Small floating-point formats: bits to values and back, rounding to nearest, ties to even.

Formats as in the PTX ISA (data types for alternate floating point) and the OCP 8-bit and
microscaling specifications. Codes of all formats but e8m0 are sign and magnitude, and magnitudes
rise with the code, which is what distances in units of the last place rely on.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class FloatFormat:
    """Layout of a format of at most 16 bits; a magnitude code is a code without its sign."""

    exponent_bits: int
    mantissa_bits: int
    bias: int
    infinity: int | None = None  # magnitude code of infinity
    first_nan: int | None = None  # NaN from this magnitude code on
    signed: bool = True

    @property
    def bits(self) -> int:
        """Width in bits."""
        return self.exponent_bits + self.mantissa_bits + self.signed

    @property
    def magnitudes(self) -> int:
        """How many codes there are without the sign."""
        return 1 << (self.exponent_bits + self.mantissa_bits)

    @property
    def largest(self) -> int:
        """Magnitude code of the largest finite value."""
        ends = [code for code in (self.infinity, self.first_nan) if code is not None]
        return min(ends, default=self.magnitudes) - 1

    @property
    def quiet_nan(self) -> int | None:
        """Magnitude code of the NaN that encoding gives: the top bit of its fraction is set."""
        if self.first_nan is None or self.infinity is None:
            return self.first_nan
        return self.infinity | 1 << (self.mantissa_bits - 1)


F16 = FloatFormat(5, 10, 15, infinity=0x7C00, first_nan=0x7C01)
BF16 = FloatFormat(8, 7, 127, infinity=0x7F80, first_nan=0x7F81)
E5M2 = FloatFormat(5, 2, 15, infinity=0x7C, first_nan=0x7D)
E4M3 = FloatFormat(4, 3, 7, first_nan=0x7F)
E2M1 = FloatFormat(2, 1, 1)
E8M0 = FloatFormat(8, 0, 127, first_nan=0xFF, signed=False)


@cache
def values_of(format: FloatFormat) -> Floats:
    """The value of each magnitude code."""
    codes = np.arange(format.magnitudes)
    exponent = codes >> format.mantissa_bits
    fraction = (codes & ((1 << format.mantissa_bits) - 1)) / (1 << format.mantissa_bits)
    normal: Floats = np.ldexp(1.0 + fraction, exponent - format.bias)
    if format.signed:  # e8m0 has no zero and no subnormals
        normal = np.where(exponent == 0, np.ldexp(fraction, 1 - format.bias), normal)
    if format.infinity is not None:
        normal[format.infinity] = np.inf
    if format.first_nan is not None:
        normal[format.first_nan :] = np.nan
    return normal


def decode(format: FloatFormat, codes: Array) -> Floats:
    """Values of codes; NaN and infinities as themselves."""
    codes = codes.astype(np.int64)
    values: Floats = values_of(format)[codes & (format.magnitudes - 1)]
    if not format.signed:
        return values
    negative = codes >= format.magnitudes
    values[negative] = -values[negative]
    return values


def encode(format: FloatFormat, values: Floats) -> Array:
    """Codes of values, rounded to nearest even.

    Past the largest value the code is infinity where the format has one, else the largest
    value (as PTX's .satfinite). NaN becomes the format's NaN, else the largest value.
    """
    if format == F16:
        with np.errstate(over="ignore"):
            return np.asarray(values, dtype=np.float64).astype(np.float16).view(np.uint16)
    if format == BF16:
        return _encode_bfloat16(np.asarray(values, dtype=np.float64))
    codes = _nearest_codes(format, np.abs(values))
    if format.signed:
        codes = codes + np.where(np.signbit(values), format.magnitudes, 0)
    return codes.astype(np.uint8)


def _nearest_codes(format: FloatFormat, magnitudes: Floats) -> Array:
    table = values_of(format)[: format.largest + 1]
    middles = (table[1:] + table[:-1]) / 2
    codes = np.searchsorted(middles, magnitudes, side="left")
    tie = np.isin(magnitudes, middles)
    codes = np.where(tie & (codes % 2 == 1), codes + 1, codes)
    if format.infinity is not None:
        half_step = (table[-1] - table[-2]) / 2
        codes = np.where(magnitudes >= table[-1] + half_step, format.infinity, codes)
    nan = format.largest if format.quiet_nan is None else format.quiet_nan
    return np.where(np.isnan(magnitudes), nan, codes)


def _encode_bfloat16(values: Floats) -> Array:
    """Round to odd in float32 first, so that the second rounding sees every lost bit."""
    with np.errstate(over="ignore", invalid="ignore"):
        single = values.astype(np.float32)
        widened = single.astype(np.float64)
        inexact = np.isfinite(values) & (widened != values)
        bits = single.view(np.uint32).astype(np.uint64)
        bits -= (inexact & (np.abs(widened) > np.abs(values))).astype(np.uint64)
    bits |= inexact.astype(np.uint64)
    rounded = (bits + 0x7FFF + ((bits >> np.uint64(16)) & np.uint64(1))) >> np.uint64(16)
    sign = (bits >> np.uint64(16)) & np.uint64(0x8000)
    rounded = np.where(np.isnan(values), sign | np.uint64(0x7FC0), rounded)
    return rounded.astype(np.uint16)
