"""The leaves of operands: names and literals, validated once and shared."""

from __future__ import annotations

import re

from ptxtool.syntax.nodes import Immediate, Operand, Register, Sink, Symbol

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_$]*|[_$%][A-Za-z0-9_$]+")
INTEGER = re.compile(r"0[xX][0-9A-Fa-f]+U?|0[bB][01]+U?|0[0-7]*U?|[1-9][0-9]*U?")
FLOAT = re.compile(
    r"0[fF][0-9A-Fa-f]{8}|0[dD][0-9A-Fa-f]{16}"
    r"|(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+"
)
SINK = Sink()
# The one name that stands for a number.
WARP_SIZE = "WARP_SZ"

# Marks in a statement's shape for what a leaf is; a bad leaf has no place in any shape.
BAD = "?"


class LeafTable:
    """Text of a leaf -> its node and its kind; filled on first sight, bounded in size."""

    LIMIT = 1 << 18

    def __init__(self) -> None:
        self.node: dict[str, Operand] = {"_": SINK}
        self.kind: dict[str, str] = {"_": "_"}

    def learn(self, text: str) -> None:
        """Validate one leaf and remember it."""
        if len(self.node) >= self.LIMIT:
            self.__init__()  # type: ignore[misc]
        node = make_leaf(text)
        if node is None:
            self.kind[text] = BAD
            return
        self.node[text] = node
        self.kind[text] = kind_of(node)


def make_leaf(text: str) -> Operand | None:
    """The node of a name (with its component) or literal, or None when it is neither."""
    if text == "_":
        return SINK
    if text == WARP_SIZE or INTEGER.fullmatch(text):
        return Immediate(text, "int")
    if FLOAT.fullmatch(text):
        return Immediate(text, "float")
    name, dot, component = text.partition(".")
    if not NAME.fullmatch(name) or (dot and not component):
        return None
    make = Register if name[0] == "%" else Symbol
    return make(name, component or None)


def kind_of(node: Operand) -> str:
    """One character for the shape: integers and floats are different shapes."""
    if isinstance(node, Immediate):
        return "I" if node.form == "int" else "F"
    if isinstance(node, Register | Symbol):
        # A component is part of the shape, so that `[r.x]` is not taken for `[r]`.
        return node.kind if node.component is None else node.kind.lower()
    return "_"
