"""The views of `check`: console, JSON, GitHub annotations, SARIF."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ptxtool.app.check import SCHEMA_VERSION, CheckReport
from ptxtool.core.diagnostics import Diagnostic, Severity
from ptxtool.render.json import to_json
from ptxtool.render.stream import console, write_text
from ptxtool.render.text import diagnostics, line

_GITHUB = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


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


def _github(report: CheckReport) -> str:
    return "\n".join(_annotation(item) for item in report.diagnostics)


def _annotation(item: Diagnostic) -> str:
    text = f"{item.message}{f' ({item.help})' if item.help else ''}"
    escaped = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    place = f"file={_file(item)},line={_line(item)}"
    return f"::{_GITHUB[item.severity]} {place},title={item.code}::{escaped}"


def _file(item: Diagnostic) -> str:
    return item.span.source.name if item.span else (item.file or "")


def _line(item: Diagnostic) -> int:
    return item.span.line if item.span else (item.line or 1)


def _sarif(report: CheckReport) -> str:
    from ptxtool import __version__

    rules = sorted({item.code for item in report.diagnostics})
    run = {
        "tool": {
            "driver": {
                "name": "ptxtool",
                "version": __version__,
                "rules": [{"id": code} for code in rules],
            }
        },
        "results": [_result(item) for item in report.diagnostics],
    }
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return json.dumps({"$schema": schema, "version": "2.1.0", "runs": [run]}, indent=2)


def _result(item: Diagnostic) -> dict[str, Any]:
    region = {"startLine": _line(item)}
    if item.span:
        region["startColumn"] = item.span.column
    place = {"artifactLocation": {"uri": _file(item)}, "region": region}
    return {
        "ruleId": item.code,
        "level": str(item.severity),
        "message": {"text": item.message + (f"; {item.help}" if item.help else "")},
        "locations": [{"physicalLocation": place}],
    }


_TEXT = {"console": _console_text, "json": _json, "github": _github, "sarif": _sarif}
