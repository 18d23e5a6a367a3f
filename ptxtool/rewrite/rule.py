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
    samples: Callable[[int], Iterable[int]] | None = None  # what the tests prove of a per-site rule


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
    per_site: bool = False  # each site is proved with its constants before it is rewritten
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


def magic(divisor: int, bits: int) -> tuple[int, int] | None:
    """(multiplier, shift) with n / divisor = (n * multiplier) >> (bits + shift) for every n.

    The multiplier must fit the type; None where it would need one bit more (Granlund and
    Montgomery 1994). Whether the pair is right is proved at each site, not here.
    """
    for shift in range(bits):
        power = 1 << (bits + shift)
        multiplier = -(-power // divisor)
        if multiplier >= 1 << bits:
            return None
        if multiplier * divisor - power <= 1 << shift:
            return multiplier, shift
    return None


def has_magic(name: str) -> Constraint:
    """No power of two, and a multiplier of the type's width exists."""

    def holds(value: int, bits: int) -> bool:
        if not 2 < value < 1 << bits or value & (value - 1) == 0:
            return False
        return magic(value, bits) is not None

    def samples(bits: int) -> Iterable[int]:
        near = [3, 5, 6, 9, 10, 11, 12, 13, 15, 25, 48, 60, 100, 125, 641, 1000, 3600, 10_000]
        return [value for value in (*near, (1 << bits) - 1, (1 << bits) // 3) if holds(value, bits)]

    return Constraint(name, f"{name} has a multiplier of the type's width", holds, samples=samples)


def multiplier(source: str) -> Derived:
    """The multiplier that replaces a division."""
    return Derived(source, f"multiplier({source})", lambda value, bits: _magic(value, bits)[0])


def multiplier_shift(source: str) -> Derived:
    """The shift behind that multiplier."""
    return Derived(source, f"shift({source})", lambda value, bits: _magic(value, bits)[1])


def _magic(value: int, bits: int) -> tuple[int, int]:
    found = magic(value, bits)
    assert found is not None
    return found
