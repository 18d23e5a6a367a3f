"""Look an instruction form up: the only way from opcode and modifiers to a Form."""

from __future__ import annotations

from functools import cache

from ptxtool.isa.forms import Effect, Form, Op, Role, Row, Signature
from ptxtool.isa.ops import arithmetic, logic, memory, parallel, tensor, video
from ptxtool.isa.types import HALF, is_type, space_of

_FAMILIES = (arithmetic, logic, memory, parallel, tensor, video)

OPS: dict[str, Op] = {op.name: op for family in _FAMILIES for op in family.OPS}
"""The opcodes of PTX ISA 9.x."""

_ORDERED = frozenset({"acquire", "release", "acq_rel", "sc"})
_STRONG = frozenset({"volatile", "mmio", "relaxed"})
_MEMORY = frozenset({Effect.READ, Effect.WRITE})


@cache
def lookup(opcode: str, modifiers: tuple[str, ...], operand_count: int) -> Form | None:
    """The form of an instruction, None when the table has none: nothing is known of it then.

    Modifiers come without dots. Modifiers that no form has are not refused here.
    """
    op = OPS.get(opcode)
    if op is None:
        return None
    rows = (row for row in op.rows if row.matches(modifiers, operand_count))
    found = next(rows, None)
    return None if found is None else _form(opcode, modifiers, operand_count, found)


def _form(opcode: str, modifiers: tuple[str, ...], count: int, row: Row) -> Form:
    types = tuple(name for name in modifiers if is_type(name))
    signature = Signature(opcode, modifiers, types, count)
    effects = row.effects | _ordering(modifiers) if row.effects & _MEMORY else row.effects
    space = (space_of(modifiers) or "generic") if row.effects & _MEMORY else None
    return Form(
        opcode=opcode,
        modifiers=modifiers,
        roles=_roles(row.roles, count),
        types=types,
        effects=effects,
        space=space,
        latency_class=_latency_class(row, types, space),
        mix_class=_mix_class(row, types, space),
        semantics=row.meaning(signature) if row.meaning else None,
        carry_in=opcode in {"addc", "subc", "madc"},
        carry_out="cc" in modifiers,
    )


def _ordering(modifiers: tuple[str, ...]) -> frozenset[Effect]:
    """What memory-model modifiers add: no such access may go, be doubled or change places."""
    if _ORDERED.intersection(modifiers):
        return frozenset({Effect.VOLATILE, Effect.BARRIER})
    return frozenset({Effect.VOLATILE}) if _STRONG.intersection(modifiers) else frozenset()


def _roles(letters: str, count: int) -> tuple[Role, ...]:
    filled = letters or "r"
    # The letter that serves further operands never writes: `w` alone is followed by reads.
    rest = "r" if filled[-1] in "wx" else filled[-1]
    padded = filled[:count] + rest * (count - len(filled))
    return tuple(Role(letter) for letter in padded)


def _kind(types: tuple[str, ...]) -> str:
    names = set(types)
    if names & HALF:
        return "float16"
    if "f64" in names:
        return "float64"
    return "float32" if names & {"f32", "f32x2", "tf32"} else "integer"


def _mix_class(row: Row, types: tuple[str, ...], space: str | None) -> str:
    if row.mix in {"load", "store", "atomic"}:
        return f"{space or 'generic'} {row.mix}"
    return row.mix or _kind(types)


def _latency_class(row: Row, types: tuple[str, ...], space: str | None) -> str:
    if row.latency in {"load", "store", "atomic"}:
        return f"{space or 'generic'} {row.latency}"
    kind = _kind(types)
    if row.latency in {"integer", "multiply", "divide", "float", "special"} and kind != "integer":
        return f"{kind} {row.latency}" if row.latency in {"divide", "special"} else kind
    return row.latency
