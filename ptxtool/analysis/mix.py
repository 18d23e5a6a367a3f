"""What kinds of instruction a function is made of, on the level of PTX."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from ptxtool import ir

TRIPS_PER_LOOP = 10
"""Iterations assumed per loop level for the weighted column; an assumption, not a measurement."""

UNKNOWN = "unknown"
"""The class of instructions that the opcode table does not know."""


@dataclass(frozen=True)
class MixClass:
    """One class of instructions."""

    name: str
    count: int  # as written
    weighted: int  # each times TRIPS_PER_LOOP ** loop depth


@dataclass(frozen=True)
class InstructionMix:
    """The classes by falling weight."""

    kernel: str
    classes: tuple[MixClass, ...]
    total: int
    weighted_total: int
    trips_per_loop: int = TRIPS_PER_LOOP

    def count(self, name: str) -> int:
        """Instructions of a class, 0 when there are none."""
        return next((item.count for item in self.classes if item.name == name), 0)


def instruction_mix(function: ir.Function) -> InstructionMix:
    """Count the instructions by the mix class of their form."""
    counts: Counter[str] = Counter()
    weights: Counter[str] = Counter()
    for block in function.blocks:
        weight = TRIPS_PER_LOOP**block.loop_depth
        for instruction in function.instructions[block.start : block.stop]:
            name = instruction.form.mix_class if instruction.form else UNKNOWN
            counts[name] += 1
            weights[name] += weight
    order = sorted(counts, key=lambda name: (-weights[name], name))
    classes = tuple(MixClass(name, counts[name], weights[name]) for name in order)
    return InstructionMix(function.name, classes, counts.total(), weights.total())
