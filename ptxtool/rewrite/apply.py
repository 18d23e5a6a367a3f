"""Matches as text edits: what is not rewritten stays byte for byte."""

from __future__ import annotations

from collections.abc import Sequence

from ptxtool import ir
from ptxtool.core.source import Source
from ptxtool.rewrite.match import Match
from ptxtool.rewrite.template import spell
from ptxtool.syntax import Edit, apply_edits, nodes


def apply_matches(source: Source, function: ir.Function, matches: Sequence[Match]) -> Source:
    """The source with the sites of one function rewritten."""
    fresh = _Fresh(source)
    edits: list[Edit] = []
    for match in matches:
        edits += _edits(source, function, match, fresh)
    declaration = fresh.declarations()
    if declaration and function.node.body is not None:
        at = function.node.body.start + 1
        edits.append(Edit(at, at, declaration))
    return apply_edits(source, edits)


class _Fresh:
    """Fresh registers: one range for each type, under a name that the file does not use."""

    def __init__(self, source: Source) -> None:
        self.counts: dict[str, int] = {}
        number = 0
        while f"%new{number}_" in source.text:
            number += 1
        self.prefix = f"%new{number}_"

    def name(self, type_: str) -> str:
        """The next register of a type."""
        index = self.counts.get(type_, 0)
        self.counts[type_] = index + 1
        return f"{self.prefix}{type_}_{index}"

    def declarations(self) -> str:
        """What to insert behind the body's brace."""
        return "".join(
            f"\n\t.reg .{type_} \t{self.prefix}{type_}_<{count}>;"
            for type_, count in self.counts.items()
        )


def _edits(source: Source, function: ir.Function, match: Match, fresh: _Fresh) -> list[Edit]:
    node = function.instructions[match.root].node
    temps = {name: fresh.name(match.types[word]) for name, word in match.rule.temps.items()}
    lines = spell(match.rule.replace, match.types, {**match.values, **temps})
    guard = _guard(node)
    text = f"\n{_indent(source, node.start)}".join(guard + line for line in lines)
    removed = [_removal(source, function.instructions[index].node) for index in match.dead]
    return [Edit(node.start, node.end, text), *removed]


def _guard(node: nodes.Instruction) -> str:
    if node.guard is None:
        return ""
    return f"@{'!' if node.guard.negated else ''}{node.guard.register} "


def _indent(source: Source, offset: int) -> str:
    line = source.line_text(source.line(offset))
    return line[: len(line) - len(line.lstrip())]


def _removal(source: Source, node: nodes.Instruction) -> Edit:
    """Remove a statement, and its line when nothing else stands on it."""
    line = source.line(node.start)
    first = source.line_starts[line - 1]
    last = source.line_starts[line] if line < len(source.line_starts) else len(source.text)
    if source.text[first : node.start].strip() or source.text[node.end : last].strip():
        return Edit(node.start, node.end, "")
    return Edit(first, last, "")
