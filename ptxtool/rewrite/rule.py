"""A rewrite rule as one object: matching, proof, documentation and tests are derived from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from ptxtool.isa.terms import Term


class Safety(StrEnum):
    """What a rule asks of its user."""

    SAFE = "safe"  # bit for bit, proved for every type and constant class
    PROMISE = "promise"  # exact if a stated promise holds
    VALUE_CHANGING = "value-changing"  # opt-in, with an error bound


@dataclass(frozen=True)
class Constraint:
    """A condition on a constant `name` of a pattern at a width in bits.

    `holds` decides for one constant. A proof goes through `domain` when it lists every constant
    that can be meant, else it takes `general`, a term that stands for all of them.
    """

    name: str
    says: str
    holds: Callable[[int, int], bool]
    domain: Callable[[int], Iterable[int]] | None = None
    general: Callable[[int], Term] | None = None


@dataclass(frozen=True)
class Derived:
    """A constant of the replacement, computed from one of the pattern."""

    source: str
    says: str
    compute: Callable[[int, int], int]


@dataclass(frozen=True)
class Example:
    """PTX before and after; registers are declared by the test."""

    before: str
    after: str


@dataclass(frozen=True)
class Rule:
    """Templates over `$names`: lower case binds a register or literal, upper case in a modifier a
    word of `types`, upper case as an operand a constant.

    `types` lists every binding that is claimed, each with the width in bits of the constants as
    `"bits"`. `temps` names fresh registers and their types. `constants` gives the constants with
    their conditions.
    """

    name: str
    summary: str
    why: str
    pattern: str
    replace: str
    types: tuple[Mapping[str, str], ...]
    where: tuple[Constraint, ...] = ()
    derive: Mapping[str, Derived] = field(default_factory=dict)
    temps: Mapping[str, str] = field(default_factory=dict)
    safety: Safety = Safety.SAFE
    rewrites: tuple[Example, ...] = ()
    keeps: tuple[str, ...] = ()


# --- conditions on constants, and what is computed from them ---


def is_power_of_two(name: str) -> Constraint:
    """1, 2, 4 ... up to the highest bit of the type."""
    return Constraint(
        name,
        f"{name} is a power of two",
        lambda value, bits: 0 < value < 1 << bits and value & (value - 1) == 0,
        domain=lambda bits: [1 << shift for shift in range(bits)],
    )


def fits(name: str, narrow: int, *, signed: bool) -> Constraint:
    """The constant is the extension of its low `narrow` bits."""

    def holds(value: int, _bits: int) -> bool:
        if signed:
            return -(1 << (narrow - 1)) <= value < 1 << (narrow - 1)
        return 0 <= value < 1 << narrow

    def general(bits: int) -> Term:
        from ptxtool.isa import terms

        return terms.extend(terms.var(name, narrow), bits, signed)

    kind = "signed" if signed else "unsigned"
    return Constraint(name, f"{name} fits in {narrow} bits, {kind}", holds, general=general)


def log2(source: str) -> Derived:
    """The exponent of a power of two."""
    return Derived(source, f"log2({source})", lambda value, _bits: value.bit_length() - 1)


def minus_one(source: str) -> Derived:
    """One less: the mask of a power of two."""
    return Derived(source, f"{source} - 1", lambda value, _bits: value - 1)


def same(source: str) -> Derived:
    """The constant itself, in a narrower operand."""
    return Derived(source, source, lambda value, _bits: value)
