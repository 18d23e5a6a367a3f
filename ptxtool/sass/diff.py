"""Comparing two functions: a verdict that is never better than the truth, and the changed places.

`identical` means the same encodings; `renamed` that one bijection of whole aligned register groups
turns one into the other; everything doubtful falls to a stronger verdict.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from enum import StrEnum

from ptxtool.sass.model import Function, Instruction
from ptxtool.sass.normalise import REGISTER, Normal, normalise


class FunctionVerdict(StrEnum):
    """From no change to the largest."""

    IDENTICAL = "identical"
    RENAMED = "renamed only"
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
    verdict = _verdict(first, second, removed + added, operands)
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
    first: list[Normal], second: list[Normal], unmatched: int, operands: int
) -> FunctionVerdict:
    if [n.encoding for n in first] == [n.encoding for n in second] and not operands:
        return FunctionVerdict.IDENTICAL
    if unmatched:
        return FunctionVerdict.INSTRUCTIONS
    if not operands:
        return FunctionVerdict.CONTROL
    if _same_controls(first, second) and _is_renaming(first, second):
        return FunctionVerdict.RENAMED
    return FunctionVerdict.OPERANDS


def _same_controls(first: list[Normal], second: list[Normal]) -> bool:
    """Control words alike but for the reuse flags, which belong to registers."""
    return all(
        (a.control.stall, a.control.yields, a.control.write_barrier, a.control.read_barrier)
        == (b.control.stall, b.control.yields, b.control.write_barrier, b.control.read_barrier)
        and a.control.wait_mask == b.control.wait_mask
        for a, b in zip(first, second, strict=True)
    )


# Registers are renamed by aligned groups: the widest operand that is not a matrix fragment.
_GROUP = 8
# Instructions whose operands span more registers than their text names, or which pass registers
# to other code: renaming is not claimed where they occur.
_WIDE = ("HGMMA", "IGMMA", "BGMMA", "QGMMA", "UTC", "CALL", "RET", "LDTM", "STTM", "SYNCS")


def _is_renaming(first: list[Normal], second: list[Normal]) -> bool:
    forward: dict[tuple[str, int], int] = {}
    backward: dict[tuple[str, int], int] = {}
    for a, b in zip(first, second, strict=True):
        if a.shape != b.shape or a.opcode.startswith(_WIDE):
            return False
        names = zip(REGISTER.findall(a.text), REGISTER.findall(b.text), strict=True)
        for (kind, x), (_, y) in names:
            if not _consistent(forward, backward, kind, int(x), int(y)):
                return False
    return True


def _consistent(
    forward: dict[tuple[str, int], int],
    backward: dict[tuple[str, int], int],
    kind: str,
    x: int,
    y: int,
) -> bool:
    if kind in ("B", "SB") or (kind == "R" and (x == 1 or y == 1)):
        return x == y  # barriers, and the stack pointer
    group = _GROUP if kind in ("R", "UR") else 1
    if x % group != y % group:
        return False
    x, y = x // group, y // group
    return forward.setdefault((kind, x), y) == y and backward.setdefault((kind, y), x) == x


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
