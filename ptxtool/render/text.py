"""Pieces of text that several views share."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from ptxtool.core.diagnostics import Diagnostic, Severity

_STYLE = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}


def heading(console: Console, text: str) -> None:
    """A bold line."""
    console.print(Text(text, style="bold"))


def line(console: Console, text: str, style: str = "") -> None:
    """Plain text, never read as markup."""
    console.print(Text(text, style=style), soft_wrap=True)


def diagnostics(console: Console, found: Iterable[Diagnostic]) -> None:
    """Diagnostics, one below the other."""
    for item in found:
        line(console, str(item), _STYLE[item.severity])


def short_name(name: str, width: int = 48) -> str:
    """A long mangled name cut in its middle."""
    if len(name) <= width:
        return name
    half = (width - 1) // 2
    return f"{name[:half]}…{name[-half:]}"


def lines_of(numbers: Iterable[int], most: int = 6) -> str:
    """Line numbers as text, cut when they are many."""
    listed = list(numbers)
    shown = ", ".join(map(str, listed[:most]))
    return shown + (f" and {len(listed) - most} more" if len(listed) > most else "")
