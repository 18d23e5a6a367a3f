"""What the table says of an opcode, and of one form of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Flag, auto

from ptxtool.isa.semantics import Meaning


class Effect(Flag):
    """What an instruction does besides writing its destinations."""

    NONE = 0
    READS_MEMORY = auto()
    WRITES_MEMORY = auto()
    CONTROL = auto()
    SYNCHRONISES = auto()  # a barrier or fence: memory operations do not move across
    ASYNCHRONOUS = auto()  # goes on after the instruction
    CONVERGENT = auto()  # the lanes of a warp take part together
    WRITES_CARRY = auto()
    READS_CARRY = auto()
    CHANGES_MACHINE = auto()  # registers of the warp, stack, sleep, dependent grids


ALL_EFFECTS = ~Effect.NONE
Classify = Callable[[Sequence[str]], str]


@dataclass(frozen=True)
class Op:
    """One opcode. `mix` names its class in the instruction mix, from its modifiers.

    `destinations` counts the leading operands that are written; an address is never one of them.
    `accumulates` says that the first operand is read, too.
    """

    name: str
    summary: str
    mix: str | Classify
    destinations: int = 1
    effects: Effect = Effect.NONE
    latency: str = "alu"
    accumulates: bool = False
    none_written_by: frozenset[str] = frozenset()  # modifiers with which nothing is written
    written_by: frozenset[str] = frozenset()  # the only modifiers with which something is written


@dataclass(frozen=True)
class Form:
    """One opcode with its modifiers: what the analyses ask."""

    op: Op
    modifiers: tuple[str, ...]
    destinations: int
    types: tuple[str, ...]
    effects: Effect
    latency_class: str
    mix_class: str
    semantics: Meaning | None = field(repr=False, default=None)

    @property
    def accumulates(self) -> bool:
        """Whether the destination is read as well."""
        return self.op.accumulates

    @property
    def is_pure(self) -> bool:
        """Whether it does nothing but compute its destinations."""
        return self.effects == Effect.NONE
