"""Comments, `#line` lines and stray control characters blanked, so that offsets survive."""

from __future__ import annotations

import re
from bisect import bisect_right
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
OPEN_COMMENT = "this comment has no end"
# ptxas takes an end-of-file mark of old systems for white space.
CONTROL_Z = "\x1a"
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
    opened = _open_comment(source, text, diagnostics)
    if opened is not None:
        text = text[:opened] + _NOT_NEWLINE.sub(" ", text[opened:])
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
        after = bisect_right(ends, begin)
        regions.append((begin, ends[after] if after < len(ends) else len(text)))
    return regions


def _blank_foreign(source: Source, diagnostics: list[Diagnostic]) -> str:
    """Blank every character that ptxas refuses, and report each run of them once."""
    text = source.text
    last_line = 0
    for match in _FOREIGN.finditer(text):
        line = source.line(match.start())
        if match.group() == CONTROL_Z or line == last_line:
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


def _open_comment(source: Source, text: str, diagnostics: list[Diagnostic]) -> int | None:
    """After blanking, what is left of `/*` has no end; returns where it begins."""
    opened = text.find("/*")
    if opened >= 0 and text.count('"', 0, opened) % 2 == 0:
        span = source.span(opened, opened + 2)
        diagnostics.append(
            Diagnostic("PTX101", Severity.ERROR, OPEN_COMMENT, span, "close it with */")
        )
        return opened
    return None
