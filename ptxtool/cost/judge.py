"""Whether one assembly of a kernel is better than another: Pareto with tolerance."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ptxtool.sass import Function

# Weighted cycles must fall by more than the larger of these to count as a gain, or rise by more
# than it to count as a loss: sums of stalls are no finer than that.
RELATIVE_BAND = 0.01
ABSOLUTE_BAND = 4


@dataclass(frozen=True)
class KernelCost:
    """What is compared. Bytes per thread; `warps_per_sm` None when no block size is known."""

    registers: int | None
    spill_bytes: int | None
    local_bytes: int | None
    warps_per_sm: int | None
    instructions: int
    cycles_path: int
    cycles_weighted: int


class Verdict(StrEnum):
    """Of B against A."""

    BETTER = "better"
    WORSE = "worse"
    NO_EFFECT = "no effect"


@dataclass(frozen=True)
class Judgement:
    """A verdict and the figures that decided it."""

    verdict: Verdict
    reason: str


def measure(
    function: Function,
    *,
    registers: int | None,
    spill_bytes: int | None,
    local_bytes: int | None,
    warps_per_sm: int | None,
) -> KernelCost:
    """The cost of one assembled kernel; spill bytes are stores and loads together."""
    return KernelCost(
        registers,
        spill_bytes,
        local_bytes,
        warps_per_sm,
        len(function.instructions),
        function.cycles_path,
        function.cycles_weighted,
    )


def judge(before: KernelCost, after: KernelCost) -> Judgement:
    """Whether `after` is better than `before`.

    Worse when spill or local bytes rise, when fewer warps fit, or when weighted cycles rise beyond
    the band. Better when they fall beyond it, or stay within it and instructions fall.
    """
    worse = _loss(before, after)
    if worse:
        return Judgement(Verdict.WORSE, worse)
    change = after.cycles_weighted - before.cycles_weighted
    band = max(RELATIVE_BAND * before.cycles_weighted, ABSOLUTE_BAND)
    cycles = f"weighted cycles {before.cycles_weighted} -> {after.cycles_weighted}"
    if change < -band:
        return Judgement(Verdict.BETTER, cycles)
    if change > band:
        return Judgement(Verdict.WORSE, cycles)
    instructions = f"instructions {before.instructions} -> {after.instructions}"
    if after.instructions < before.instructions:
        return Judgement(Verdict.BETTER, f"{instructions}, {cycles} (within tolerance)")
    return Judgement(Verdict.NO_EFFECT, f"{instructions}, {cycles}")


def _loss(before: KernelCost, after: KernelCost) -> str | None:
    for name, old, new in (
        ("spill bytes", before.spill_bytes, after.spill_bytes),
        ("local bytes", before.local_bytes, after.local_bytes),
    ):
        if old is not None and new is not None and new > old:
            return f"{name} {old} -> {new}"
    old_warps, new_warps = before.warps_per_sm, after.warps_per_sm
    if old_warps is not None and new_warps is not None and new_warps < old_warps:
        return (
            f"warps per SM {old_warps} -> {new_warps} "
            f"(registers {before.registers} -> {after.registers})"
        )
    return None
