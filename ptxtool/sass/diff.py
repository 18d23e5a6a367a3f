"""Comparing two functions: a verdict that is never better than the truth, and the changed places.

`identical` means the same encodings; `renamed` the same values made by the same instructions in
the same order under the same control words; `reordered` the same dependence graph in each block,
where order, registers and control words may differ; whatever was not shown gets a stronger verdict.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace
from enum import StrEnum

from ptxtool.sass.model import Function, Instruction
from ptxtool.sass.normalise import CONTROL_BITS, Normal, normalise
from ptxtool.sass.values import blocks_agree


class FunctionVerdict(StrEnum):
    """From no change to the largest."""

    IDENTICAL = "identical"
    RENAMED = "renamed only"
    REORDERED = "reordered"
    CONTROL = "control words only"
    OPERANDS = "operands changed"
    INSTRUCTIONS = "instructions changed"


@dataclass(frozen=True)
class Hunk:
    """Changed instructions [a_start, a_stop) of the first and [b_start, b_stop) of the second."""

    a_start: int
    a_stop: int
    b_start: int
    b_stop: int


@dataclass(frozen=True)
class FunctionDiff:
    """The comparison of one function; counts are instructions."""

    name: str
    verdict: FunctionVerdict
    hunks: tuple[Hunk, ...]
    before: tuple[Instruction, ...]
    after: tuple[Instruction, ...]
    removed: int
    added: int
    changed_operands: int
    changed_control: int


def diff(a: Function, b: Function) -> FunctionDiff:
    """Compare two functions of one target."""
    first, second = normalise(a), normalise(b)
    pairs, hunks = _align(first, second)
    operands = sum(first[i].text != second[j].text for i, j in pairs)
    control = sum(_control(first[i]) != _control(second[j]) for i, j in pairs)
    removed = len(first) - len(pairs)
    added = len(second) - len(pairs)
    verdict = _verdict(a, b, first, second)
    return FunctionDiff(
        a.name,
        verdict,
        () if verdict is FunctionVerdict.IDENTICAL else tuple(hunks),
        tuple(a.instructions),
        tuple(b.instructions),
        removed,
        added,
        operands,
        control,
    )


def _verdict(
    a: Function, b: Function, first: list[Normal], second: list[Normal]
) -> FunctionVerdict:
    if [n.text for n in first] == [n.text for n in second]:
        differing = [x.encoding ^ y.encoding for x, y in zip(first, second, strict=True)]
        if not any(differing):
            return FunctionVerdict.IDENTICAL
        # Text does not show every operand: on sm_80 a descriptor is in the encoding only.
        if not any(bits & ~CONTROL_BITS for bits in differing):
            return FunctionVerdict.CONTROL
    agreed = blocks_agree(a, b)
    if agreed is not None and all(agreed):
        in_place = [n.shape for n in first] == [n.shape for n in second]
        if in_place and _same_controls(first, second):
            return FunctionVerdict.RENAMED
        return FunctionVerdict.REORDERED
    if [n.opcode for n in first] == [n.opcode for n in second]:
        return FunctionVerdict.OPERANDS
    return FunctionVerdict.INSTRUCTIONS


def _same_controls(first: list[Normal], second: list[Normal]) -> bool:
    """Control words alike but for the reuse flags, which belong to registers."""
    return all(
        replace(a.control, reuse=0) == replace(b.control, reuse=0)
        for a, b in zip(first, second, strict=True)
    )


def _control(normal: Normal) -> object:
    return normal.control


def _align(first: list[Normal], second: list[Normal]) -> tuple[list[tuple[int, int]], list[Hunk]]:
    """Pairs of instructions of equal shape, and the places where anything visible differs."""
    matcher = difflib.SequenceMatcher(
        None, [n.shape for n in first], [n.shape for n in second], autojunk=False
    )
    pairs: list[tuple[int, int]] = []
    hunks: list[Hunk] = []
    for tag, a1, a2, b1, b2 in matcher.get_opcodes():
        if tag == "equal":
            pairs += zip(range(a1, a2), range(b1, b2), strict=True)
            hunks += _operand_hunks(first, second, a1, a2, b1)
        else:
            same = _same_opcodes(first, second, a1, a2, b1, b2)
            pairs += same
            hunks.append(Hunk(a1, a2, b1, b2))
    return pairs, _joined(hunks)


def _same_opcodes(
    first: list[Normal], second: list[Normal], a1: int, a2: int, b1: int, b2: int
) -> list[tuple[int, int]]:
    """A replaced run of the same opcodes changes operands, not instructions."""
    if a2 - a1 != b2 - b1:
        return []
    pairs = list(zip(range(a1, a2), range(b1, b2), strict=True))
    return pairs if all(first[i].opcode == second[j].opcode for i, j in pairs) else []


def _operand_hunks(
    first: list[Normal], second: list[Normal], a1: int, a2: int, b1: int
) -> list[Hunk]:
    return [
        Hunk(i, i + 1, i - a1 + b1, i - a1 + b1 + 1)
        for i in range(a1, a2)
        if first[i].text != second[i - a1 + b1].text
        or _control(first[i]) != _control(second[i - a1 + b1])
    ]


def _joined(hunks: list[Hunk]) -> list[Hunk]:
    """Neighbouring hunks as one."""
    found: list[Hunk] = []
    for hunk in hunks:
        last = found[-1] if found else None
        if last and last.a_stop == hunk.a_start and last.b_stop == hunk.b_start:
            found[-1] = Hunk(last.a_start, hunk.a_stop, last.b_start, hunk.b_stop)
        else:
            found.append(hunk)
    return found
