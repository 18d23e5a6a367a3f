"""What the tool has to say about a place in a source: code, severity, message, way out."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ptxtool.core.source import Span


class Severity(StrEnum):
    """How bad a diagnostic is; only ERROR makes a command fail."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True)
class Diagnostic:
    """One message about one place. `help` says what to do about it."""

    code: str
    severity: Severity
    message: str
    span: Span | None = None
    help: str | None = None
    file: str | None = None  # used when there is no span
    line: int | None = None

    @property
    def place(self) -> str:
        """`file:line:column`, or as much of it as is known."""
        if self.span is not None:
            return str(self.span)
        parts = [self.file or "<input>"] + ([str(self.line)] if self.line else [])
        return ":".join(parts)

    def __str__(self) -> str:
        head = f"{self.place}: {self.severity}[{self.code}]: {self.message}"
        body = "" if self.span is None else "\n" + _indent(self.span.excerpt())
        tail = "" if self.help is None else f"\n  help: {self.help}"
        return head + body + tail


def _indent(text: str) -> str:
    return "\n".join("    " + line for line in text.split("\n"))
