"""The views of `check`: console, JSON, GitHub annotations, SARIF."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ptxtool.app.check import SCHEMA_VERSION, CheckReport
from ptxtool.render.annotations import github, sarif
from ptxtool.render.json import to_json
from ptxtool.render.stream import console, write_text
from ptxtool.render.text import diagnostics, line


def show(report: CheckReport, *, style: str, output: Path | None) -> None:
    """Draw the report in one of its styles."""
    if style == "console" and output is None:
        out = console()
        diagnostics(out, report.diagnostics)
        line(out, _summary(report))
    else:
        write_text(_TEXT[style](report), output)


def _summary(report: CheckReport) -> str:
    files = f"{len(report.files)} file{'s' if len(report.files) != 1 else ''}"
    count = len(report.diagnostics)
    if not count:
        return f"{files}: nothing found"
    return f"{files}: {report.errors} errors, {count - report.errors} others"


def _console_text(report: CheckReport) -> str:
    return "\n".join([*map(str, report.diagnostics), _summary(report)])


def _json(report: CheckReport) -> str:
    body = {"files": report.files, "diagnostics": report.diagnostics}
    return to_json("check", body, schema=SCHEMA_VERSION)


_TEXT: dict[str, Callable[[CheckReport], str]] = {
    "console": _console_text,
    "json": _json,
    "github": lambda report: github(report.diagnostics),
    "sarif": lambda report: sarif(report.diagnostics),
}
