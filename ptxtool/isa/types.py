"""The fundamental types of PTX and their widths."""

from __future__ import annotations

WIDTHS: dict[str, int] = {
    **{f"{kind}{bits}": bits for kind in "busf" for bits in (8, 16, 32, 64)},
    "b128": 128,
    "u128": 128,
    "s128": 128,
    "f16x2": 32,
    "bf16": 16,
    "bf16x2": 32,
    "tf32": 32,
    "f32x2": 64,
    "e4m3": 8,
    "e5m2": 8,
    "e4m3x2": 16,
    "e5m2x2": 16,
    "e2m1x2": 8,
    "e2m3x2": 16,
    "e3m2x2": 16,
    "e4m3x4": 32,
    "e5m2x4": 32,
    "e2m3x4": 32,
    "e3m2x4": 32,
    "e2m1x4": 16,
    "ue8m0x2": 16,
    "u16x2": 32,
    "s16x2": 32,
    "u8x4": 32,
    "s8x4": 32,
    "e2m1": 4,
    "e2m3": 6,
    "e3m2": 6,
    "s4": 4,
    "u4": 4,
    "b4": 4,
    "b1": 1,
    "pred": 1,
}
del WIDTHS["f8"]

FLOATS = {name for name in WIDTHS if name[0] in "fe" or name.startswith(("bf16", "tf32", "ue8m0"))}


def is_type(word: str) -> bool:
    """Whether a modifier is a type."""
    return word in WIDTHS


def width(name: str) -> int:
    """Bits of a type. Raises KeyError for what is none."""
    return WIDTHS[name]


def is_signed(name: str) -> bool:
    """Whether a type is a signed integer."""
    return name[0] == "s"


def is_float(name: str) -> bool:
    """Whether a type is a floating-point one, packed ones included."""
    return name in FLOATS


def register_units(name: str) -> int:
    """32-bit registers that a value takes; predicates take none (they are counted apart)."""
    return 0 if name == "pred" else max(1, width(name) // 32)
