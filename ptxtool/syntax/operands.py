"""From the parse tree of an operand to a builder that makes it out of its leaves.

A builder takes the list of a statement's leaf nodes, in order of appearance, and returns the
operand. Statements of one shape share their builders; constant expressions keep their text and so
are built anew each time (`Plan.shared` is False then).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ptxtool.syntax.leaves import SINK, make_leaf
from ptxtool.syntax.nodes import (
    Address,
    ArgumentList,
    Immediate,
    Negated,
    Operand,
    Pair,
    Register,
    Sink,
    Symbol,
    Vector,
)

if TYPE_CHECKING:
    from lark import Token, Tree

    Node = Tree[Token] | Token

Leaves = Sequence[Operand]
Build = Callable[[Leaves], Operand]
NAMES = (Register, Symbol)


class Misplaced(Exception):
    """The grammar took it, PTX does not: carries where and what to write."""

    def __init__(self, start: int, end: int, message: str, help: str | None = None) -> None:
        super().__init__(message)
        self.start, self.end, self.help = start, end, help


@dataclass
class Plan:
    """Collects the leaves of one statement while its operands are planned."""

    text: str
    leaves: list[Operand] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    shared: bool = True

    def operand(self, tree: Node) -> Build:
        """The builder of one operand. Raises Misplaced."""
        rule = rule_of(tree)
        if rule == "vector":
            return self._vector(tree)
        if rule == "address":
            return self._address(tree)
        return self._expression(tree)

    def _vector(self, tree: Node) -> Build:
        items = [self._expression(child) for child in children(tree)]
        return lambda leaves: Vector(tuple([item(leaves) for item in items]))

    def _address(self, tree: Node) -> Build:
        base_tree, *others = children(tree)
        base = self._base(base_tree)
        offsets = [child for child in others if rule_of(child) == "offset"]
        rest = [self.operand(child) for child in others if rule_of(child) != "offset"]
        offset = self._offset(offsets)
        if offset is None and not rest:
            return lambda leaves: Address(base(leaves))
        if not rest:
            return lambda leaves: Address(base(leaves), offset(leaves) if offset else None)
        return lambda leaves: Address(
            base(leaves),
            offset(leaves) if offset else None,
            tuple([item(leaves) for item in rest]),
        )

    def _base(self, tree: Node) -> Build:
        name, *component = [child for child in children(tree) if child is not None]
        return self._leaf(name, component[0] if component else None)

    def _offset(self, trees: list[Node]) -> Callable[[Leaves], Immediate] | None:
        """`+4`, `+-4` keep their leaf; sums and parentheses become an expression."""
        if not trees:
            return None
        signs = [child for child in children(trees[0])[:-1] if child is not None]
        atom = children(trees[0])[-1]
        if len(trees) == 1 and rule_of(atom) is None and len(signs) <= 1:
            leaf = self._leaf(atom)
            return _negative(leaf) if signs else leaf  # type: ignore[return-value]
        start = start_of(trees[0])
        text = squeeze(self.text[start : end_of(trees[-1])])
        return self._constant(text)

    def _expression(self, tree: Node) -> Build:
        rule = rule_of(tree)
        if rule == "leaf":
            name, *component = children(tree)
            return self._leaf(name, component[0] if component else None)
        if rule == "indexed":
            return self._indexed(tree)
        if rule == "parenthesised":
            return self._list(tree)
        if rule == "unary":
            return self._unary(tree)
        if rule == "binary":
            return self._binary(tree)
        return self._text_of(tree)

    def _indexed(self, tree: Node) -> Build:
        name, number = (self._leaf(child) for child in children(tree))
        return lambda leaves: Address(
            name(leaves),
            number(leaves),  # type: ignore[arg-type]
            brackets=False,
            indexed=True,
        )

    def _list(self, tree: Node) -> Build:
        items = [self._expression(child) for child in children(tree) if child is not None]
        if not items and not self.leaves:
            raise Misplaced(start_of(tree), end_of(tree), "empty parentheses", "remove them")
        return lambda leaves: ArgumentList(tuple([item(leaves) for item in items]))

    def _unary(self, tree: Node) -> Build:
        sign, inner = children(tree)
        inner_leaf = only_leaf(inner)
        if inner_leaf is None or str(sign) not in "!-":
            return self._text_of(tree)
        build = self._expression(inner)
        if isinstance(make_leaf(str(inner_leaf)), Immediate):
            return _negative(build) if str(sign) == "-" else self._text_of(tree)
        text = str(sign)
        return lambda leaves: Negated(build(leaves), text)

    def _binary(self, tree: Node) -> Build:
        left, operator, right = children(tree)
        names = [_is_name(left), _is_name(right)]
        if str(operator) == "|" and names[1] and (names[0] or rule_of(left) == "vector"):
            first, second = self.operand(left), self.operand(right)
            return lambda leaves: Pair(first(leaves), second(leaves))
        if str(operator) == "+" and names[0] and not any(map(_is_name, leaves_of(right))):
            base, offset = self._expression(left), self._summand(right)
            return lambda leaves: Address(
                base(leaves), as_immediate(offset(leaves)), brackets=False
            )
        return self._text_of(tree)

    def _summand(self, tree: Node) -> Build:
        """The offset in `name+offset`; one in parentheses keeps them."""
        if rule_of(tree) in ("parenthesised", "indexed"):
            return self._text_of(tree)
        return self._expression(tree)

    def _text_of(self, tree: Node) -> Build:
        for leaf in leaves_of(tree):
            self._check_constant(leaf)
        check_elements(tree)
        check_difference(tree)
        return self._constant(squeeze(self.text[start_of(tree) : end_of(tree)]))

    def _check_constant(self, leaf: Node) -> None:
        token = only_leaf(leaf)
        if token is None or not str(token).startswith("%"):
            return
        raise Misplaced(
            token.start_pos or 0,
            token.end_pos or 0,
            f"register {token} in a constant expression",
            "compute it with an instruction; an operand may only be a register or a constant",
        )

    def _constant(self, text: str) -> Callable[[Leaves], Immediate]:
        self.shared = False
        node = Immediate(text, "expression")
        return lambda _: node

    def _leaf(self, token: Node, component: Node | None = None) -> Build:
        assert not hasattr(token, "data")
        text = str(token) + (str(component) if component is not None else "")
        node = SINK if text == "_" else make_leaf(text)
        assert node is not None, text
        index = len(self.leaves)
        self.leaves.append(node)
        self.starts.append(start_of(token))
        return lambda leaves: leaves[index]


def check_difference(tree: Node) -> None:
    """A constant may be added to a symbol, not subtracted from it. Raises Misplaced."""
    if not hasattr(tree, "data"):
        return
    if rule_of(tree) == "binary":
        left, operator, _ = children(tree)
        if str(operator) == "-" and any(map(_is_name, leaves_of(left))):
            start, end = start_of(operator), end_of(operator)
            message = "a constant cannot be subtracted from a symbol"
            raise Misplaced(start, end, message, "add a negative one: write g+-4 for g-4")
    for child in children(tree):
        if child is not None:
            check_difference(child)


def check_elements(tree: Node) -> None:
    """`name[2]` is an operand of its own and no part of an expression. Raises Misplaced."""
    if rule_of(tree) == "indexed":
        message = "an element of a variable in a constant expression"
        raise Misplaced(start_of(tree), end_of(tree), message, "write its byte offset: g+8")
    if hasattr(tree, "data"):
        for child in children(tree):
            if child is not None:
                check_elements(child)


def _negative(build: Build) -> Build:
    def negative(leaves: Leaves) -> Operand:
        inner = build(leaves)
        assert isinstance(inner, Immediate)
        return Immediate("-" + inner.text, inner.form)

    return negative


def as_immediate(operand: Operand) -> Immediate:
    """The offset of `name+offset` outside brackets."""
    assert isinstance(operand, Immediate)
    return operand


# --- reading lark's trees ------------------------------------------------------------------------


def rule_of(tree: Node | None) -> str | None:
    """The rule of a tree, None for a token."""
    return None if tree is None else getattr(tree, "data", None)


def children(tree: Node) -> list[Node]:
    """The children of a tree."""
    found: list[Node] = tree.children  # type: ignore[union-attr]
    return found


def leaves_of(tree: Node) -> list[Node]:
    """Every `leaf` below a tree."""
    if rule_of(tree) == "leaf":
        return [tree]
    if not hasattr(tree, "data"):
        return []
    return [leaf for child in children(tree) if child is not None for leaf in leaves_of(child)]


def only_leaf(tree: Node) -> Token | None:
    """The first token when the tree is a single leaf."""
    return children(tree)[0] if rule_of(tree) == "leaf" else None  # type: ignore[return-value]


def _is_name(tree: Node) -> bool:
    token = only_leaf(tree)
    return token is not None and isinstance(make_leaf(str(token)), Register | Symbol | Sink)


def start_of(tree: Node) -> int:
    """Offset of the first character of a tree or token."""
    return getattr(getattr(tree, "meta", tree), "start_pos", 0) or 0


def end_of(tree: Node) -> int:
    """Offset behind the last character of a tree or token."""
    return getattr(getattr(tree, "meta", tree), "end_pos", 0) or 0


def squeeze(text: str) -> str:
    """One blank for each run of white space."""
    return " ".join(text.split())
