"""Edits on source text: what is not edited stays byte for byte."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ptxtool.core.source import Source


@dataclass(frozen=True, order=True)
class Edit:
    """Replace [start, end) by text; an insertion has start == end."""

    start: int
    end: int
    replacement: str


def apply_edits(source: Source, edits: Iterable[Edit]) -> Source:
    """The source with every edit made. Raises ValueError when two overlap or one is outside."""
    pieces: list[str] = []
    at = 0
    for edit in sorted(edits):
        if not 0 <= edit.start <= edit.end <= len(source.text):
            raise ValueError(f"edit [{edit.start}, {edit.end}) lies outside of {source.name}")
        if edit.start < at:
            raise ValueError(f"edits overlap at offset {edit.start} of {source.name}")
        pieces += [source.text[at : edit.start], edit.replacement]
        at = edit.end
    pieces.append(source.text[at:])
    return Source(source.name, "".join(pieces))
