"""From the parse trees of declarations, function headers and directives to their nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ptxtool.syntax.leaves import WARP_SIZE
from ptxtool.syntax.nodes import (
    Directive,
    Location,
    RegisterDeclaration,
    RegisterName,
    VariableDeclaration,
)
from ptxtool.syntax.operands import (
    Misplaced,
    check_difference,
    children,
    end_of,
    rule_of,
    squeeze,
    start_of,
)

if TYPE_CHECKING:
    from lark import Token, Tree

    Node = Tree[Token] | Token

LINKAGE = {"extern", "visible", "weak", "common"}
VECTORS = {"v2", "v4", "v8"}
SPACES = {"reg", "global", "shared", "local", "const", "param", "tex", "sreg"}
ENTRY_DIRECTIVES = {
    "maxntid",
    "reqntid",
    "minnctapersm",
    "maxnctapersm",
    "maxnreg",
    "noreturn",
    "explicitcluster",
    "reqnctapercluster",
    "maxclusterrank",
    "blocksareclusters",
    "pragma",
}
FUNCTION_DIRECTIVES = {"noreturn", "abi_preserve", "abi_preserve_control", "pragma"}
# The most numbers that a performance directive takes.
DIMENSIONS = 3


class Words:
    """The qualifiers before a declared name, sorted into what they say."""

    def __init__(self, tree: Node, text: str) -> None:
        self.linkage: list[str] = []
        self.space = ""
        self.type = ""
        self.vector: str | None = None
        self.alignment: int | None = None
        self.attributes: list[str] = []
        self.pointer = False
        self.pointer_space: str | None = None
        self.pointer_alignment: int | None = None
        for child in children(tree):
            self._add(child, text)

    def _add(self, tree: Node, text: str) -> None:
        rule = rule_of(tree)
        if rule == "alignment":
            self._align(tree)
        elif rule == "attributes":
            spans = [text[start_of(item) : end_of(item)] for item in children(tree)]
            self.attributes += [squeeze(span) for span in spans]
        else:
            token = children(tree)[0]
            self._word(str(token)[1:], token)

    def _align(self, tree: Node) -> None:
        value = number(str(children(tree)[0]))
        if self.pointer:
            self.pointer_alignment = value
        elif self.vector or (self.type and self.space != "reg"):
            raise misplaced(tree, ".align comes before the type")
        else:
            self.alignment = value

    def _word(self, word: str, token: Node) -> None:
        if self.pointer:
            if self.pointer_alignment is not None:
                raise misplaced(token, f".{word} comes before .align in a .ptr")
            self.pointer_space = word
        elif word == "ptr":
            self.pointer = True
        elif word in LINKAGE:
            if self.space or self.linkage:
                raise misplaced(token, f".{word} must come first and alone")
            self.linkage.append(word)
        elif not self.space:
            if word not in SPACES:
                raise misplaced(token, f".{word} is not a state space or directive")
            self.space = word
        elif word in VECTORS and self.vector is None:
            self.vector = word
        elif not self.type:
            self.type = word
        elif word == "unified" or word in SPACES:
            raise misplaced(token, f".{word} has no place here")
        else:
            raise misplaced(token, f"a second type .{word}")


def misplaced(tree: Node, message: str, help: str | None = None) -> Misplaced:
    """A Misplaced over the text of a tree."""
    return Misplaced(start_of(tree), end_of(tree), message, help)


def number(text: str) -> int:
    """The value of an integer literal."""
    digits = text.removesuffix("U")
    if len(digits) > 1 and digits[0] == "0" and digits[1] not in "xXbB":
        return int(digits, 8)
    return int(digits, 0)


def declarations(
    tree: Node, text: str, base: int, start: int, end: int
) -> list[RegisterDeclaration | VariableDeclaration]:
    """The declarations of one statement: one for all registers, or one for each variable."""
    qualifiers, *declarators = children(tree)
    words = Words(qualifiers, text)
    check_type(words, declarators[0])
    if words.space == "reg":
        names = tuple(_register_name(item) for item in declarators)
        return [RegisterDeclaration(start, end, words.type, words.vector, names)]
    spans = _extents(declarators, base, start, end)
    return [
        _variable(words, item, text, *span) for item, span in zip(declarators, spans, strict=True)
    ]


def _extents(items: list[Node], base: int, start: int, end: int) -> list[tuple[int, int]]:
    """The first variable owns the statement's start, the last its end."""
    starts = [start, *(base + start_of(item) for item in items[1:])]
    ends = [*(base + end_of(item) for item in items[:-1]), end]
    return list(zip(starts, ends, strict=True))


