"""The syntax tree of PTX: what is written, with no knowledge of what an opcode means.

Statements know their place: `start` and `end` are byte offsets into the source. Operands are
shared between statements (leaves are interned), so they carry none. Nodes are built once and not
changed afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from ptxtool.core.diagnostics import Diagnostic
from ptxtool.core.source import Source, Span

# --- operands -----------------------------------------------------------------------------------


@dataclass(slots=True)
class Register:
    """A name that starts with `%`: a register or a special register; `.x` is its component."""

    name: str
    component: str | None = None
    kind: ClassVar[str] = "R"

    def __hash__(self) -> int:
        return hash((self.name, self.component))


@dataclass(slots=True)
class Symbol:
    """Any other name: a variable, label, function, parameter, or a register without `%`."""

    name: str
    component: str | None = None
    kind: ClassVar[str] = "S"

    def __hash__(self) -> int:
        return hash((self.name, self.component))


@dataclass(slots=True)
class Immediate:
    """A literal or constant expression as written; its value depends on the type it binds to."""

    text: str
    form: str  # "int", "float" or "expression"
    kind: ClassVar[str] = "I"


@dataclass(slots=True)
class Sink:
    """`_`: a result that is thrown away."""

    kind: ClassVar[str] = "_"


@dataclass(slots=True)
class Address:
    """`[base]`, `[base+offset]`, `[base, {coordinates}]`; `name+4` has brackets=False.

    `name[2]` has no brackets of its own either: it is `indexed`, and its offset counts elements of
    the variable, not bytes.
    """

    base: Operand
    offset: Immediate | None = None
    rest: tuple[Operand, ...] = ()
    brackets: bool = True
    indexed: bool = False


@dataclass(slots=True)
class Vector:
    """`{a, b, c, d}`."""

    elements: tuple[Operand, ...]


@dataclass(slots=True)
class Pair:
    """`p|q`: two destinations in one operand."""

    first: Operand
    second: Operand


@dataclass(slots=True)
class Negated:
    """`!p`, or `-x` before a name."""

    operand: Operand
    sign: str = "!"


@dataclass(slots=True)
class ArgumentList:
    """`(a, b)`: the results or arguments of a call, or a parenthesised operand."""

    elements: tuple[Operand, ...]


Operand = Register | Symbol | Immediate | Sink | Address | Vector | Pair | Negated | ArgumentList

# --- statements ---------------------------------------------------------------------------------


@dataclass(slots=True)
class Guard:
    """`@p` or `@!p` before an instruction."""

    register: str
    negated: bool


@dataclass(slots=True)
class Instruction:
    """One instruction; modifiers without their dot, `L2::256B` is one of them."""

    start: int
    end: int
    guard: Guard | None
    opcode: str
    modifiers: tuple[str, ...]
    operands: tuple[Operand, ...]
    in_inline_asm: bool = False

    @property
    def mnemonic(self) -> str:
        """Opcode and modifiers with their dots."""
        return ".".join((self.opcode, *self.modifiers))


@dataclass(slots=True)
class Label:
    """`name:`."""

    start: int
    end: int
    name: str


@dataclass(slots=True)
class RegisterName:
    """`%r` or the range `%r<count>`, which declares `%r0` to `%r<count-1>`."""

    name: str
    count: int | None = None


@dataclass(slots=True)
class RegisterDeclaration:
    """`.reg .v2 .b32 %r<10>, %x;`; ranges are never expanded."""

    start: int
    end: int
    type: str
    vector: str | None
    names: tuple[RegisterName, ...]


@dataclass(slots=True)
class VariableDeclaration:
    """A variable or parameter; `shape` holds the extents, None for `[]`."""

    start: int
    end: int
    space: str
    type: str
    name: str
    alignment: int | None = None
    shape: tuple[int | None, ...] = ()
    vector: str | None = None
    initializer: str | None = None
    linkage: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    pointer_space: str | None = None  # of a `.ptr` parameter
    pointer_alignment: int | None = None
    count: int | None = None  # of a `.param .b32 p<10>` range


@dataclass(slots=True)
class Location:
    """`.loc file line column`; the rest of the line is kept as text."""

    start: int
    end: int
    file: int
    line: int
    column: int
    rest: str = ""


@dataclass(slots=True)
class Directive:
    """Any other directive; `name` without its dot, `text` what follows it."""

    start: int
    end: int
    name: str
    text: str
    values: tuple[str, ...] = ()


@dataclass(slots=True)
class Block:
    """`{ ... }`: a scope of registers and labels."""

    start: int
    end: int
    statements: tuple[Statement, ...]


@dataclass(slots=True)
class Function:
    """A kernel (`entry`) or device function (`func`); no body means a declaration."""

    start: int
    end: int
    kind: str
    name: str
    linkage: tuple[str, ...]
    returns: tuple[VariableDeclaration, ...]
    parameters: tuple[VariableDeclaration, ...]
    directives: tuple[Directive, ...]
    body: Block | None
    attributes: tuple[str, ...] = ()  # of `.attribute(...)`, dots kept

    def directive(self, name: str) -> Directive | None:
        """The first performance directive of this name, without the dot."""
        return next((item for item in self.directives if item.name == name), None)


Statement = (
    Instruction
    | Label
    | RegisterDeclaration
    | VariableDeclaration
    | Location
    | Directive
    | Block
    | Function
)


@dataclass(slots=True)
class Module:
    """One PTX file, with what was wrong with it."""

    source: Source = field(compare=False)
    statements: tuple[Statement, ...]
    diagnostics: tuple[Diagnostic, ...] = field(default=(), compare=False)

    def _first(self, name: str) -> Directive | None:
        found = (s for s in self.statements if isinstance(s, Directive) and s.name == name)
        return next(found, None)

    @property
    def version(self) -> str | None:
        """The text of `.version`, such as "8.0"."""
        found = self._first("version")
        return found.values[0] if found and found.values else None

    @property
    def target(self) -> tuple[str, ...]:
        """The words of `.target`, such as ("sm_90a", "debug")."""
        found = self._first("target")
        return found.values if found else ()

    @property
    def address_size(self) -> int | None:
        """32 or 64, None when not declared."""
        found = self._first("address_size")
        return int(found.values[0]) if found and found.values else None

    @property
    def functions(self) -> tuple[Function, ...]:
        """Every kernel and device function, declarations included."""
        return tuple(s for s in self.statements if isinstance(s, Function))

    @property
    def kernels(self) -> tuple[Function, ...]:
        """The kernels that have a body."""
        return tuple(f for f in self.functions if f.kind == "entry" and f.body is not None)

    def span(self, node: Statement) -> Span:
        """Where a statement stands."""
        return self.source.span(node.start, node.end)


def walk(statements: tuple[Statement, ...]) -> Iterator[Statement]:
    """Every statement in order of appearance, blocks and bodies entered."""
    for statement in statements:
        yield statement
        if isinstance(statement, Block):
            yield from walk(statement.statements)
        elif isinstance(statement, Function) and statement.body is not None:
            yield from walk(statement.body.statements)
