"""A function as passes see it: instructions with their registers, blocks, and the flow of values.

Contract: every instruction of the body is there, in order; registers are resolved by scope; facts
that cost time (dominators, liveness, reaching definitions) are computed on first use.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ptxtool.core.diagnostics import Diagnostic
from ptxtool.ir.dataflow import Liveness, Reaching
from ptxtool.ir.loops import Loop, dominators, find_loops
from ptxtool.ir.register import Register
from ptxtool.isa import Form
from ptxtool.syntax import nodes

ENTRY = -1
"""The definition index that stands for the value at the entry of the function."""


@dataclass(slots=True, eq=False)
class Instruction:
    """One instruction. A guarded write and an unknown form also read what they may write."""

    index: int
    node: nodes.Instruction
    form: Form | None
    reads: tuple[Register, ...]
    writes: tuple[Register, ...]
    guard: Register | None
    line: int
    kills: bool  # whether its writes surely happen
    block: int = -1


@dataclass(slots=True, eq=False)
class Block:
    """Instructions [start, stop) that run together; edges are block indices."""

    index: int
    start: int
    stop: int
    successors: tuple[int, ...] = ()
    predecessors: tuple[int, ...] = ()
    loop_depth: int = 0
    labels: tuple[str, ...] = ()


@dataclass(eq=False)
class Function:
    """A bound function with its control flow; block 0 is the entry."""

    name: str
    node: nodes.Function
    module: nodes.Module
    instructions: list[Instruction]
    blocks: list[Block]
    registers: tuple[Register, ...]
    diagnostics: tuple[Diagnostic, ...] = ()
    labels: dict[str, int] = field(default_factory=dict)

    @cached_property
    def dominators(self) -> tuple[int | None, ...]:
        """Immediate dominator of each block; None for the entry and unreachable blocks."""
        return dominators([block.successors for block in self.blocks])

    @cached_property
    def loops(self) -> tuple[Loop, ...]:
        """Natural loops, one per header, by header index."""
        return find_loops([block.successors for block in self.blocks], self.dominators)

    @cached_property
    def _liveness(self) -> Liveness:
        return Liveness(self.instructions, self.blocks, self.registers)

    @cached_property
    def _reaching(self) -> Reaching:
        return Reaching(self.instructions, self.blocks, len(self.registers))

    def liveness(self) -> Sequence[frozenset[Register]]:
        """The registers that are live after each instruction, made into sets on demand."""
        return self._liveness

    @property
    def live_out(self) -> Sequence[frozenset[Register]]:
        """As `liveness()`."""
        return self._liveness

    @property
    def live_masks(self) -> Sequence[int]:
        """As `live_out`, as bits by `Register.number`."""
        return self._liveness.masks

    def reaching(self, index: int, register: Register) -> frozenset[int]:
        """Indices of the instructions whose value of `register` may arrive at instruction `index`.

        ENTRY among them: the register may still be unwritten there.
        """
        return self._reaching.before(index, register)

    def uses(self, definition: int) -> frozenset[int]:
        """Indices of the instructions that may read what instruction `definition` wrote."""
        return self._reaching.uses(definition)