def _register_name(tree: Node) -> RegisterName:
    name, count, *rest = children(tree)
    check_name(name)
    if any(item is not None for item in rest):
        raise misplaced(tree, "a register has no extent and no initial value")
    return RegisterName(str(name), None if count is None else number(str(count)))


def _variable(words: Words, tree: Node, text: str, start: int, end: int) -> VariableDeclaration:
    name, count, *rest = children(tree)
    extents = [item for item in rest if rule_of(item) == "extent"]
    initial = rest[-1] if rest and rule_of(rest[-1]) != "extent" else None
    check_name(name)
    if initial is not None:
        check_difference(initial)
    return VariableDeclaration(
        start,
        end,
        words.space,
        words.type,
        str(name),
        alignment=words.alignment,
        shape=tuple(_extent(item) for item in extents),
        vector=words.vector,
        initializer=None if initial is None else squeeze(text[start_of(initial) : end_of(initial)]),
        linkage=tuple(words.linkage),
        attributes=tuple(words.attributes),
        pointer_space=words.pointer_space or ("generic" if words.pointer else None),
        pointer_alignment=words.pointer_alignment,
        count=None if count is None else number(str(count)),
    )


def check_type(words: Words, declarator: Node) -> None:
    """Every declaration has a type. Raises Misplaced at the first name."""
    if not words.type:
        name = children(declarator)[0]
        raise misplaced(name, f"no type before {name}", f"write one, such as .b32 {name}")


def check_name(name: Node) -> None:
    """`WARP_SZ` is a constant of the language. Raises Misplaced."""
    if str(name) == WARP_SIZE:
        raise misplaced(name, f"{WARP_SIZE} is a constant and cannot be declared", "rename it")


def _extent(tree: Node) -> int | None:
    token = children(tree)[0]
    return None if token is None else number(str(token))


# --- function headers ----------------------------------------------------------------------------


@dataclass
class Header:
    """What stands before a body: linkage, kind, returns, name, parameters, directives."""

    kind: str
    name: str
    linkage: tuple[str, ...] = ()
    returns: tuple[VariableDeclaration, ...] = ()
    parameters: tuple[VariableDeclaration, ...] = ()
    directives: tuple[Directive, ...] = ()
    attributes: tuple[str, ...] = ()


def header(tree: Node, text: str, base: int) -> Header:
    """The header in a tree. Raises Misplaced."""
    return HeaderTree(tree, text, base)


