"""Video instructions: scalar and packed arithmetic on bytes and half-words."""

from __future__ import annotations

from ptxtool.isa.forms import Op
from ptxtool.isa.ops.rows import pure

_NAMES = {
    "vadd": "Sum",
    "vsub": "Difference",
    "vabsdiff": "Absolute difference",
    "vmin": "Least",
    "vmax": "Greatest",
    "vset": "Comparison",
    "vavrg": "Average",
}
_PACKED = [(name, lanes) for name in _NAMES for lanes in "24"]

OPS: tuple[Op, ...] = (
    *(
        pure(name, f"{word} with secondary operation.", "wr", "video", "video")
        for name, word in _NAMES.items()
        if name != "vavrg"
    ),
    *(
        pure(name + lanes, f"{_NAMES[name]} of {lanes} packed values.", "wr", "video", "video")
        for name, lanes in _PACKED
    ),
    pure("vshl", "Shift left with secondary operation.", "wr", "video", "video"),
    pure("vshr", "Shift right with secondary operation.", "wr", "video", "video"),
    pure("vmad", "Product plus addend.", "wr", "video", "video"),
)
