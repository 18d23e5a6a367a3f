"""How many registers are live at once, on the level of PTX.

This is not what ptxas allocates: ptxas reorders, folds and recomputes. The figure says where in
the PTX values pile up, and every report carries that label.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ptxtool import ir

LABEL = "live registers of the PTX, not registers allocated by ptxas"


@dataclass(frozen=True)
class LinePressure:
    """One PTX line: the most that is live at any of its instructions."""

    line: int  # 1-based
    registers: int  # 32-bit units; a 64-bit value takes 2
    predicates: int
    text: str


@dataclass(frozen=True)
class Pressure:
    """The pressure of one function; lines in order, `hottest` by falling pressure."""

    kernel: str
    peak_registers: int  # 32-bit units
    peak_predicates: int
    per_line: tuple[LinePressure, ...]
    hottest: tuple[LinePressure, ...]
    label: str = LABEL


def pressure(function: ir.Function, *, hottest: int = 10) -> Pressure:
    """Peak and per-line live registers. A definition that is never read still takes a register."""
    counts = _by_line(function)
    text = function.module.source.line_text
    lines = tuple(LinePressure(n, *counts[n], text(n).strip()) for n in sorted(counts))
    ranked = sorted(lines, key=lambda item: (-item.registers, item.line))
    return Pressure(
        kernel=function.name,
        peak_registers=max((item.registers for item in lines), default=0),
        peak_predicates=max((item.predicates for item in lines), default=0),
        per_line=lines,
        hottest=tuple(ranked[:hottest]),
    )


def _by_line(function: ir.Function) -> dict[int, tuple[int, int]]:
    """Line -> (32-bit units, predicates)."""
    weights, predicates = _weights(function.registers)
    counts: dict[int, tuple[int, int]] = {}
    for instruction, mask in zip(function.instructions, function.live_masks, strict=True):
        live = mask | _mask(instruction.writes)
        units = sum(weight * (live & group).bit_count() for weight, group in weights)
        old = counts.get(instruction.line, (0, 0))
        flags = (live & predicates).bit_count()
        counts[instruction.line] = max(old[0], units), max(old[1], flags)
    return counts


def _weights(registers: Sequence[ir.Register]) -> tuple[list[tuple[int, int]], int]:
    """Masks of the registers by their size in units, and the mask of the predicates."""
    groups: defaultdict[int, int] = defaultdict(int)
    for register in registers:
        if not register.is_special:
            groups[register.units] |= 1 << register.number
    predicates = groups.pop(0, 0)
    return sorted(groups.items()), predicates


def _mask(registers: Iterable[ir.Register]) -> int:
    mask = 0
    for register in registers:
        if register.number >= 0:
            mask |= 1 << register.number
    return mask
