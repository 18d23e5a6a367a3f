"""What an analysis found: one fact about a kernel, its cause, the way out and the evidence."""

from __future__ import annotations

from dataclasses import dataclass

from ptxtool.core.diagnostics import Diagnostic, Severity


@dataclass(frozen=True)
class Finding:
    """One fact. `line` is the 1-based PTX line; `evidence` is what the claim rests on."""

    code: str
    name: str
    severity: Severity
    message: str
    evidence: str
    line: int | None = None
    function: str | None = None
    cause: str | None = None
    fix: str | None = None

    def diagnostic(self, file: str | None = None) -> Diagnostic:
        """The finding as a diagnostic of a file."""
        return Diagnostic(
            self.code, self.severity, self.message, help=self.fix, file=file, line=self.line
        )


@dataclass(frozen=True)
class FindingKind:
    """What all findings of one code share: declared once, used by the analysis and by `explain`."""

    code: str
    name: str
    severity: Severity
    cause: str
    fix: str

    def finding(
        self, message: str, evidence: str, *, line: int | None = None, function: str | None = None
    ) -> Finding:
        """A finding of this kind."""
        return Finding(
            self.code,
            self.name,
            self.severity,
            message,
            evidence,
            line,
            function,
            self.cause,
            self.fix,
        )
