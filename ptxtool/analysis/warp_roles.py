"""Register budgets of warp-specialised kernels: does what setmaxnreg asks for add up?

ptxas checks each instruction alone; whether the warp groups of a block can all get what they ask
for is checked by nobody: a group that asks for more than the block's pool holds waits for ever.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ptxtool.analysis.finding import Finding, FindingKind
from ptxtool.analysis.launch_bounds import LaunchBounds, launch_bounds
from ptxtool.core.diagnostics import Severity
from ptxtool.core.errors import UsageError
from ptxtool.machine import Model
from ptxtool.syntax import nodes

# setmaxnreg acts on the 128 threads of a warp group (PTX ISA, setmaxnreg).
GROUP_THREADS = 128
LEAST, MOST, STEP = 24, 256, 8


IGNORED = FindingKind(
    "PTX460",
    "setmaxnreg-will-be-ignored",
    Severity.WARNING,
    "nothing fixes the register count at launch",
    "add .maxnreg, or .minnctapersm beside .maxntid",
)
PARTIAL = FindingKind(
    "PTX461",
    "partial-warp-group",
    Severity.WARNING,
    "setmaxnreg acts on whole warp groups of 128 threads",
    "use a multiple of 128 threads",
)
COUNT = FindingKind(
    "PTX462",
    "setmaxnreg-count",
    Severity.ERROR,
    "the hardware hands out registers in steps",
    f"use a multiple of {STEP} from {LEAST} to {MOST}",
)
DIRECTION = FindingKind(
    "PTX463",
    "setmaxnreg-wrong-way",
    Severity.WARNING,
    "an increase below, or a decrease above, the count that the group has is undefined",
    "use the other direction, or another count",
)
GUARDED = FindingKind(
    "PTX464",
    "setmaxnreg-guarded",
    Severity.WARNING,
    "every warp of a group must execute the same setmaxnreg",
    "branch on the warp group's index instead",
)
NEVER = FindingKind(
    "PTX465",
    "setmaxnreg-never-granted",
    Severity.ERROR,
    "an increase waits until the block's pool holds enough, and it never will",
    "lower the count, or let other groups give back more",
)
OVER = FindingKind(
    "PTX466",
    "setmaxnreg-over-budget",
    Severity.WARNING,
    "one of the groups waits until another ends or gives back more",
    "lower the largest count so that the sum over all warp groups fits",
)
KINDS = (IGNORED, PARTIAL, COUNT, DIRECTION, GUARDED, NEVER, OVER)


@dataclass(frozen=True)
class Site:
    """One setmaxnreg: registers per thread, None when the count is no plain number."""

    line: int
    grows: bool
    registers: int | None
    guarded: bool


@dataclass(frozen=True)
class Budget:
    """The register budget of one kernel, in registers per block.

    `pool` is what the block gets at launch. `needed` supposes that each count to which a role
    gives registers back belongs to one warp group, and that all others take the largest increase;
    it is None when the kernel does not have both, or the block size is not known.
    """

    kernel: str
    sites: tuple[Site, ...]
    threads: int | None
    entry_registers: int | None
    pool: int | None
    needed: int | None
    growing_groups: int | None  # that can hold the largest increase at once
    findings: tuple[Finding, ...]


def register_budget(
    module: nodes.Module,
    kernel: nodes.Function,
    model: Model,
    *,
    threads: int | None = None,
    entry_registers: int | None = None,
) -> Budget | None:
    """Check the setmaxnreg of a kernel; None when it has none.

    `threads` and `entry_registers` (what ptxas -v says) stand in where the directives are silent.
    """
    sites = tuple(_sites(module, kernel))
    if not sites:
        return None
    bounds = launch_bounds(kernel)
    block = bounds.threads or threads
    entry = entry_count(bounds, model) or entry_registers
    pool = _pool(block, entry, model)
    # One role may give back at several places: equal counts are taken for one role.
    shrink = sorted({s.registers for s in sites if not s.grows and s.registers is not None})
    grow = [s.registers for s in sites if s.grows and s.registers is not None]
    needed = growing = None
    if block is not None and grow and shrink:
        groups = block // GROUP_THREADS
        low = shrink[: max(0, groups - 1)]
        needed = (sum(low) + (groups - len(low)) * max(grow)) * GROUP_THREADS
        if pool is not None:
            growing = _growing(pool // GROUP_THREADS, groups, min(shrink), max(grow))
    found = Budget(kernel.name, sites, block, entry, pool, needed, growing, ())
    return replace(found, findings=tuple(_findings(found, model, bounds)))


def entry_count(bounds: LaunchBounds, model: Model) -> int | None:
    """Registers per thread at launch, as ptxas fixes them from the directives; None: it cannot."""
    if bounds.registers is not None:
        return min(bounds.registers, model.registers_per_thread)
    if bounds.threads and bounds.minimum_blocks:
        fit = model.registers_per_sm // (bounds.threads * bounds.minimum_blocks)
        return min(fit // STEP * STEP, model.registers_per_thread)
    return None


def suggest_split(
    model: Model, *, threads: int, producers: int = 1, producer_registers: int = LEAST
) -> tuple[int, int]:
    """Counts for setmaxnreg.dec and .inc that fill the file: `producers` groups keep few.

    `producer_registers` is what a producer needs (its measured pressure). Raises UsageError when
    the block has no consumer group, or a split gives the consumers nothing.
    """
    groups = threads // GROUP_THREADS
    if threads % GROUP_THREADS or not 0 < producers < groups:
        raise UsageError(f"{threads} threads hold no {producers} producer groups and a consumer")
    low = min(MOST, max(LEAST, -(-producer_registers // STEP) * STEP))
    entry = entry_count(LaunchBounds(required_threads=threads, minimum_blocks=1), model) or 0
    left = (entry // STEP * STEP * groups - producers * low) // (groups - producers)
    high = min(left // STEP * STEP, MOST - STEP)
    if not LEAST <= low < entry < high:
        raise UsageError(f"{threads} threads start with {entry} registers: no split gains any")
    return low, high


def _sites(module: nodes.Module, kernel: nodes.Function) -> Iterator[Site]:
    body = kernel.body.statements if kernel.body is not None else ()
    for each in nodes.walk(body):
        if isinstance(each, nodes.Instruction) and each.opcode == "setmaxnreg":
            yield Site(
                module.source.line(each.start),
                "inc" in each.modifiers,
                _count(each),
                each.guard is not None,
            )


def _count(instruction: nodes.Instruction) -> int | None:
    operand = instruction.operands[0] if instruction.operands else None
    if not isinstance(operand, nodes.Immediate):
        return None
    try:
        return int(operand.text.rstrip("uU"), 0)
    except ValueError:
        return None


def _pool(threads: int | None, entry: int | None, model: Model) -> int | None:
    if threads is None or entry is None:
        return None
    unit = model.register_unit // model.warp_size
    return -(-entry // unit) * unit * threads


def _growing(pool: int, groups: int, low: int, high: int) -> int:
    """The most groups that can hold `high` while all others keep `low`; `pool` per lane."""
    return max((n for n in range(groups + 1) if n * high + (groups - n) * low <= pool), default=0)


def _findings(budget: Budget, model: Model, bounds: LaunchBounds) -> Iterator[Finding]:
    first = budget.sites[0].line
    for site in budget.sites:
        yield from _check_site(budget, site)
    if entry_count(bounds, model) is None:
        yield _finding(budget, IGNORED, "ptxas will ignore setmaxnreg in this kernel", first)
    if budget.threads is not None and budget.threads % GROUP_THREADS:
        message = f"a block of {budget.threads} threads ends in a part of a warp group"
        yield _finding(budget, PARTIAL, message, first)
    yield from _check_sum(budget)


def _check_site(budget: Budget, site: Site) -> Iterator[Finding]:
    count, entry = site.registers, budget.entry_registers
    if count is not None and (count % STEP or not LEAST <= count <= MOST):
        yield _finding(budget, COUNT, f"{count} is no legal count", site.line)
    if count is not None and entry is not None and (count < entry if site.grows else count > entry):
        verb = "increase to" if site.grows else "decrease to"
        message = f"{verb} {count}, but the kernel starts with {entry}"
        yield _finding(budget, DIRECTION, message, site.line)
    if site.guarded:
        message = "legal only if the whole warp group agrees on the guard"
        yield _finding(budget, GUARDED, message, site.line)


def _check_sum(budget: Budget) -> Iterator[Finding]:
    grows = [site for site in budget.sites if site.grows and site.registers is not None]
    if budget.pool is None or not grows:
        return
    largest = max(grows, key=lambda site: site.registers or 0)
    if budget.growing_groups == 0 or (budget.needed is None and _alone_too_much(budget, largest)):
        message = (
            f"no warp group can ever get {largest.registers} registers from a pool of "
            f"{budget.pool}: it waits for ever"
        )
        yield _finding(budget, NEVER, message, largest.line)
    elif budget.needed is not None and budget.needed > budget.pool:
        message = f"the groups ask for {budget.needed} registers, the block has {budget.pool}"
        yield _finding(budget, OVER, message, largest.line)


def _alone_too_much(budget: Budget, site: Site) -> bool:
    """Without any decrease nothing comes free: an increase beyond the launch count waits."""
    shrinks = any(not each.grows for each in budget.sites)
    entry, count = budget.entry_registers, site.registers
    return not shrinks and entry is not None and count is not None and count > entry


def _finding(budget: Budget, kind: FindingKind, message: str, line: int) -> Finding:
    entry = "unknown" if budget.entry_registers is None else budget.entry_registers
    evidence = f"setmaxnreg sites, {entry} registers at entry, {budget.threads} threads"
    return kind.finding(message, evidence, line=line, function=budget.kernel)
