"""One table object, drawn on a console or as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from rich import box
from rich.table import Table as RichTable
from rich.text import Text

UNKNOWN = "?"


@dataclass
class Table:
    """Headers and rows; a number goes to the right, None shows as unknown."""

    headers: Sequence[str]
    rows: list[Sequence[Any]] = field(default_factory=list)

    def add(self, *cells: Any) -> None:
        """Append one row."""
        assert len(cells) == len(self.headers)
        self.rows.append(cells)

    def to_rich(self) -> RichTable:
        """A compact table without borders."""
        table = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1), show_edge=False)
        for index, header in enumerate(self.headers):
            right = any(isinstance(row[index], int | float) for row in self.rows)
            last = index == len(self.headers) - 1
            table.add_column(
                Text(header),
                justify="right" if right else "left",
                no_wrap=not last,
                overflow="fold" if last else "ellipsis",
            )
        for row in self.rows:
            table.add_row(*(Text(cell_text(cell)) for cell in row))
        return table

    def to_markdown(self) -> str:
        """A GitHub table."""
        lines = [_markdown_row(self.headers), _markdown_row(["---"] * len(self.headers))]
        lines += [_markdown_row([cell_text(cell) for cell in row]) for row in self.rows]
        return "\n".join(lines)


def cell_text(cell: Any) -> str:
    """A cell as text: unknown for None, thousands as they are, a rounded float."""
    if cell is None:
        return UNKNOWN
    if isinstance(cell, float):
        return f"{cell:.1f}"
    return str(cell)


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def percent(fraction: float) -> str:
    """A fraction as a percentage; one digit only where the whole percent would mislead."""
    value = fraction * 100
    return f"{value:.0f} %" if abs(value - round(value)) < 0.05 else f"{value:.1f} %"


def amount(value: int | None, unit: str = "") -> str:
    """A number with its unit, or unknown."""
    text = UNKNOWN if value is None else str(value)
    return f"{text} {unit}".rstrip()
