"""Comments, `#line` lines and stray control characters blanked, so that offsets survive."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ptxtool.core.diagnostics import Diagnostic, Severity
from ptxtool.core.source import Source

_SKIPPED = re.compile(
    r'"[^"]*"'  # a string is no place for a comment
    r"|//[^\r\n]*"
    r"|/\*.*?\*/"
    r"|#[ \t]*(?:line\b)?[ \t]*[0-9][^\r\n]*",
    re.DOTALL,
)
_NOT_NEWLINE = re.compile(r"[^\r\n]")
_BEGIN_ASM = re.compile(r"//\s*begin inline asm")
_END_ASM = re.compile(r"//\s*end inline asm")
_FOREIGN = re.compile(r"[^\t\n\r -~]")


@dataclass
class Blanked:
    """Text of the same length, where the inline assembly begins and ends, and what was wrong."""

    text: str
    asm_regions: list[tuple[int, int]]
    diagnostics: list[Diagnostic]


def blank(source: Source) -> Blanked:
    """Blank what the grammar must not see."""
    diagnostics: list[Diagnostic] = []
    text = source.text
    if _FOREIGN.search(text):
        text = _blank_foreign(source, diagnostics)
    regions = _asm_regions(text)
    if "/" in text or "#" in text:
        text = _SKIPPED.sub(_blanked, text)
    _check_open_ends(source, text, diagnostics)
    return Blanked(text, regions, diagnostics)


def _blanked(match: re.Match[str]) -> str:
    found = match.group()
    if found[0] == '"':
        return found
    if found[1] == "*":
        return _NOT_NEWLINE.sub(" ", found)
    return " " * len(found)


def _asm_regions(text: str) -> list[tuple[int, int]]:
    if "inline asm" not in text:
        return []
    begins = [match.start() for match in _BEGIN_ASM.finditer(text)]
    ends = [match.start() for match in _END_ASM.finditer(text)]
    regions = []
    for begin in begins:
        end = next((end for end in ends if end > begin), len(text))
        regions.append((begin, end))
    return regions


def _blank_foreign(source: Source, diagnostics: list[Diagnostic]) -> str:
    """Blank every character that ptxas refuses, and report each run of them once."""
    text = source.text
    end = len(text.rstrip("\x1a\r\n \t")) if "\x1a" in text else len(text)
    last_line = 0
    for match in _FOREIGN.finditer(text):
        line = source.line(match.start())
        if match.start() >= end or line == last_line:
            continue
        last_line = line
        diagnostics.append(_foreign(source, match))
    return _FOREIGN.sub(" ", text)


def _foreign(source: Source, match: re.Match[str]) -> Diagnostic:
    code = ord(match.group())
    if match.start() == 0 and source.text.startswith("\xef\xbb\xbf"):
        what, fix = "a UTF-8 byte order mark", "save the file without a byte order mark"
    elif code == 0:
        what, fix = "a NUL byte", "cut the file at its last line; ptxas reads a NUL as the end"
    elif code >= 0x80:
        what, fix = f"byte 0x{code:02x} is not ASCII", "ptxas takes ASCII only, in comments too"
    else:
        what, fix = f"control character 0x{code:02x}", "use blanks, tabs and newlines only"
    return Diagnostic("PTX010", Severity.ERROR, what, source.span(*match.span()), fix)


def _check_open_ends(source: Source, text: str, diagnostics: list[Diagnostic]) -> None:
    """After blanking, what is left of `/*` or `"` has no end."""
    opened = text.find("/*")
    if opened >= 0 and text.count('"', 0, opened) % 2 == 0:
        span = source.span(opened, opened + 2)
        message = "this comment has no end"
        diagnostics.append(Diagnostic("PTX101", Severity.ERROR, message, span, "close it with */"))
