"""The launch view of a parsed kernel: its parameters and the block size it asks for."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from ptxtool.launch.parameters import KernelParameter

if TYPE_CHECKING:  # so that launching needs no parser: a GPU bundle carries none
    from ptxtool.syntax import nodes

_BITS = re.compile(r"[a-z]+?(\d+)(?:x(\d+))?")
_BLOCK_DIRECTIVES = ("reqntid", "maxntid")
OPAQUE_BYTES = 8  # .texref, .surfref and .samplerref parameters are 64-bit handles


def parameters_of(kernel: nodes.Function) -> tuple[KernelParameter, ...]:
    """The parameters of an entry, in order."""
    return tuple(_parameter(item) for item in kernel.parameters)


def _parameter(item: nodes.VariableDeclaration) -> KernelParameter:
    type = item.type.lstrip(".")
    match = _BITS.fullmatch(type)
    element = OPAQUE_BYTES
    if match is not None:
        element = int(match[1]) * int(match[2] or 1) // 8
    size = element * math.prod(extent or 0 for extent in item.shape)
    says_pointer = item.pointer_space is not None or item.pointer_alignment is not None
    return KernelParameter(
        name=item.name,
        type=type,
        size=size,
        alignment=item.alignment or element,
        is_pointer=True if says_pointer else None,
        pointer_alignment=item.pointer_alignment,
    )


def block_threads(kernel: nodes.Function) -> int | None:
    """Threads of a block by .reqntid, else .maxntid; None if it has neither."""
    for name in _BLOCK_DIRECTIVES:
        directive = kernel.directive(name)
        if directive is not None:
            return math.prod(int(str(value), 0) for value in directive.values)
    return None
