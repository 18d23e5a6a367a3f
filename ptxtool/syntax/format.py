"""One layout for PTX: indentation, blanks between operands, no trailing blanks. Comments stay.

The layout is a set of edits on white space; words and their order are never touched, and what holds
a comment inside a statement is left as it is.
"""

from __future__ import annotations

import re

from ptxtool.core.source import Source
from ptxtool.syntax import nodes
from ptxtool.syntax.edits import Edit, apply_edits
from ptxtool.syntax.parser import parse

_BLANKS = re.compile(r"\s+")
_COMMA = re.compile(r"\s*,\s*")
_INSIDE = re.compile(r"(?<=[\[({])\s+|\s+(?=[\])}])")
_TRAILING = re.compile(r"[ \t]+(?=\r?$)", re.MULTILINE)
_LEADING = re.compile(r"[ \t]*")


def format_module(source: Source) -> str:
    """The text in the normal layout; a module with syntax errors comes back as it was."""
    module = parse(source)
    if module.diagnostics:
        return source.text
    edits = [*_statements(source, module), *_indents(source, module)]
    text = apply_edits(source, edits).text
    return _TRAILING.sub("", text)


def _statements(source: Source, module: nodes.Module) -> list[Edit]:
    found = []
    for statement in nodes.walk(module.statements):
        if isinstance(statement, nodes.Instruction):
            text = source.text[statement.start : statement.end]
            if not any(mark in text for mark in ("//", "/*", "#")):
                found.append(Edit(statement.start, statement.end, _instruction(text)))
    return found


def _instruction(text: str) -> str:
    """Single blanks, none inside brackets, one behind a comma."""
    body = _BLANKS.sub(" ", text.removesuffix(";").strip())
    body = _INSIDE.sub("", _COMMA.sub(", ", body))
    return re.sub(r"^@ ?(!?) ?", r"@\1", body) + ";"


def _indents(source: Source, module: nodes.Module) -> list[Edit]:
    """A tab for each block around the first statement of a line; labels and braces stand out."""
    depths: dict[int, int] = {}
    for function in module.functions:
        if function.body is not None:
            _depths(source, function.body, 0, depths)
    edits = []
    for line, depth in depths.items():
        start = source.line_starts[line - 1]
        end = _LEADING.match(source.text, start).end()  # type: ignore[union-attr]
        edits.append(Edit(start, end, "\t" * depth))
    return [edit for edit in edits if source.text[edit.start : edit.end] != edit.replacement]


def _depths(source: Source, block: nodes.Block, depth: int, depths: dict[int, int]) -> None:
    for statement in block.statements:
        if isinstance(statement, nodes.Block):
            _first_on_line(source, statement.start, depth + 1, depths)
            _depths(source, statement, depth + 1, depths)
        else:
            own = 0 if isinstance(statement, nodes.Label) else depth + 1
            _first_on_line(source, statement.start, own, depths)
    _first_on_line(source, block.end - 1, depth, depths)


def _first_on_line(source: Source, offset: int, depth: int, depths: dict[int, int]) -> None:
    line = source.line(offset)
    if not source.text[source.line_starts[line - 1] : offset].strip():
        depths.setdefault(line, depth)
