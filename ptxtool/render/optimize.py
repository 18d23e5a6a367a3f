"""The views of `optimize`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from ptxtool.app.optimize import SCHEMA_VERSION, OptimizeResult
from ptxtool.cost import KernelCost
from ptxtool.render.json import to_json
from ptxtool.render.stream import console, write_text
from ptxtool.render.table import Table
from ptxtool.render.text import line, lines_of, short_name
from ptxtool.rewrite import Attempt, KernelRewrite, Rule


def show_rules(rules: Sequence[Rule], *, style: str) -> None:
    """List rules."""
    if style == "json":
        listed = [
            {"name": rule.name, "summary": rule.summary, "class": str(rule.safety), "why": rule.why}
            for rule in rules
        ]
        write_text(to_json("rules", {"rules": listed}, schema=SCHEMA_VERSION), None)
        return
    table = Table(["rule", "class", "what it does"])
    for rule in rules:
        table.add(rule.name, str(rule.safety), rule.summary)
    if style == "markdown":
        write_text(table.to_markdown(), None)
    else:
        console().print(table.to_rich())


def show(
    result: OptimizeResult, *, style: str, output: Path | None, diff: bool, report: bool
) -> None:
    """Draw the account; to standard error when the PTX itself goes to standard output."""
    out = console(sys.stderr if str(output) == "-" else sys.stdout)
    if style == "json":
        out.file.write(json_text(result) + "\n")
        return
    if style == "markdown":
        out.file.write(markdown(result) + "\n")
        return
    if diff:
        out.file.write(result.unified_diff())
    for kernel in result.report.kernels:
        _kernel(out, result, kernel, report)
    line(out, _summary(result, output))


def _summary(result: OptimizeResult, output: Path | None) -> str:
    sites = sum(kernel.applied_sites for kernel in result.report.kernels)
    written = "" if output is None else f"; written to {output}"
    if not sites:
        return f"nothing paid: {result.file} is unchanged{written}"
    return f"{sites} sites rewritten in {result.file}{written}"


def _kernel(out: Console, result: OptimizeResult, kernel: KernelRewrite, full: bool) -> None:
    line(out, f"{short_name(kernel.kernel, 72)}  ptxas {result.ptxas_version}")
    if kernel.failure:
        line(out, f"  not optimized: {kernel.failure}", "red")
        return
    for arch in result.report.archs:
        line(out, f"  {arch}: {_change(kernel.before[arch], kernel.after[arch])}")
    if full:
        for attempt in kernel.attempts:
            line(out, f"  {_attempt(attempt)}")


def _change(before: KernelCost, after: KernelCost) -> str:
    parts = [
        f"{name} {old} -> {new}" if old != new else f"{name} {old}"
        for name, old, new in (
            ("instructions", before.instructions, after.instructions),
            ("weighted stall cycles", before.cycles_weighted, after.cycles_weighted),
            ("registers", before.registers, after.registers),
        )
    ]
    return ", ".join(parts)


def _attempt(attempt: Attempt) -> str:
    verb = "applied" if attempt.applied else "refused"
    sites = f"{len(attempt.lines)} site{'s' if len(attempt.lines) != 1 else ''}"
    where = f"line{'s' if len(attempt.lines) != 1 else ''} {lines_of(attempt.lines)}"
    return f"{verb}: {attempt.rule}, {sites} ({where}): {attempt.reason}"


def json_text(result: OptimizeResult) -> str:
    """Per kernel: costs by target, attempts with their reasons."""
    kernels = [
        {
            "kernel": kernel.kernel,
            "failure": kernel.failure,
            "before": kernel.before,
            "after": kernel.after,
            "attempts": [
                {
                    "rule": attempt.rule,
                    "lines": attempt.lines,
                    "applied": attempt.applied,
                    "reason": attempt.reason,
                }
                for attempt in kernel.attempts
            ],
        }
        for kernel in result.report.kernels
    ]
    body = {
        "file": result.file,
        "changed": result.report.changed,
        "ptxas_version": result.ptxas_version,
        "kernels": kernels,
    }
    return to_json("optimize", body, schema=SCHEMA_VERSION)


def markdown(result: OptimizeResult) -> str:
    """One row per kernel and target."""
    table = Table(
        ["kernel", "target", "instructions", "weighted stall cycles", "registers", "rewrites"]
    )
    for kernel in result.report.kernels:
        for arch, before in kernel.before.items():
            after = kernel.after[arch]
            table.add(
                f"`{short_name(kernel.kernel)}`",
                arch,
                f"{before.instructions} → {after.instructions}",
                f"{before.cycles_weighted} → {after.cycles_weighted}",
                f"{before.registers} → {after.registers}",
                "; ".join(_attempt(item) for item in kernel.attempts) or "no site",
            )
    return table.to_markdown()
