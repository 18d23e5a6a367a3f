"""When two outputs agree, and what is said when they do not."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ptxtool.launch.dtypes import DType, Kind
from ptxtool.launch.floats import Array, Floats
from ptxtool.launch.layouts import Field, Layout, Type

_CHUNK = 1 << 20  # elements compared at a time, to bound memory

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Tolerance:
    """Limits on one output; see docs/launch-spec.md. None is no such limit."""

    bitwise: bool = False
    ulp: int | None = None
    absolute: float | None = None
    relative: float | None = None
    norm: float | None = None

    def __str__(self) -> str:
        if self.bitwise:
            return "bitwise"
        names = ("ulp", "absolute", "relative", "norm")
        parts = [
            f"{name} {getattr(self, name):g}" for name in names if getattr(self, name) is not None
        ]
        return ", ".join(parts)

    @property
    def by_element(self) -> bool:
        """Whether single elements are judged, or only the norm."""
        return self.bitwise or not (self.ulp is self.absolute is self.relative is None)


BITWISE = Tolerance(bitwise=True)


def default_tolerance(dtype: DType) -> Tolerance:
    """Bits for integers, 4 units in the last place for f32 and f64, 1 for smaller floats."""
    if dtype.element.kind is not Kind.FLOAT:
        return BITWISE
    return Tolerance(ulp=4 if dtype.element.bits >= 32 else 1)


@dataclass(frozen=True)
class Comparison:
    """The result for one output. Errors are the largest over finite elements.

    `norm_error` is norm(out - expected) / norm(expected); None where nothing was compared.
    """

    tolerance: str
    elements: int
    mismatches: int
    agrees: bool
    worst_ulp: int = 0
    worst_absolute: float = 0.0
    worst_relative: float = 0.0
    norm_error: float | None = None
    first_index: int | None = None
    first_expected: str | None = None
    first_actual: str | None = None
    field: str | None = None


def compare(type: Type, expected: Array, actual: Array, tolerance: Tolerance | None) -> Comparison:
    """Compare the bytes of two buffers of a type. Raises ValueError if their sizes differ."""
    if expected.nbytes != actual.nbytes:
        raise ValueError(f"{expected.nbytes} and {actual.nbytes} bytes cannot be compared")
    if isinstance(type, DType):
        return _compare_plain(type, expected, actual, tolerance or default_tolerance(type))
    results = [_compare_field(type, field, expected, actual, tolerance) for field in type.fields]
    return _worst_of(results)


def _compare_field(
    layout: Layout, field: Field, expected: Array, actual: Array, tolerance: Tolerance | None
) -> Comparison:
    limits = tolerance or default_tolerance(field.dtype)
    wanted, found = layout.field_bytes(expected, field), layout.field_bytes(actual, field)
    return replace(_compare_plain(field.dtype, wanted, found, limits), field=field.name)


def _worst_of(results: list[Comparison]) -> Comparison:
    worst = max(results, key=lambda result: (not result.agrees, result.mismatches))
    return replace(
        worst,
        elements=sum(result.elements for result in results),
        mismatches=sum(result.mismatches for result in results),
        agrees=all(result.agrees for result in results),
    )


class _Totals:
    """What is gathered over the chunks of one comparison."""

    def __init__(self) -> None:
        self.mismatches = 0
        self.worst_ulp = 0
        self.worst_absolute = 0.0
        self.worst_relative = 0.0
        self.error_squares = 0.0
        self.expected_squares = 0.0
        self.first: tuple[int, str, str] | None = None
        self.is_lost = False  # NaN or infinity on one side only: no norm can mend it


def _compare_plain(dtype: DType, expected: Array, actual: Array, limits: Tolerance) -> Comparison:
    totals = _Totals()
    step = _CHUNK * dtype.size
    for start in range(0, expected.nbytes, step):
        wanted, found = (dtype.unpack(data[start : start + step]) for data in (expected, actual))
        _compare_chunk(dtype, wanted, found, limits, start * dtype.lanes // dtype.size, totals)
    norm = _norm_error(totals)
    within_norm = limits.norm is None or (norm <= limits.norm and not totals.is_lost)
    index, shown_wanted, shown_found = totals.first or (None, None, None)
    return Comparison(
        tolerance=str(limits),
        elements=expected.nbytes * dtype.lanes // dtype.size,
        mismatches=totals.mismatches,
        agrees=totals.mismatches == 0 and within_norm,
        worst_ulp=totals.worst_ulp,
        worst_absolute=totals.worst_absolute,
        worst_relative=totals.worst_relative,
        norm_error=norm,
        first_index=index,
        first_expected=shown_wanted,
        first_actual=shown_found,
    )


def _norm_error(totals: _Totals) -> float:
    if totals.error_squares == 0.0:
        return 0.0
    if totals.expected_squares == 0.0:
        return float("inf")
    return float(np.sqrt(totals.error_squares / totals.expected_squares))


def _compare_chunk(
    dtype: DType, expected: Array, actual: Array, limits: Tolerance, start: int, totals: _Totals
) -> None:
    if np.array_equal(expected, actual):
        values = _real(dtype, expected)
        totals.expected_squares += float(np.sum(np.square(values[np.isfinite(values)])))
        return
    wanted, found = _real(dtype, expected), _real(dtype, actual)
    finite = np.isfinite(wanted) & np.isfinite(found)
    both_nan = np.isnan(wanted) & np.isnan(found)
    same = (expected == actual) | both_nan | (wanted == found)
    if dtype.element.kind is not Kind.FLOAT:
        same = expected == actual
    totals.is_lost |= bool(np.any(~finite & ~same))
    distance = ulp_distance(dtype, expected, actual)
    _gather(wanted, found, distance, finite & ~same, totals)
    totals.expected_squares += float(np.sum(np.square(wanted[finite])))
    bad = ~_within(limits, same, expected == actual, finite, (wanted, found, distance))
    if not np.any(bad):
        return
    totals.mismatches += int(np.count_nonzero(bad))
    if totals.first is None:
        at = int(np.argmax(bad))
        totals.first = (
            start + at,
            _shown(dtype, expected[at : at + 1]),
            _shown(dtype, actual[at : at + 1]),
        )


def _gather(wanted: Floats, found: Floats, distance: Array, differ: Mask, totals: _Totals) -> None:
    if not np.any(differ):
        return
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        error = np.abs(found - wanted)[differ]
        relative = error / np.abs(wanted[differ])
        totals.error_squares += float(np.sum(np.square(error)))
    totals.worst_absolute = max(totals.worst_absolute, float(error.max()))
    totals.worst_relative = max(totals.worst_relative, float(np.nanmax(relative)))
    totals.worst_ulp = max(totals.worst_ulp, int(distance[differ].max()))


def _within(
    limits: Tolerance,
    same: Mask,
    same_bits: Mask,
    finite: Mask,
    pair: tuple[Floats, Floats, Array],
) -> Mask:
    if limits.bitwise:
        return same_bits
    if not limits.by_element:  # the norm alone decides, over finite elements
        return same | finite
    wanted, found, distance = pair
    fits = np.zeros(same.shape, dtype=np.bool_)
    if limits.ulp is not None:
        fits |= distance <= limits.ulp
    if limits.absolute is not None or limits.relative is not None:
        with np.errstate(invalid="ignore", over="ignore"):
            allowed = (limits.absolute or 0.0) + (limits.relative or 0.0) * np.abs(wanted)
            fits |= np.abs(found - wanted) <= allowed
    return same | (finite & fits)


def ulp_distance(dtype: DType, a: Array, b: Array) -> Array:
    """How many representable values lie between codes; for integers the plain distance.

    0.0 and -0.0 are 0 apart. Meaningless for NaN.
    """
    element = dtype.element
    wide_a, wide_b = a.astype(np.uint64), b.astype(np.uint64)
    sign = np.uint64(1 << (element.bits - 1))
    if element.kind is Kind.SIGNED:  # with the sign flipped, codes are in the order of values
        wide_a, wide_b = wide_a ^ sign, wide_b ^ sign
    is_plain = element.format is not None and not element.format.signed
    if element.kind is not Kind.FLOAT or is_plain:
        return np.where(wide_a > wide_b, wide_a - wide_b, wide_b - wide_a)
    magnitude_a, magnitude_b = wide_a & (sign - np.uint64(1)), wide_b & (sign - np.uint64(1))
    apart = np.where(
        magnitude_a > magnitude_b, magnitude_a - magnitude_b, magnitude_b - magnitude_a
    )
    return np.where((wide_a ^ wide_b) & sign != 0, magnitude_a + magnitude_b, apart)


def _real(dtype: DType, codes: Array) -> Floats:
    return dtype.element.decode(codes).astype(np.float64)


def _shown(dtype: DType, code: Array) -> str:
    value = dtype.element.decode(code)[0]
    digits = max(dtype.element.bits // 4, 1)
    text = f"{value:.9g}" if dtype.element.kind is Kind.FLOAT else str(int(value))
    return f"{text} (0x{int(code[0]):0{digits}x})"
