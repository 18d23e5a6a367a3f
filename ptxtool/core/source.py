"""Source text and positions in it.

Text is decoded as latin-1 and newlines are kept as they are, so that every offset into the text
is also a byte offset into the file.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

_NEWLINE = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, eq=False)
class Source:
    """One input: its display name and its text, one character per byte."""

    name: str
    text: str = field(repr=False)

    @classmethod
    def from_bytes(cls, name: str, data: bytes) -> Source:
        """Decode one byte to one character, so offsets survive any encoding."""
        return cls(name, data.decode("latin-1"))

    @classmethod
    def read(cls, path: Path) -> Source:
        """Read a file. Raises OSError as `Path.read_bytes` does."""
        return cls.from_bytes(str(path), path.read_bytes())

    def to_bytes(self) -> bytes:
        """The bytes of the file that this text came from."""
        return self.text.encode("latin-1")

    @cached_property
    def line_starts(self) -> list[int]:
        """Offset of the first character of each line; CR, LF and CRLF all end a line."""
        return [0, *(match.end() for match in _NEWLINE.finditer(self.text))]

    def line_column(self, offset: int) -> tuple[int, int]:
        """1-based line and column of an offset."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def line(self, offset: int) -> int:
        """1-based line of an offset."""
        return bisect_right(self.line_starts, offset)

    def line_text(self, line: int) -> str:
        """The text of a 1-based line, without its line end."""
        start = self.line_starts[line - 1]
        end = self.line_starts[line] if line < len(self.line_starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    def span(self, start: int, end: int) -> Span:
        """The span [start, end) of this source."""
        return Span(self, start, end)


@dataclass(frozen=True)
class Span:
    """A piece of a source, in byte offsets [start, end)."""

    source: Source
    start: int
    end: int

    @property
    def text(self) -> str:
        """The characters inside the span."""
        return self.source.text[self.start : self.end]

    @property
    def line(self) -> int:
        """1-based line where the span starts."""
        return self.source.line(self.start)

    @property
    def column(self) -> int:
        """1-based column where the span starts."""
        return self.source.line_column(self.start)[1]

    def __str__(self) -> str:
        line, column = self.source.line_column(self.start)
        return f"{self.source.name}:{line}:{column}"

    def excerpt(self, width: int = 100) -> str:
        """The line of the span with a caret line below it; long lines are cut around the span."""
        line, column = self.source.line_column(self.start)
        text = self.source.line_text(line).replace("\t", " ")
        first = max(0, column - 1 - width // 2) if len(text) > width else 0
        shown = text[first : first + width]
        at = column - 1 - first
        carets = max(1, min(self.end - self.start, len(shown) - at))
        return f"{shown}\n{' ' * at}{'^' * carets}"
