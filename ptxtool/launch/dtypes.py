"""Element types of buffers and scalars, and how their values lie in memory (little-endian)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from ptxtool.launch import floats
from ptxtool.launch.floats import Array, FloatFormat


class Kind(StrEnum):
    """What the bits of a type mean."""

    UNSIGNED = "unsigned"
    SIGNED = "signed"
    FLOAT = "float"
    ADDRESS = "address"


@dataclass(frozen=True)
class Element:
    """A type of one value. `format` describes floats of 16 bits and fewer."""

    name: str
    kind: Kind
    bits: int
    format: FloatFormat | None = None

    @property
    def storage(self) -> np.dtype[np.unsignedinteger]:
        """The unsigned type that holds one code; four-bit codes take one byte each here."""
        return np.dtype(f"<u{max(self.bits // 8, 1)}")

    @property
    def range(self) -> tuple[int, int]:
        """Lowest and highest value of an integer type."""
        if self.kind is Kind.SIGNED:
            return -(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1
        return 0, (1 << self.bits) - 1

    def encode(self, values: Array) -> Array:
        """Codes of values; integers wrap, floats round to nearest even."""
        if self.kind is not Kind.FLOAT:
            return _wrap(values, self.bits).astype(self.storage)
        if self.format is not None:
            return floats.encode(self.format, np.asarray(values, dtype=np.float64))
        with np.errstate(over="ignore", under="ignore"):
            return np.asarray(values).astype(f"<f{self.bits // 8}").view(self.storage)

    def decode(self, codes: Array) -> Array:
        """Values of codes: float64 for floats, (u)int of the type's width for integers."""
        if self.kind is Kind.FLOAT:
            if self.format is not None:
                return floats.decode(self.format, codes)
            return codes.view(f"<f{self.bits // 8}").astype(np.float64)
        if self.kind is not Kind.SIGNED:
            return codes
        if self.bits < 8:
            sign = 1 << (self.bits - 1)
            return ((codes.astype(np.int8) ^ sign) - sign).astype(np.int8)
        return codes.view(f"<i{self.bits // 8}")


def _wrap(values: Array, bits: int) -> Array:
    values = np.asarray(values)
    if values.dtype.kind == "f":
        values = values.astype(np.int64)
    if values.dtype.kind == "O":
        return np.array([int(value) & ((1 << bits) - 1) for value in values.ravel()], np.uint64)
    wrapped: Array = values.astype(np.uint64) & np.uint64((1 << bits) - 1)
    return wrapped


_FLOATS = {
    "f16": floats.F16,
    "bf16": floats.BF16,
    "e4m3": floats.E4M3,
    "e5m2": floats.E5M2,
    "e8m0": floats.E8M0,
    "e2m1": floats.E2M1,
}
ELEMENTS: dict[str, Element] = {
    **{f"u{bits}": Element(f"u{bits}", Kind.UNSIGNED, bits) for bits in (4, 8, 16, 32, 64)},
    **{f"s{bits}": Element(f"s{bits}", Kind.SIGNED, bits) for bits in (4, 8, 16, 32, 64)},
    **{f"b{bits}": Element(f"b{bits}", Kind.UNSIGNED, bits) for bits in (8, 16, 32, 64)},
    **{name: Element(name, Kind.FLOAT, form.bits, form) for name, form in _FLOATS.items()},
    "f32": Element("f32", Kind.FLOAT, 32),
    "f64": Element("f64", Kind.FLOAT, 64),
    "ptr": Element("ptr", Kind.ADDRESS, 64),
}
_NAME = re.compile(r"(?P<element>[a-z]+[0-9]+(?:m[0-9])?|ptr)(?:x(?P<lanes>2|4|8|16))?")
MAX_VECTOR_BYTES = 32


@dataclass(frozen=True)
class DType:
    """An element type, or several of them side by side."""

    element: Element
    lanes: int = 1

    @property
    def name(self) -> str:
        """The name as written in a spec."""
        return self.element.name if self.lanes == 1 else f"{self.element.name}x{self.lanes}"

    @property
    def size(self) -> int:
        """Bytes of one element."""
        return self.element.bits * self.lanes // 8

    @property
    def alignment(self) -> int:
        """Natural alignment in bytes."""
        return min(self.size, 16)

    def pack(self, codes: Array) -> Array:
        """Bytes of codes given lane by lane."""
        if self.element.bits >= 8:
            return np.ascontiguousarray(codes).view(np.uint8)
        pairs = codes.reshape(-1, 2)
        packed: Array = (pairs[:, 0] | (pairs[:, 1] << 4)).astype(np.uint8)
        return packed

    def unpack(self, data: Array) -> Array:
        """Codes, lane by lane, of bytes."""
        if self.element.bits >= 8:
            return np.ascontiguousarray(data).view(self.element.storage)
        return np.stack((data & 15, data >> 4), axis=1).ravel()


def parse_dtype(name: str) -> DType | None:
    """The type of a name such as `f32` or `bf16x2`; None if there is none."""
    match = _NAME.fullmatch(name)
    element = ELEMENTS.get(match["element"]) if match else None
    if match is None or element is None:
        return None
    dtype = DType(element, int(match["lanes"] or 1))
    is_whole = element.bits * dtype.lanes % 8 == 0
    is_plain = element.kind is not Kind.ADDRESS or dtype.lanes == 1
    return dtype if is_whole and is_plain and dtype.size <= MAX_VECTOR_BYTES else None


def edge_codes(element: Element) -> Array:
    """The codes at the edges of a type: zeros, ones, extremes and their neighbours."""
    if element.kind is not Kind.FLOAT:
        low, high = element.range
        values = [0, 1, high, low, high - 1, low + 1, high // 2, high // 2 + 1]
        return element.encode(np.array(sorted(set(values)), dtype=object))
    magnitudes = _edge_magnitudes(element)
    sign = 0 if element.format is not None and not element.format.signed else 1
    codes = magnitudes + [code | 1 << (element.bits - 1) for code in magnitudes if sign]
    return np.array(codes, dtype=element.storage)


def _edge_magnitudes(element: Element) -> list[int]:
    """Zero, least and largest subnormal, least normal, about one, largest, infinity, NaN."""
    mantissa = {32: 23, 64: 52}.get(element.bits, 0)
    infinity: int | None = {32: 0xFF << 23, 64: 0x7FF << 52}.get(element.bits)
    largest, nan = (infinity or 0) - 1, infinity and infinity | 1 << (mantissa - 1)
    if element.format is not None:
        mantissa, infinity = element.format.mantissa_bits, element.format.infinity
        largest, nan = element.format.largest, element.format.quiet_nan
    one = int(element.encode(np.array([1.0]))[0])
    normal = 1 << mantissa
    codes = [0, 1, normal - 1, normal, one - 1, one, one + 1, largest - 1, largest]
    return sorted({code for code in [*codes, infinity, nan] if code is not None and code >= 0})
