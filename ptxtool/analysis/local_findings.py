"""Findings on local memory: what spilled and where, and what only looks like a spill."""

from __future__ import annotations

from dataclasses import replace

from ptxtool.analysis.finding import Finding
from ptxtool.analysis.spills import LocalMemory, LocalUse, Traffic
from ptxtool.core.diagnostics import Severity


def local_findings(memory: LocalMemory) -> tuple[Finding, ...]:
    """One finding for each way in which a function uses local memory, spills first."""
    found = (
        _spills(memory),
        _of(
            memory, LocalUse.SAVED, "PTX471", "registers-saved-for-the-caller",
            "ptxas counts these as spills: a called function keeps its caller's registers",
            "inline the function where the call is hot",
        ),
        _of(
            memory, LocalUse.ARRAY, "PTX472", "local-array",
            "the code itself keeps data in local memory: an array with a run-time index, or a "
            "variable whose address is taken",
            "index with constants (unroll), or move the array to shared memory",
        ),
        _of(
            memory, LocalUse.ARGUMENT, "PTX473", "call-arguments-in-memory",
            "arguments that find no register are passed through local memory",
            "pass less by value, or inline the function",
        ),
    )  # fmt: skip
    disagreement = (_disagreement(memory),) if memory.agrees is False else ()
    return (*(each for each in found if each is not None), *disagreement)


def _spills(memory: LocalMemory) -> Finding | None:
    finding = _of(
        memory, LocalUse.SPILL, "PTX470", "spills",
        "more values are live at once than there are registers",
        "raise the register limit, or shorten the live ranges around the lines named",
        Severity.WARNING,
    )  # fmt: skip
    if finding is None or not memory.guessed:
        return finding
    return replace(finding, evidence="SASS at PTX lines; nothing marks spills")


def _of(
    memory: LocalMemory,
    use: LocalUse,
    code: str,
    name: str,
    cause: str,
    fix: str,
    severity: Severity = Severity.NOTE,
) -> Finding | None:
    total = memory.total(use)
    if total == Traffic():
        return None
    lines = [line for line in memory.by_line(use) if line is not None]
    heaviest = ", ".join(map(str, lines[:3]))
    where = f", most of it at PTX line {heaviest}" if heaviest else ""
    message = (
        f"{use}: {total.store_bytes} bytes stored and {total.load_bytes} loaded per thread{where}"
    )
    line = lines[0] if lines else None
    return Finding(
        code, name, severity, message, "SASS, ptxas -v", line, memory.function, cause, fix
    )


def _disagreement(memory: LocalMemory) -> Finding:
    stated = memory.stated or Traffic()
    message = (
        f"the SASS shows {memory.spills.store_bytes} + {memory.spills.load_bytes} bytes of spills, "
        f"ptxas -v says {stated.store_bytes} + {stated.load_bytes}"
    )
    return Finding(
        "PTX479",
        "spill-count-differs",
        Severity.WARNING,
        message,
        "SASS, ptxas -v",
        function=memory.function,
        cause="some accesses could not be told apart",
        fix="trust the figure of ptxas -v",
    )
