"""Patterns for the declarations and headers that compilers write by the thousand.

Each is a part of the grammar written as one pattern. What does not fit exactly goes through the
grammar; the tests hold the trees of both ways against each other.
"""

from __future__ import annotations

import re

from ptxtool.syntax.directives import Header, number
from ptxtool.syntax.leaves import FLOAT, INTEGER
from ptxtool.syntax.nodes import Directive, RegisterDeclaration, RegisterName, VariableDeclaration

# WARP_SZ is a constant: the grammar's way refuses it with a word.
_NAME = r"(?:(?!WARP_SZ\b)[A-Za-z][\w$]*+|[_$%][\w$]++)"
_ATOM = rf"(?:(?:{INTEGER.pattern})(?![\w$.])|{_NAME}|\.[A-Za-z]\w*+)"
_VALUE = rf"-?{_ATOM}(?:[ \t]*+[+-][ \t]*+{_ATOM})*+"
_TYPES = r"(?:[busf](?:8|16|32|64)|f16x2|pred|b128)"

_NUMBERS = re.compile(
    rf"=\s*+\{{\s*+(?:(?:{FLOAT.pattern}|{INTEGER.pattern})\s*+(?:,\s*+(?=[\d.])|(?=\}})))++\}}\s*+;$"
)
_SECTION = re.compile(
    r"\.section\s++(\.?[\w$]++)\s*+\{((?:\s*+(?:[A-Za-z_$][\w$]*+\s*+:"
    rf"|\.[A-Za-z]\w*+\s++{_VALUE}(?:\s*+,\s*+{_VALUE})*+(?=[\s}}])))*+\s*+)\}}"
)
_REGISTERS = re.compile(rf"\.reg[ \t]+\.({_TYPES})[ \t]+({_NAME})(?:<([1-9]\d*)>)?;")
_VARIABLE = re.compile(
    r"(?:\.(visible|extern|weak)[ \t]+)?\.(param|local|shared|global|const)[ \t]+"
    r"(?:\.align[ \t]+([1-9]\d*)[ \t]+)?"
    rf"\.({_TYPES})[ \t]+({_NAME})(?:\[([1-9]\d*)\])?"
    r"(?: = (-?(?:0|[1-9]\d*)))?;"
)
_PARAMETER = re.compile(
    r"\s*+(\.param[ \t]+(?:\.align[ \t]+([1-9]\d*)[ \t]+)?"
    rf"\.({_TYPES})[ \t]+({_NAME})(?:\[([1-9]\d*)\])?)(?=\s*+[,)])"
)
_KIND = re.compile(r"(?:\.(visible|weak|extern)\s+)?\.(entry|func)\b\s*(\()?")
_FUNCTION_NAME = re.compile(rf"\s*+({_NAME})\s*+(\((?:\s*\))?)?")
_REST = re.compile(r"\s*+")
# A table this long is checked by a pattern instead of the grammar.
_LONG = 400


def long_initializer(text: str) -> int | None:
    """Offset of `=` when a long plain table of numbers follows, else None."""
    if len(text) < _LONG or "=" not in text:
        return None
    at = text.index("=")
    return at if "," not in text[:at] and _NUMBERS.match(text, at) else None


def section(text: str, start: int, end: int) -> Directive | None:
    """A section that holds only labels and plain data, which is all that debuggers need."""
    found = _SECTION.fullmatch(text, start, end)
    if found is None:
        return None
    name, body = found.groups()
    return Directive(start, end, "section", body.strip(), (name,))


def declaration(text: str, start: int) -> RegisterDeclaration | VariableDeclaration | None:
    """`.reg .b32 %r<10>;`, `.param .align 8 .b8 p[16];` and the like."""
    found = _REGISTERS.match(text, start)
    if found is not None:
        type_, name, count = found.groups()
        names = (RegisterName(name, None if count is None else int(count)),)
        return RegisterDeclaration(start, found.end(), type_, None, names)
    found = _VARIABLE.match(text, start)
    if found is None:
        return None
    linkage, space, *rest, initial = found.groups()
    variable = _variable(space, rest, start, found.end())
    variable.linkage = (linkage,) if linkage else ()
    variable.initializer = initial
    return variable


def _variable(space: str, parts: list[str | None], start: int, end: int) -> VariableDeclaration:
    alignment, type_, name, extent = parts
    return VariableDeclaration(
        start,
        end,
        space,
        type_ or "",
        name or "",
        alignment=None if alignment is None else int(alignment),
        shape=() if extent is None else (number(extent),),
    )


def parameters(text: str, start: int) -> tuple[tuple[VariableDeclaration, ...], int] | None:
    """The parameters behind an opening parenthesis and the offset behind the closing one."""
    found: list[VariableDeclaration] = []
    while True:
        match = _PARAMETER.match(text, start)
        if match is None:
            return None
        place = match.span(1)
        found.append(_variable("param", list(match.groups()[1:]), *place))
        start = match.end()
        while text[start] in " \t\r\n":
            start += 1
        if text[start] == ")":
            return tuple(found), start + 1
        start += 1


def header(text: str, start: int, stop: int) -> Header | None:
    """A header of plain parameters without performance directives."""
    found = _KIND.match(text, start)
    if found is None:
        return None
    linkage, kind, opened = found.groups()
    returns, at = _list(text, found.end(), "(" if opened else None)
    named = _FUNCTION_NAME.match(text, at) if at else None
    if named is None:
        return None
    taken, end = _list(text, named.end(), named.group(2))
    if not end or _REST.match(text, end).end() < stop:  # type: ignore[union-attr]
        return None
    return Header(kind, named.group(1), (linkage,) if linkage else (), returns, taken)


def _list(text: str, at: int, opened: str | None) -> tuple[tuple[VariableDeclaration, ...], int]:
    """Parameters when a parenthesis was opened; offset 0 when they are not plain."""
    if opened != "(":
        return (), at
    return parameters(text, at) or ((), 0)
