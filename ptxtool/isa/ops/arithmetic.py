"""Integer and floating-point arithmetic, comparison and selection."""

from __future__ import annotations

from ptxtool.isa import meaning
from ptxtool.isa.forms import Op
from ptxtool.isa.ops.rows import pure

_SPECIAL = {
    "rcp": "Reciprocal.",
    "sqrt": "Square root.",
    "rsqrt": "Reciprocal square root.",
    "sin": "Sine.",
    "cos": "Cosine.",
    "lg2": "Base-2 logarithm.",
    "ex2": "Base-2 power.",
    "tanh": "Hyperbolic tangent.",
}

OPS: tuple[Op, ...] = (
    pure("add", "Sum.", meaning=meaning.add),
    pure("sub", "Difference.", meaning=meaning.subtract),
    pure("addc", "Sum with carry in."),
    pure("subc", "Difference with borrow in."),
    pure("mul", "Product; .lo, .hi or .wide.", latency="multiply", meaning=meaning.mul),
    pure("mad", "Product plus addend.", latency="multiply", meaning=meaning.mad),
    pure("madc", "Product plus addend with carry in.", latency="multiply"),
    pure("mul24", "Product of 24-bit values.", latency="multiply", meaning=meaning.mul24),
    pure("mad24", "24-bit product plus addend.", latency="multiply", meaning=meaning.mad24),
    pure("sad", "Absolute difference plus addend.", meaning=meaning.sad),
    pure("div", "Quotient.", latency="divide", meaning=meaning.div),
    pure("rem", "Remainder.", latency="divide", meaning=meaning.rem),
    pure("abs", "Absolute value.", meaning=meaning.absolute),
    pure("neg", "Negation.", meaning=meaning.negate),
    pure("min", "Least.", meaning=meaning.minimum),
    pure("max", "Greatest.", meaning=meaning.maximum),
    pure("fma", "Fused multiply-add.", latency="float", meaning=meaning.opaque),
    *(
        pure(name, summary, latency="special", mix="special function", meaning=meaning.opaque)
        for name, summary in _SPECIAL.items()
    ),
    pure("testp", "Test a floating-point property.", mix="compare"),
    pure("copysign", "Sign of one value on another.", meaning=meaning.copysign),
    pure("dp4a", "Byte dot product.", latency="multiply", meaning=meaning.dp4a),
    pure("dp2a", "Two-way dot product.", latency="multiply"),
    pure("setp", "Compare into one or two predicates.", mix="compare", meaning=meaning.setp),
    pure("set", "Compare into a number.", mix="compare", meaning=meaning.set_),
    pure("selp", "Select by predicate.", mix="move", meaning=meaning.selp),
    pure("slct", "Select by sign.", mix="move", meaning=meaning.slct),
)
