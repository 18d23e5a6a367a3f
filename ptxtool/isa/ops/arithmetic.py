"""Integer and floating-point arithmetic, logic, comparison and conversion."""

from __future__ import annotations

from collections.abc import Sequence

from ptxtool.isa.model import Effect, Op
from ptxtool.isa.types import is_float, is_type


def by_type(modifiers: Sequence[str]) -> str:
    """The arithmetic class of the first type that is named."""
    types = [word for word in modifiers if is_type(word)]
    floats = [word for word in types if is_float(word)]
    if not floats:
        return "integer 64" if any(word.endswith("64") for word in types) else "integer"
    if any(word == "f64" for word in floats):
        return "float 64"
    return "float 32" if any(word in ("f32", "f32x2") for word in floats) else "float 16"


def _arithmetic(name: str, summary: str, **more: object) -> Op:
    return Op(name, summary, by_type, **more)  # type: ignore[arg-type]


OPS = [
    _arithmetic("add", "Add.", latency="fma"),
    _arithmetic("sub", "Subtract.", latency="fma"),
    _arithmetic("mul", "Multiply; .lo, .hi or .wide of integers.", latency="fma"),
    _arithmetic("mad", "Multiply and add.", latency="fma"),
    _arithmetic("fma", "Fused multiply and add.", latency="fma"),
    _arithmetic("mul24", "Multiply the low 24 bits."),
    _arithmetic("mad24", "Multiply the low 24 bits and add."),
    _arithmetic("addc", "Add with carry in.", effects=Effect.READS_CARRY),
    _arithmetic("subc", "Subtract with borrow in.", effects=Effect.READS_CARRY),
    _arithmetic("madc", "Multiply and add with carry in.", effects=Effect.READS_CARRY),
    _arithmetic("div", "Divide; expands to a sequence.", latency="expanded"),
    _arithmetic("rem", "Remainder; expands to a sequence.", latency="expanded"),
    _arithmetic("abs", "Absolute value."),
    _arithmetic("neg", "Negate."),
    _arithmetic("min", "Minimum."),
    _arithmetic("max", "Maximum."),
    _arithmetic("sad", "Sum of absolute differences."),
    _arithmetic("dp4a", "Dot product of four bytes, accumulated."),
    _arithmetic("dp2a", "Dot product of two halves, accumulated."),
    _arithmetic("copysign", "Copy a sign."),
    _arithmetic("testp", "Test a property of a float."),
    _arithmetic("popc", "Count set bits.", latency="xu"),
    _arithmetic("clz", "Count leading zeros.", latency="xu"),
    _arithmetic("bfind", "Find the highest set bit.", latency="xu"),
    _arithmetic("fns", "Find the n-th set bit.", latency="expanded"),
    _arithmetic("brev", "Reverse bits.", latency="xu"),
    _arithmetic("bfe", "Extract a bit field."),
    _arithmetic("bfi", "Insert a bit field."),
    _arithmetic("bmsk", "Make a bit mask."),
    _arithmetic("szext", "Extend from a bit."),
    *(
        Op(name, summary, "logic")
        for name, summary in {
            "and": "Bitwise and.",
            "or": "Bitwise or.",
            "xor": "Bitwise exclusive or.",
            "not": "Bitwise complement.",
            "cnot": "Logical complement.",
            "lop3": "Any function of three bits, by its truth table.",
            "shl": "Shift left; the amount clamps at the width.",
            "shr": "Shift right, arithmetic for signed types; the amount clamps at the width.",
            "shf": "Funnel shift.",
            "prmt": "Pick bytes of two registers.",
        }.items()
    ),
    *(
        Op(name, summary, "compare and select")
        for name, summary in {
            "setp": "Compare into predicates.",
            "set": "Compare into a register.",
            "selp": "Select by a predicate.",
            "slct": "Select by a sign.",
        }.items()
    ),
    Op("mov", "Copy a value, an address, or pack and unpack.", "move"),
    Op("cvt", "Convert between types.", "convert", latency="xu"),
    Op("cvta", "Convert between generic and specific addresses.", "address"),
    Op("isspacep", "Test which space a generic address lies in.", "address"),
    Op("istypep", "Test the type of an opaque value.", "address"),
    *(
        Op(name, summary, "special function", latency="xu")
        for name, summary in {
            "rcp": "Reciprocal.",
            "sqrt": "Square root.",
            "rsqrt": "Reciprocal square root.",
            "sin": "Sine, approximate.",
            "cos": "Cosine, approximate.",
            "lg2": "Base-2 logarithm, approximate.",
            "ex2": "Base-2 exponential, approximate.",
            "tanh": "Hyperbolic tangent, approximate.",
        }.items()
    ),
]

_VIDEO = [
    f"v{name}{lanes}"
    for name in ("add", "sub", "absdiff", "min", "max", "set", "avrg")
    for lanes in ("", "2", "4")
    if not (name == "avrg" and not lanes)
]
OPS += [
    Op(name, "Video instruction on parts of words.", "video")
    for name in [*_VIDEO, "vshl", "vshr", "vmad"]
]
