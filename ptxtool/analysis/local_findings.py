"""Findings on local memory: what spilled and where, and what only looks like a spill."""

from __future__ import annotations

from ptxtool.analysis.finding import Finding, FindingKind
from ptxtool.analysis.spills import LocalMemory, LocalUse, Traffic
from ptxtool.core.diagnostics import Severity

KINDS = {
    LocalUse.SPILL: FindingKind(
        "PTX470",
        "spills",
        Severity.WARNING,
        "more values are live at once than there are registers",
        "raise the register limit, or shorten the live ranges around the lines named",
    ),
    LocalUse.SAVED: FindingKind(
        "PTX471",
        "registers-saved-for-the-caller",
        Severity.NOTE,
        "ptxas counts these as spills: a called function keeps its caller's registers",
        "inline the function where the call is hot",
    ),
    LocalUse.ARRAY: FindingKind(
        "PTX472",
        "local-array",
        Severity.NOTE,
        "the code itself keeps data in local memory: an array with a run-time index, or a "
        "variable whose address is taken",
        "index with constants (unroll), or move the array to shared memory",
    ),
    LocalUse.ARGUMENT: FindingKind(
        "PTX473",
        "call-arguments-in-memory",
        Severity.NOTE,
        "arguments that find no register are passed through local memory",
        "pass less by value, or inline the function",
    ),
}
DIFFERS = FindingKind(
    "PTX479",
    "spill-count-differs",
    Severity.WARNING,
    "some local accesses could not be told apart",
    "trust the figure of ptxas -v",
)


def local_findings(memory: LocalMemory) -> tuple[Finding, ...]:
    """One finding for each way in which a function uses local memory, spills first."""
    found = [_finding(memory, use) for use in KINDS if memory.total(use) != Traffic()]
    if memory.agrees is False:
        found.append(_difference(memory))
    return tuple(found)


def _finding(memory: LocalMemory, use: LocalUse) -> Finding:
    total = memory.total(use)
    lines = [line for line in memory.by_line(use) if line is not None]
    where = f", most of it at PTX line {', '.join(map(str, lines[:3]))}" if lines else ""
    guess = memory.guessed and use is LocalUse.SPILL
    return KINDS[use].finding(
        f"{use}: {total.store_bytes} bytes stored and {total.load_bytes} loaded per thread{where}",
        "SASS at PTX lines; nothing marks spills" if guess else "SASS, ptxas -v",
        line=lines[0] if lines else None,
        function=memory.function,
    )


def _difference(memory: LocalMemory) -> Finding:
    stated = memory.stated or Traffic()
    return DIFFERS.finding(
        f"the SASS shows {memory.spills.store_bytes} + {memory.spills.load_bytes} bytes of spills, "
        f"ptxas -v says {stated.store_bytes} + {stated.load_bytes}",
        "SASS, ptxas -v",
        function=memory.function,
    )
