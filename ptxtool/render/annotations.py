"""Diagnostics as GitHub annotations and as SARIF 2.1.0."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ptxtool.core.diagnostics import Diagnostic, Severity

_GITHUB = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def github(found: Sequence[Diagnostic]) -> str:
    """Workflow commands, one line each."""
    return "\n".join(_annotation(item) for item in found)


def _annotation(item: Diagnostic) -> str:
    text = f"{item.message}{f' ({item.help})' if item.help else ''}"
    escaped = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    place = f"file={_file(item)},line={_line(item)}"
    return f"::{_GITHUB[item.severity]} {place},title={item.code}::{escaped}"


def _file(item: Diagnostic) -> str:
    return item.span.source.name if item.span else (item.file or "")


def _line(item: Diagnostic) -> int:
    return item.span.line if item.span else (item.line or 1)


def sarif(found: Sequence[Diagnostic]) -> str:
    """One SARIF run."""
    from ptxtool import __version__

    rules = sorted({item.code for item in found})
    run = {
        "tool": {
            "driver": {
                "name": "ptxtool",
                "version": __version__,
                "rules": [{"id": code} for code in rules],
            }
        },
        "results": [_result(item) for item in found],
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
