"""Where each key and value of a TOML document stands.

tomllib gives values without positions. This scanner walks a document that tomllib has accepted,
so it need not judge it: it only follows keys, strings, brackets and comments.
"""

from __future__ import annotations

import re
import tomllib

from ptxtool.core.source import Source, Span
from ptxtool.launch.problems import KeyPath

_TOP: KeyPath = ()
_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_KEY = re.compile(r"[A-Za-z0-9_-]+|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'")
_SCALAR = re.compile(
    r'"""(?:[^"\\]|\\.|\\\n|"(?!""))*"{3,5}'
    r"|'''(?:[^']|'(?!''))*'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'"
    r"|[^,\]}\n#]+",
    re.DOTALL,
)


class Locator:
    """Spans of the keys and values of one TOML document, by key path."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._text = source.text
        self._keys: dict[KeyPath, tuple[int, int]] = {}
        self._values: dict[KeyPath, tuple[int, int]] = {}
        self._array_sizes: dict[KeyPath, int] = {}
        self._scan()

    def key(self, path: KeyPath) -> Span:
        """Span of the key at `path`, or of the nearest key above it."""
        return self._nearest(path, self._keys)

    def value(self, path: KeyPath) -> Span:
        """Span of the value at `path`; for a table with a header, of its name there."""
        if path in self._values:
            return self._source.span(*self._values[path])
        return self.key(path) if path in self._keys else self._nearest(path, self._values)

    def _nearest(self, path: KeyPath, spans: dict[KeyPath, tuple[int, int]]) -> Span:
        while path and path not in spans and path not in self._keys:
            path = path[:-1]
        return self._source.span(*(spans.get(path) or self._keys.get(path) or (0, 0)))

    def _scan(self) -> None:
        at, table = self._skip(0), _TOP
        while at < len(self._text):
            if self._text[at] == "[":
                at, table = self._header(at)
            else:
                at = self._pair(at, table)
            at = self._skip(at)

    def _skip(self, at: int, pattern: re.Pattern[str] = _BLANK) -> int:
        match = pattern.match(self._text, at)
        return match.end() if match else at

    def _header(self, at: int) -> tuple[int, KeyPath]:
        is_array = self._text.startswith("[[", at)
        at, names = self._dotted(at + (2 if is_array else 1))
        path: KeyPath = ()
        for number, (name, start, end) in enumerate(names):
            path = (*path, name)
            self._keys.setdefault(path, (start, end))
            is_last = number == len(names) - 1
            if is_array and is_last:
                self._array_sizes[path] = self._array_sizes.get(path, 0) + 1
            if path in self._array_sizes:
                path = (*path, self._array_sizes[path] - 1)
                if is_last:
                    self._keys.setdefault(path, (start, end))
        return at + (2 if is_array else 1), path

    def _dotted(self, at: int) -> tuple[int, list[tuple[str, int, int]]]:
        names: list[tuple[str, int, int]] = []
        while True:
            at = self._skip(at, _SPACE)
            match = _KEY.match(self._text, at)
            if match is None:
                return len(self._text), names
            names.append((_plain(match.group()), at, match.end()))
            at = self._skip(match.end(), _SPACE)
            if not self._text.startswith(".", at):
                return at, names
            at += 1

    def _pair(self, at: int, table: KeyPath) -> int:
        at, names = self._dotted(at)
        path = table
        for name, start, end in names:
            path = (*path, name)
            self._keys.setdefault(path, (start, end))
        if not self._text.startswith("=", at):
            return len(self._text)
        return self._value(self._skip(at + 1, _SPACE), path)

    def _value(self, at: int, path: KeyPath) -> int:
        if self._text.startswith("[", at):
            end = self._array(at, path)
        elif self._text.startswith("{", at):
            end = self._inline_table(at, path)
        else:
            match = _SCALAR.match(self._text, at)
            end = match.end() if match else at + 1
        self._values[path] = (at, at + len(self._text[at:end].rstrip()))
        return end

    def _array(self, at: int, path: KeyPath) -> int:
        at, index = self._skip(at + 1), 0
        while at < len(self._text) and self._text[at] != "]":
            at = self._comma(self._value(at, (*path, index)))
            index += 1
        return at + 1

    def _inline_table(self, at: int, path: KeyPath) -> int:
        at = self._skip(at + 1)
        while at < len(self._text) and self._text[at] != "}":
            at = self._comma(self._pair(at, path))
        return at + 1

    def _comma(self, at: int) -> int:
        at = self._skip(at)
        return self._skip(at + 1) if self._text.startswith(",", at) else at


def _plain(key: str) -> str:
    """The name that a bare or quoted key stands for."""
    if key[0] not in "\"'":
        return key
    document = tomllib.loads(f"{key}=0".encode("latin-1").decode("utf-8"))
    return next(iter(document))
