"""Parsing one statement with the grammar, and the memo of statement shapes.

A statement's shape is its text with names and numbers abstracted to their kinds. Lark parses the
first statement of each shape; those after it only fill in their leaves.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ptxtool.syntax.leaves import BAD, LeafTable
from ptxtool.syntax.nodes import Guard, Operand
from ptxtool.syntax.operands import Build, Plan, children, rule_of

if TYPE_CHECKING:
    from lark import Token, Tree

LEAF = re.compile(
    r"([A-Za-z_$%][\w$]*(?:\.[A-Za-z]\w*)?"
    r"|0[xXbBfFdD]\w*"
    r"|\d+\.?\d*(?:[eE][+-]?\d+)?\w*"
    r"|\.\d+(?:[eE][+-]?\d+)?\w*)"
)
# Shapes kept; a file of hostile variety must not fill the memory.
SHAPE_LIMIT = 1 << 16


@dataclass(frozen=True)
class Parts:
    """What an instruction is made of, before it has a place."""

    opcode: str
    modifiers: tuple[str, ...]
    operands: tuple[Operand, ...]


class Shapes:
    """The memo of one process: (head, shape of the operands) -> builders."""

    def __init__(self) -> None:
        self.leaves = LeafTable()
        self.builders: dict[str, tuple[Build, ...]] = {}  # none: the operands are the leaves
        self.heads: dict[str, tuple[str, tuple[str, ...]]] = {}
        self.guards: dict[str, Guard] = {}

    def operands(self, head: str, tail: str) -> tuple[Operand, ...] | None:
        """The operands behind a head when their shape is known, else None."""
        parts = LEAF.split(tail)
        names = parts[1::2]
        kind = self.leaves.kind
        try:
            kinds = "".join([kind[name] for name in names])
        except KeyError:
            for name in names:
                if name not in kind:
                    self.leaves.learn(name)
            if any(name not in kind for name in names):
                return None  # the table was emptied on the way; the next statement finds it filled
            kinds = "".join([kind[name] for name in names])
        key = head + kinds + "\0".join(parts[::2])
        builders = self.builders.get(key)
        if builders is None:
            return None
        node = self.leaves.node
        nodes = [node[name] for name in names]
        if not builders:
            return tuple(nodes)
        return tuple([build(nodes) for build in builders])

    def remember(self, head: str, tail: str, plan: Plan, builders: tuple[Build, ...]) -> None:
        """Keep the builders of a shape, if lark and the splitter saw the same leaves."""
        parts = LEAF.split(tail)
        names = parts[1::2]
        for name in names:
            if name not in self.leaves.kind:
                self.leaves.learn(name)
        kinds = "".join([self.leaves.kind.get(name, BAD) for name in names])
        if BAD in kinds or not plan.shared:
            return
        if [self.leaves.node.get(name) for name in names] != plan.leaves:
            return
        if len(self.builders) >= SHAPE_LIMIT:
            self.builders.clear()
        # Most statements are a list of leaves; these need no builder.
        listed = [build(plan.leaves) for build in builders] == plan.leaves
        self.builders[head + kinds + "\0".join(parts[::2])] = () if listed else builders

    def head(self, text: str) -> tuple[str, tuple[str, ...]]:
        """Opcode and modifiers of a head such as `ld .global.v4.f32`."""
        found = self.heads.get(text)
        if found is None:
            opcode, *modifiers = [word.strip() for word in text.split(".")]
            found = self.heads[text] = (opcode, tuple(modifiers))
        return found

    def guard(self, text: str) -> Guard:
        """The guard in `@!%p1`."""
        found = self.guards.get(text)
        if found is None:
            name = text.strip().removeprefix("@").strip()
            negated = name.startswith("!")
            found = self.guards[text] = Guard(name.removeprefix("!").strip(), negated)
        return found


def plan_instruction(
    tree: Tree[Token], text: str
) -> tuple[Guard | None, Parts, Plan, tuple[Build, ...]]:
    """Guard, parts, and the plan that can build statements of the same shape. Raises Misplaced."""
    guard_tree, opcode, *rest = children(tree)
    modifiers = tuple(str(item)[1:] for item in rest if item is not None and rule_of(item) is None)
    plan = Plan(text)
    trees = [item for item in rest if item is not None and rule_of(item) is not None]
    builders = tuple(plan.operand(item) for item in trees)
    operands: Sequence[Operand] = [build(plan.leaves) for build in builders]
    guard = None
    if guard_tree is not None:
        negation, name = children(guard_tree)
        guard = Guard(str(name), negation is not None)
    return guard, Parts(str(opcode), modifiers, tuple(operands)), plan, builders
