"""What the table says of an opcode, and what a lookup answers for one instruction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from ptxtool.isa.terms import Term


class Effect(StrEnum):
    """What an instruction does beside writing its destinations."""

    READ = "memory read"
    WRITE = "memory write"
    ATOMIC = "atomic"
    ASYNC = "async"
    BARRIER = "barrier"
    CONTROL = "control"
    CONVERGENT = "convergent"  # its result depends on which lanes execute it together
    VOLATILE = "volatile"  # may not be removed, repeated or reordered with its like


class Role(StrEnum):
    """What an instruction does with one operand; registers inside an address are read."""

    WRITE = "w"
    READ = "r"
    UPDATE = "x"  # read and written, such as the accumulator of wgmma
    ADDRESS = "m"
    NAME = "l"  # a label, function or table of labels
    CALL = "c"  # of call: results, target, arguments, prototype, told apart by their brackets


Results = Callable[[Sequence[Term]], tuple[Term, ...]]


@dataclass(frozen=True)
class Meaning:
    """What a form computes.

    `bits` gives the width of every operand, destinations first (a `p|q` or `d|p` counts as two
    destinations); calling it with the terms of the source operands gives one term per destination.
    """

    bits: tuple[int, ...]
    destinations: int
    results: Results

    def __call__(self, sources: Sequence[Term]) -> tuple[Term, ...]:
        """Raises ValueError when the sources do not have the declared widths."""
        widths = tuple(term.width for term in sources)
        if widths != self.bits[self.destinations :]:
            raise ValueError(f"sources of {widths} bits, not {self.bits[self.destinations :]}")
        return self.results(sources)


@dataclass(frozen=True)
class Signature:
    """The written form that a meaning is asked for; `types` are the types among the modifiers."""

    opcode: str
    modifiers: tuple[str, ...]
    types: tuple[str, ...]
    count: int

    def has(self, *names: str) -> bool:
        """Whether any of these modifiers is there."""
        return any(name in self.modifiers for name in names)

    def only(self, *names: str) -> bool:
        """Whether these and types are all the modifiers there are: no unknown one is ignored."""
        return all(name in names or name in self.types for name in self.modifiers)


MeaningOf = Callable[[Signature], "Meaning | None"]


@dataclass(frozen=True)
class Row:
    """One kind of form: it matches when all of `when` are among the modifiers.

    `roles` has a letter of Role per operand; the last letter serves all further operands.
    """

    roles: str
    when: tuple[str, ...] = ()
    effects: frozenset[Effect] = frozenset()
    latency: str = "integer"
    mix: str | None = None  # None: from the type
    meaning: MeaningOf | None = None
    without: tuple[str, ...] = ()

    def matches(self, modifiers: tuple[str, ...], count: int) -> bool:
        """Whether an instruction with these modifiers and so many operands is of this kind."""
        if any(name not in modifiers for name in self.when):
            return False
        if any(name in modifiers for name in self.without):
            return False
        return count >= sum(role in "wx" for role in self.roles)


@dataclass(frozen=True)
class Op:
    """An opcode: its name, what it does in one line, and its rows; the first that matches holds."""

    name: str
    summary: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Form:
    """All that is known of one written instruction form."""

    opcode: str
    modifiers: tuple[str, ...]
    roles: tuple[Role, ...]
    types: tuple[str, ...]
    effects: frozenset[Effect]
    space: str | None  # of the memory it touches: "global", ..., "generic"; None for none
    latency_class: str
    mix_class: str
    semantics: Meaning | None = field(compare=False)
    carry_in: bool = False
    carry_out: bool = False

    @property
    def type(self) -> str | None:
        """The last type written, which is the one of the sources; None without a type."""
        return self.types[-1] if self.types else None

    @property
    def destinations(self) -> int:
        """How many leading operands are written (`p|q` is one operand)."""
        return sum(role in (Role.WRITE, Role.UPDATE) for role in self.roles)

    @property
    def is_pure(self) -> bool:
        """Whether it only computes its destinations from its sources."""
        return not self.effects
