"""The views of `bench`."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from ptxtool.app.bench import SCHEMA_VERSION, BenchOutcome
from ptxtool.gpu import BenchReport
from ptxtool.render.json import to_json
from ptxtool.render.stream import console, write_text
from ptxtool.render.table import Table
from ptxtool.render.text import line


def show(outcome: BenchOutcome, *, style: str, output: Path | None) -> None:
    """Draw what ran, or what would run."""
    if style == "json":
        write_text(json_text(outcome), output)
        return
    if style == "markdown" and outcome.report is not None:
        write_text(_table(outcome.report).to_markdown(), output)
        return
    out = console()
    if outcome.report is None:
        line(out, intention(outcome))
    else:
        _report(out, outcome, outcome.report)
        if output is not None:
            write_text(json_text(outcome), output)


def intention(outcome: BenchOutcome) -> str:
    """One line: why nothing ran, and what would with a device."""
    plan = outcome.plan
    return (
        f"not run ({outcome.unavailable}); with a device: {' against '.join(plan.variants)}, "
        f"{'; '.join(plan.launches)}, {len(plan.cases)} input sets compared first, then timed"
    )


def _report(out: Console, outcome: BenchOutcome, report: BenchReport) -> None:
    info = report.environment.device
    line(out, f"{info.name} ({info.kind}, {info.capability}), driver {info.driver}")
    out.print(_table(report).to_rich())
    for variant in report.variants:
        if variant.failure:
            line(out, f"{variant.name}: {variant.failure}", "red")
    for note in report.notes:
        line(out, f"note: {note}")
    for change in outcome.changes:
        line(out, f"{change.variant}: {change.change} ({change.basis}) {change.detail}".rstrip())


def _table(report: BenchReport) -> Table:
    table = Table(["variant", "outputs", "median us", "p5 us", "p95 us", "ratio", "verdict"])
    for item in report.variants:
        timing, ratio = item.timing, item.ratio
        table.add(
            item.name,
            str(item.status),
            None if timing is None else timing.median * 1e6,
            None if timing is None else timing.p5 * 1e6,
            None if timing is None else timing.p95 * 1e6,
            "-" if ratio is None else f"{ratio.value:.3f} [{ratio.low:.3f}, {ratio.high:.3f}]",
            "reference" if item.is_reference else str(ratio.verdict if ratio else "-"),
        )
    return table


def json_text(outcome: BenchOutcome) -> str:
    """The report, or the plan and the reason."""
    body = {
        "plan": outcome.plan,
        "report": None if outcome.report is None else outcome.report.to_json(),
        "unavailable": outcome.unavailable,
        "changes": outcome.changes,
    }
    return to_json("bench", body, schema=SCHEMA_VERSION)
