"""The plain Lark path: the whole file through the grammar, no splitter and no memo.

It is the oracle of the fast parser: both must give equal trees. It stops at the first fault.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxtool.core.source import Source
from ptxtool.syntax import directives, problems
from ptxtool.syntax.blank import Blanked, blank
from ptxtool.syntax.grammar import parser
from ptxtool.syntax.nodes import Block, Function, Instruction, Label, Module, Statement
from ptxtool.syntax.operands import Misplaced, children, end_of, rule_of, start_of
from ptxtool.syntax.statements import plan_instruction

if TYPE_CHECKING:
    from lark import Token, Tree

    Node = Tree[Token] | Token


def parse_slow(source: Source) -> Module:
    """Parse PTX with the grammar alone."""
    from lark.exceptions import UnexpectedInput

    blanked = blank(source)
    if blanked.diagnostics:
        return Module(source, (), tuple(blanked.diagnostics))
    try:
        tree = parser().parse(blanked.text, start="module")
        statements = Walk(blanked).statements(children(tree))
    except UnexpectedInput as error:
        return Module(source, (), (problems.from_lark(source, blanked.text, 0, error),))
    except Misplaced as error:
        return Module(source, (), (problems.from_misplaced(source, 0, error),))
    return Module(source, tuple(statements))


class Walk:
    """Turns the tree of a file into statements."""

    def __init__(self, blanked: Blanked) -> None:
        self.text = blanked.text
        self.regions = blanked.asm_regions

    def statements(self, trees: list[Node]) -> list[Statement]:
        """Every statement of a list of trees."""
        return [statement for tree in trees for statement in self.statement(tree)]

    def statement(self, tree: Node) -> list[Statement]:
        """One tree; a declaration may hold several variables."""
        rule, start, end = str(rule_of(tree)), start_of(tree), end_of(tree)
        if rule == "instruction":
            return [self._instruction(tree)]
        if rule == "block":
            return [Block(start, end, tuple(self.statements(children(tree))))]
        if rule == "function":
            return [self._function(tree)]
        if rule == "label":
            return [Label(start, end, str(children(tree)[0]))]
        if rule == "declaration":
            return list(directives.declarations(tree, self.text, 0, start, end))
        return [directives.any_directive(tree, self.text, start, end)]

    def _instruction(self, tree: Node) -> Instruction:
        guard, parts, _, _ = plan_instruction(tree, self.text)  # type: ignore[arg-type]
        start = start_of(tree)
        asm = any(first <= start < last for first, last in self.regions)
        place = start, end_of(tree)
        return Instruction(*place, guard, parts.opcode, parts.modifiers, parts.operands, asm)

    def _function(self, tree: Node) -> Function:
        header_tree, *rest = children(tree)
        header = directives.header(header_tree, self.text, 0)
        body = self.statement(rest[0])[0] if rest else None
        assert body is None or isinstance(body, Block)
        return Function(
            start_of(tree),
            end_of(tree),
            header.kind,
            header.name,
            header.linkage,
            header.returns,
            header.parameters,
            header.directives,
            body,
            header.attributes,
        )
