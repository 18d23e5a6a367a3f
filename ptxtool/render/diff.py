"""The views of `diff`."""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console

from ptxtool.app.diff import SCHEMA_VERSION, DiffReport, KernelDiff
from ptxtool.render.json import to_json
from ptxtool.render.stream import console, write_text
from ptxtool.render.table import Table
from ptxtool.render.text import heading, line, short_name
from ptxtool.sass import FunctionDiff, Hunk, Instruction

_FIGURES = (
    ("registers", "registers"),
    ("spill bytes", "spill_bytes"),
    ("local bytes", "local_bytes"),
    ("warps per SM", "warps_per_sm"),
    ("instructions", "instructions"),
    ("stall cycles, longest path", "cycles_path"),
    ("stall cycles, loops weighted", "cycles_weighted"),
)


def show(
    report: DiffReport, *, style: str, output: Path | None, context: int, summary: bool
) -> None:
    """Draw the report in one of its styles."""
    if style == "json":
        write_text(json_text(report), output)
    elif style == "markdown":
        write_text(markdown(report), output)
    elif output is None:
        draw(report, console(), context=context, summary=summary)
    else:
        buffer = io.StringIO()
        draw(report, console(buffer), context=context, summary=summary)
        write_text(buffer.getvalue(), output)


def draw(report: DiffReport, out: Console, *, context: int, summary: bool) -> None:
    """The console view."""
    line(out, f"A {report.before}")
    line(out, f"B {report.after}  {', '.join(report.tool_versions)}".rstrip())
    for kernel in report.kernels:
        heading(out, f"{short_name(kernel.kernel, 72)}  {kernel.arch}: {kernel.verdict}")
        for text in _deltas(kernel):
            line(out, f"  {text}")
        if kernel.code is not None and not summary:
            _hunks(out, kernel.code, context)
    line(out, "identical" if report.identical else "different")


def _deltas(kernel: KernelDiff) -> list[str]:
    before, after = kernel.before, kernel.after
    if before is None or after is None:
        return []
    found = []
    for label, name in _FIGURES:
        old, new = getattr(before, name), getattr(after, name)
        if old is not None and new is not None and old != new:
            found.append(f"{label} {old} -> {new}")
    if kernel.judgement and found:
        found.append(f"B is {_verdict(str(kernel.judgement.verdict))}: {kernel.judgement.reason}")
    return found


def _verdict(verdict: str) -> str:
    return "neither better nor worse" if verdict == "no effect" else verdict


def _hunks(out: Console, code: FunctionDiff, context: int) -> None:
    shown = 0
    for hunk in code.hunks:
        first = max(shown, hunk.a_start - context)
        if first > shown or not shown:
            place = code.before[hunk.a_start] if hunk.a_start < len(code.before) else None
            where = f" PTX line {place.ptx_line}" if place and place.ptx_line else ""
            line(out, f"  @@ A {hunk.a_start} B {hunk.b_start}{where} @@", "cyan")
        _side(out, " ", code.before[first : hunk.a_start], "")
        _side(out, "-", code.before[hunk.a_start : hunk.a_stop], "red")
        _side(out, "+", code.after[hunk.b_start : hunk.b_stop], "green")
        after = code.before[hunk.a_stop : hunk.a_stop + _gap(code, hunk, context)]
        _side(out, " ", after, "")
        shown = hunk.a_stop + len(after)


def _gap(code: FunctionDiff, hunk: Hunk, context: int) -> int:
    """Context behind a hunk, up to the next one."""
    later = [
        other.a_start for other in code.hunks if other.a_start >= hunk.a_stop and other != hunk
    ]
    return min([context, *(start - hunk.a_stop for start in later[:1])])


def _side(out: Console, mark: str, code: tuple[Instruction, ...], style: str) -> None:
    for item in code:
        line(out, f"  {mark} {item.control}  {item.text}", style)


def json_text(report: DiffReport) -> str:
    """Verdicts, costs and changed instructions."""
    kernels = [
        {
            "kernel": kernel.kernel,
            "arch": kernel.arch,
            "verdict": kernel.verdict,
            "before": kernel.before,
            "after": kernel.after,
            "judgement": kernel.judgement,
            "changes": [] if kernel.code is None else _changes(kernel.code),
        }
        for kernel in report.kernels
    ]
    body = {
        "before": report.before,
        "after": report.after,
        "identical": report.identical,
        "tools": report.tool_versions,
        "kernels": kernels,
    }
    return to_json("diff", body, schema=SCHEMA_VERSION)


def _changes(code: FunctionDiff) -> list[dict[str, object]]:
    return [
        {
            "before": [item.text for item in code.before[hunk.a_start : hunk.a_stop]],
            "after": [item.text for item in code.after[hunk.b_start : hunk.b_stop]],
            "ptx_lines": sorted(
                {i.ptx_line for i in code.after[hunk.b_start : hunk.b_stop] if i.ptx_line}
            ),
        }
        for hunk in code.hunks
    ]


def markdown(report: DiffReport) -> str:
    """One row per kernel, for a pull request."""
    table = Table(["kernel", "target", "verdict", "changes"])
    for kernel in report.kernels:
        table.add(
            f"`{short_name(kernel.kernel)}`",
            kernel.arch,
            kernel.verdict,
            "; ".join(_deltas(kernel)) or "-",
        )
    return table.to_markdown()
