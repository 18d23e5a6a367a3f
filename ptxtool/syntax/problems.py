"""Syntax errors in words: what was met, what was expected, and what to write instead."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ptxtool.core.diagnostics import Diagnostic, Severity
from ptxtool.core.source import Source
from ptxtool.syntax.operands import Misplaced

if TYPE_CHECKING:
    from lark.exceptions import UnexpectedInput

SYNTAX = "PTX101"
STRUCTURE = "PTX102"

# What a terminal of the grammar is called in a message; those left out are too many to be of use.
_WORDS = {
    "SEMICOLON": "';'",
    "COMMA": "','",
    "COLON": "':'",
    "LBRACE": "'{'",
    "RBRACE": "'}'",
    "LSQB": "'['",
    "RSQB": "']'",
    "LPAR": "'('",
    "RPAR": "')'",
    "NAME": "a name",
    "INT": "a number",
    "FLOAT": "a number",
    "STRING": "a string",
    "DOTTED": "a modifier",
    "EQUAL": "'='",
}

# (what the text around the fault looks like, what to do about it); the first that fits is given.
_HINTS = [
    (
        re.compile(r"\[\s*(?P<base>[\w$%]+)\s*-\s*(?P<number>\w+)"),
        "an offset is added: write [{base}+-{number}] for [{base}-{number}]",
    ),
    (re.compile(r"\[\s*\d+\s*\+"), "write the register first: [%r1+4]"),
    (re.compile(r"\[[^\]]*\+\s*%"), "an offset is a constant: add the registers beforehand"),
    (re.compile(r"\[\s*\("), "write the base without parentheses: [%r1+4]"),
    (re.compile(r"(?<![\w.])0[dD][0-9a-fA-F]*\b"), "0d takes exactly 16 hexadecimal digits"),
    (re.compile(r"(?<![\w.])0[fF][0-9a-fA-F]*\b"), "0f takes exactly 8 hexadecimal digits"),
    (re.compile(r"\b\d+(?:\.\d*)?[fF]\b"), "write 1.0 or 0f3F800000: PTX has no suffix f"),
    (re.compile(r"\b\d+(?:u|[uU]?[lL]+)\b"), "the only suffix of an integer is U"),
    (re.compile(r"\b0\d*[89]"), "a leading 0 makes a number octal"),
    (re.compile(r"\d%\d"), "write blanks around %: 7 % 3"),
    (re.compile(r"\.\s+\w"), "write the modifier directly behind its dot"),
    (re.compile(r"\s::|::\s"), "write :: without blanks"),
    (re.compile(r",\s*[;}\])]"), "remove the comma, or add what it announces"),
    (re.compile(r";\s*;"), "remove the second ';': PTX has no empty statement"),
    (re.compile(r"\{[^}]*\{"), "a vector holds registers only, no vector"),
    (re.compile(r"\|\s*%?\w+\s*\|"), "use the abs instruction"),
    (re.compile(r"\\"), "a statement may go over several lines as it is: remove the backslash"),
    (re.compile(r"@!\s*!"), "one ! negates a predicate"),
    (re.compile(r"@[^;]*?(?::|\.reg|\{)"), "only an instruction can be predicated"),
]


def from_lark(source: Source, text: str, base: int, error: UnexpectedInput) -> Diagnostic:
    """A diagnostic for what lark met at a place of the statement `text`, which begins at `base`."""
    offset, length = _place(text, error)
    met = text[offset : offset + length].strip()
    met = f"'{met}'" if met else "the end of the input"
    expected = _expected(error)
    message = f"syntax error at {met}" + (f": expected {expected}" if expected else "")
    span = source.span(base + offset, base + offset + max(1, length))
    return Diagnostic(SYNTAX, Severity.ERROR, message, span, hint(text, offset, expected))


def from_misplaced(source: Source, base: int, error: Misplaced) -> Diagnostic:
    """A diagnostic for what the grammar took and PTX does not."""
    span = source.span(base + error.start, base + max(error.end, error.start + 1))
    return Diagnostic(SYNTAX, Severity.ERROR, str(error), span, error.help)


def structural(source: Source, start: int, end: int, message: str, help: str) -> Diagnostic:
    """A diagnostic for a statement that stands where it may not."""
    return Diagnostic(STRUCTURE, Severity.ERROR, message, source.span(start, end), help)


def hint(text: str, offset: int, expected: str) -> str | None:
    """The way out, read from the text near the fault."""
    if text.startswith(";", offset) and not text[:offset].strip():
        return "remove it: PTX has no empty statement"
    near = slice(max(0, offset - 40), offset + 24)
    for pattern, advice in _HINTS:
        for match in pattern.finditer(text[near]):
            if match.start() + near.start <= offset <= match.end() + near.start:
                return advice.format(**match.groupdict()) if match.groupdict() else advice
    if expected == "';'" or expected.startswith("';'"):
        return "end the statement before this with ';'"
    return None


def _place(text: str, error: UnexpectedInput) -> tuple[int, int]:
    """Offset and length of what was met; the end of the text when that was not enough."""
    token = getattr(error, "token", None)
    offset = error.pos_in_stream
    if token is not None and token.type == "$END":
        return len(text.rstrip()), 0
    if offset is None or offset < 0:
        return len(text.rstrip()), 0
    word = re.compile(r"[\w$%]+|::|.", re.DOTALL).match(text, offset)
    return offset, len(word.group()) if word else 0


def _expected(error: UnexpectedInput) -> str:
    names = getattr(error, "accepts", None) or getattr(error, "expected", None)
    names = names or getattr(error, "allowed", None) or ()
    words = sorted({_WORDS[name] for name in names if name in _WORDS})
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