class HeaderTree(Header):
    """Reads a header from its tree."""

    def __init__(self, tree: Node, text: str, base: int) -> None:
        qualifiers, kind, *rest = children(tree)
        self.kind = str(kind)[1:]
        self.linkage = self._linkage(qualifiers)
        marks = [item for item in rest if rule_of(item) == "attribute"]
        self.attributes = tuple(squeeze(text[start_of(m) : end_of(m)]) for m in marks)
        named = [item for item in rest if item is not None and rule_of(item) is None]
        self.name = str(named[0])
        at = rest.index(named[0])
        before = [item for item in rest[:at] if rule_of(item) == "parameters"]
        after = [item for item in rest[at + 1 :] if rule_of(item) == "parameters"]
        performance = [
            item for item in rest[at + 1 :] if rule_of(item) in ("performance", "header_pragma")
        ]
        self.returns = self._parameters(before, text, base)
        self.parameters = self._parameters(after, text, base)
        self.directives = tuple(self._directive(item, text, base) for item in performance)

    def _linkage(self, qualifiers: Node | None) -> tuple[str, ...]:
        words = [] if qualifiers is None else children(qualifiers)
        if len(words) > 1:
            raise misplaced(words[1], f"only one linkage directive may stand before .{self.kind}")
        for word in words:
            if rule_of(word) != "word" or str(children(word)[0])[1:] not in LINKAGE:
                raise misplaced(word, f"not a linkage directive before .{self.kind}")
        return tuple(str(children(word)[0])[1:] for word in words)

    def _parameters(
        self, trees: list[Node], text: str, base: int
    ) -> tuple[VariableDeclaration, ...]:
        items = children(trees[0]) if trees else []
        return tuple(self._parameter(item, text, base) for item in items if item is not None)

    def _parameter(self, tree: Node, text: str, base: int) -> VariableDeclaration:
        qualifiers, declarator = children(tree)
        words = Words(qualifiers, text)
        check_type(words, declarator)
        if children(declarator)[1] is not None:
            raise misplaced(declarator, "a parameter is no range", "name each one")
        place = base + start_of(tree), base + end_of(tree)
        return _variable(words, declarator, text, *place)

    def _directive(self, tree: Node, text: str, base: int) -> Directive:
        place = base + start_of(tree), base + end_of(tree)
        if rule_of(tree) == "header_pragma":
            strings = tuple(str(item)[1:-1] for item in children(tree))
            return Directive(
                *place, "pragma", squeeze(text[start_of(tree) + 7 : end_of(tree)]), strings
            )
        word, *values = children(tree)
        name = str(word)[1:]
        known = ENTRY_DIRECTIVES if self.kind == "entry" else FUNCTION_DIRECTIVES
        if name not in known:
            raise misplaced(word, f".{name} has no place behind .{self.kind} {self.name}")
        numbers = tuple(str(value) for value in values if value is not None)
        if len(numbers) > DIMENSIONS:
            raise misplaced(values[DIMENSIONS], f".{name} takes at most {DIMENSIONS} numbers")
        return Directive(*place, name, ", ".join(numbers), numbers)


# --- the rest ------------------------------------------------------------------------------------


def directive(tree: Node, text: str, start: int, end: int) -> Directive:
    """`.version`, `.target`, `.address_size`, `.file`, `.alias`, `.pragma`, targets, prototype."""
    rule = str(rule_of(tree))
    spelled = text[start_of(tree) : end_of(tree)]
    name = spelled[1:].split(maxsplit=1)[0].split('"')[0].rstrip(";(")
    body = squeeze(spelled[1 + len(name) :]).removesuffix(";").rstrip()
    if rule == "prototype":
        return Directive(start, end, "callprototype", body)
    values = tuple(_value(item) for item in children(tree) if item is not None)
    if rule == "targets":
        values = values[1:]
    return Directive(start, end, name, body, values)


def _value(item: Node) -> str:
    if rule_of(item) == "label_name":
        name, count = children(item)
        return str(name) if count is None else f"{name}<{count}>"
    return str(item).strip('"')


def section(tree: Node, text: str, start: int, end: int) -> Directive:
    """A `.section` with its lines as text, comments blanked."""
    name = str(children(tree)[0])
    body = text[start_of(tree) : end_of(tree)].partition("{")[2].rpartition("}")[0]
    return Directive(start, end, "section", body.strip(), (name,))


def location(tree: Node, text: str, start: int, end: int) -> Location:
    """`.loc` with its optional inlining."""
    file, line, column, *rest = children(tree)
    tail = ""
    if rest and rest[0] is not None:
        tail = squeeze(text[end_of(column) : end_of(tree)]).lstrip(", ")
    return Location(start, end, number(str(file)), number(str(line)), number(str(column)), tail)


def any_directive(tree: Node, text: str, start: int, end: int) -> Directive | Location:
    """The node of a directive's tree, whatever its rule."""
    rule = rule_of(tree)
    if rule == "location":
        return location(tree, text, start, end)
    return (
        section(tree, text, start, end) if rule == "section" else directive(tree, text, start, end)
    )
