"""What ptxas decided without being asked: each of its messages becomes a finding.

ptxas prints most of these as `info` and exits with 0, so a build never fails on them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Protocol

from ptxtool.analysis.decision_table import Decision
from ptxtool.analysis.decision_table_general import DECISIONS, UNKNOWN
from ptxtool.analysis.finding import Finding
from ptxtool.core.diagnostics import Severity
from ptxtool.core.errors import ToolRefused

_LINE = re.compile(r"\b(?:in|around|at) line '?(\d+)")
_NUMBER = re.compile(r"\s*\((C\d{4})\)\s*")


class ToolMessage(Protocol):
    """A message of ptxas, as the toolchain gives it."""

    @property
    def severity(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def line(self) -> int | None: ...
    @property
    def code(self) -> str | None: ...
    @property
    def function(self) -> str | None: ...


def decisions(messages: Iterable[ToolMessage]) -> tuple[Finding, ...]:
    """One finding for each message, in their order; a message said twice is one finding."""
    found = (
        _finding(each.severity, each.text, each.line, each.code, each.function) for each in messages
    )
    return tuple(dict.fromkeys(found))


def refusal(error: ToolRefused) -> tuple[Finding, ...]:
    """The findings behind a refusal, where ptxas said something that is known."""
    found = []
    for each in error.diagnostics:
        line = each.line if each.span is None else each.span.line
        if decision_of(each.message) is not UNKNOWN:
            found.append(_finding(each.severity, each.message, line, None, None))
    return tuple(dict.fromkeys(found))


def decision_of(text: str) -> Decision:
    """The row of the table that a message belongs to; UNKNOWN when there is none."""
    return next((row for row, pattern in _patterns() if pattern.search(text)), UNKNOWN)


@cache
def _patterns() -> tuple[tuple[Decision, re.Pattern[str]], ...]:
    return tuple((row, re.compile(row.pattern)) for row in DECISIONS)


def _finding(
    severity: str, text: str, line: int | None, number: str | None, function: str | None
) -> Finding:
    row = decision_of(text)
    stated = _NUMBER.search(text)
    plain = _NUMBER.sub(" ", text.removeprefix("ptxas: ")).strip()
    number = number or (stated[1] if stated else None)
    return Finding(
        code=row.code,
        name=row.name,
        severity=_severity(severity) if row is UNKNOWN else row.severity,
        message=plain,
        evidence=f"ptxas {severity}" + (f" {number}" if number else ""),
        line=line or _line_in(text),
        function=function or _function_in(text),
        cause=row.cause or None,
        fix=row.fix or None,
    )


def _severity(said: str) -> Severity:
    if said in ("error", "fatal"):
        return Severity.ERROR
    return Severity.WARNING if said == "warning" else Severity.NOTE


def _line_in(text: str) -> int | None:
    """The PTX line inside a message; ptxas writes 0 for "somewhere"."""
    match = _LINE.search(text)
    return (int(match[1]) or None) if match else None


def _function_in(text: str) -> str | None:
    match = re.search(r"(?:function|entry|Function|for) '([^']+)'", text) or re.search(
        r"(?:in function|for entry|For entry) ([\w$%]+)", text
    )
    return match[1] if match else None
