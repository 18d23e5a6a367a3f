"""The table of opcodes, put together from its families, and the look-up of one form."""

from __future__ import annotations

from functools import lru_cache

from ptxtool.isa.model import Effect, Form, Op
from ptxtool.isa.ops import arithmetic, control, memory
from ptxtool.isa.semantics import MEANINGS
from ptxtool.isa.types import is_type

OPS: dict[str, Op] = {op.name: op for family in (arithmetic, memory, control) for op in family.OPS}


@lru_cache(maxsize=1 << 14)
def lookup(opcode: str, modifiers: tuple[str, ...], operand_count: int = 0) -> Form | None:
    """What the table says of an instruction, or None when the opcode is unknown."""
    op = OPS.get(opcode)
    if op is None:
        return None
    mix = op.mix if isinstance(op.mix, str) else op.mix(modifiers)
    return Form(
        op,
        modifiers,
        min(_destinations(op, modifiers), operand_count),
        tuple(word for word in modifiers if is_type(word)),
        _effects(op, modifiers),
        op.latency,
        mix,
        MEANINGS.get(opcode),
    )


def _destinations(op: Op, modifiers: tuple[str, ...]) -> int:
    words = set(modifiers)
    if op.none_written_by & words or (op.written_by and not op.written_by & words):
        return 0
    return op.destinations


def _effects(op: Op, modifiers: tuple[str, ...]) -> Effect:
    effects = op.effects
    if "cc" in modifiers:
        effects |= Effect.WRITES_CARRY
    if "volatile" in modifiers or "mmio" in modifiers:
        effects |= Effect.SYNCHRONISES
    if {"acquire", "release", "acq_rel"} & set(modifiers):
        effects |= Effect.SYNCHRONISES
    return effects
