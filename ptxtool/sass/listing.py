"""Reading nvdisasm's listings: instructions, labels, PTX lines, live counts."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ptxtool.sass.model import LiveCounts

_SECTION = re.compile(r"^\s*\.section\s+\.text\.([^,\s]+)")
_OTHER_SECTION = re.compile(r"^\s*\.section\s")
_LABEL = re.compile(r"^(\.L[\w.$]*|[\w.$]+):")
_PTX_LINE = re.compile(r'//## File "\.nv_debug_ptx_txt[^"]*", line (\d+)')
_ANY_LINE = re.compile(r'//## File "')
_INSTRUCTION = re.compile(r"^\s*/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;\s*(//.*)?$")
_ENTRY = re.compile(r"^\s*\.other\s.*STO_CUDA_ENTRY")
_COLUMNS = re.compile(r"//\s*\|((?:\s*(?:GPR|PRED|UGPR|UPRED|UR|UP)\s*\|)+)")

_FIELD = {"GPR": "gpr", "PRED": "predicate", "UGPR": "uniform", "UPRED": "uniform_predicate"}


@dataclass
class Listed:
    """One section of a listing: offset -> text, label -> offset, offset -> PTX line."""

    texts: dict[int, str] = field(default_factory=dict)
    labels: dict[str, int] = field(default_factory=dict)
    ptx_lines: dict[int, int] = field(default_factory=dict)
    is_entry: bool = False


def read_listing(listing: str) -> dict[str, Listed]:
    """The code sections of `nvdisasm -c -gp`."""
    found: dict[str, Listed] = {}
    current: Listed | None = None
    pending: list[str] = []
    line_number: int | None = None
    for line in listing.splitlines():
        match = _INSTRUCTION.match(line)
        if match is not None:
            if current is None:
                continue
            offset = int(match.group(1), 16)
            current.texts[offset] = match.group(2)
            for label in pending:
                current.labels[label] = offset
            pending = []
            if line_number is not None:
                current.ptx_lines[offset] = line_number
            continue
        match = _PTX_LINE.search(line)
        if match is not None:
            line_number = int(match.group(1))
            continue
        match = _SECTION.match(line)
        if match is not None:
            current = found.setdefault(match.group(1), Listed())
            line_number = None
            pending = []  # labels at the end of the section before
        elif current is not None and _ENTRY.match(line):
            current.is_entry = True
        elif _OTHER_SECTION.match(line):
            current = None
        elif (match := _LABEL.match(line)) is not None:
            pending.append(match.group(1))
    return found


def read_live_counts(text: str) -> dict[str, dict[int, LiveCounts]]:
    """Live registers by section and offset, from `nvdisasm -c -lrm count`."""
    found: dict[str, dict[int, LiveCounts]] = {}
    current: dict[int, LiveCounts] | None = None
    columns: list[str] = []
    for line in text.splitlines():
        match = _INSTRUCTION.match(line)
        if match is not None and current is not None and columns:
            current[int(match.group(1), 16)] = _counts(match.group(3) or "", columns)
            continue
        match = _SECTION.match(line)
        if match is not None:
            current = found.setdefault(match.group(1), {})
            continue
        match = _COLUMNS.search(line)
        if match is not None:
            columns = [word.strip() for word in match.group(1).split("|") if word.strip()]
    return found


def _counts(comment: str, columns: list[str]) -> LiveCounts:
    cells = [cell.strip() for cell in comment.partition("|")[2].split("|")]
    values = {
        _FIELD[name]: int(cell)
        for name, cell in zip(columns, cells, strict=False)
        if cell.isdigit() and name in _FIELD
    }
    return LiveCounts(**values)
