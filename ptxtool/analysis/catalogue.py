"""Every finding code of the analyses, for `explain`, `--deny` and the generated docs."""

from __future__ import annotations

from functools import cache

from ptxtool.analysis import local_findings, warp_roles
from ptxtool.analysis.decision_table_general import DECISIONS, UNKNOWN
from ptxtool.analysis.finding import FindingKind


@cache
def finding_kinds() -> dict[str, FindingKind]:
    """Each code with its name, severity, cause and fix, in ascending order."""
    said = [
        FindingKind(row.code, row.name, row.severity, row.cause, row.fix)
        for row in (*DECISIONS, UNKNOWN)
    ]
    found = [*warp_roles.KINDS, *local_findings.KINDS.values(), local_findings.DIFFERS]
    return {kind.code: kind for kind in sorted([*said, *found], key=lambda kind: kind.code)}


def finding_kind(topic: str) -> FindingKind | None:
    """A kind by its code ("PTX401") or its name ("spills")."""
    kinds = finding_kinds()
    return kinds.get(topic.upper()) or next(
        (kind for kind in kinds.values() if kind.name == topic), None
    )
