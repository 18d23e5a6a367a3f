"""The fundamental and packed types of PTX and their widths in bits."""

from __future__ import annotations

BITS: dict[str, int] = {
    "pred": 1,
    **{f"{kind}{width}": width for kind in "bus" for width in (8, 16, 32, 64)},
    "b128": 128,
    "f16": 16,
    "bf16": 16,
    "tf32": 32,
    "f32": 32,
    "f64": 64,
    "f16x2": 32,
    "bf16x2": 32,
    "f32x2": 64,
    "u16x2": 32,
    "s16x2": 32,
    "e4m3": 8,
    "e5m2": 8,
    "e4m3x2": 16,
    "e5m2x2": 16,
    "e2m1x2": 8,
    "e2m3x2": 16,
    "e3m2x2": 16,
    "ue8m0x2": 16,
    "e4m3x4": 32,
    "e5m2x4": 32,
    "e2m1x4": 16,
    "e2m3x4": 32,
    "e3m2x4": 32,
    "ue8m0": 8,
    "e2m1": 4,
    "e2m3": 6,
    "e3m2": 6,
    "s4": 4,
    "u4": 4,
    "b1": 1,
    "b1024": 1024,
}
"""Width of a type in bits. Source: PTX ISA, fundamental types and packed data types."""

INTEGER = frozenset(f"{kind}{width}" for kind in "bus" for width in (8, 16, 32, 64))
HALF = frozenset({"f16", "bf16", "f16x2", "bf16x2"})
FLOAT = HALF | {"f32", "f64", "tf32", "f32x2"}
SPACES = ("const", "global", "local", "param", "shared", "tex")


def is_type(modifier: str) -> bool:
    """Whether a modifier names a type."""
    return modifier in BITS


def is_signed(name: str) -> bool:
    """Whether a type is a signed integer (or packed signed integers)."""
    return name[0] == "s"


def space_of(modifiers: tuple[str, ...]) -> str | None:
    """The state space that modifiers name, None for generic; `shared::cta` counts as shared."""
    for modifier in modifiers:
        base = modifier.partition("::")[0]
        if base in SPACES:
            return base
    return None
