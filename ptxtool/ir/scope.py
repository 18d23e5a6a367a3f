"""Nested scopes of register names; a range `%r<100>` is kept as a range."""

from __future__ import annotations

from ptxtool.ir.register import Register
from ptxtool.syntax import nodes

CARRY = "CC.CF"
"""Name of the carry flag, which `.cc` forms write and addc, subc and madc read."""


class Registers:
    """All registers of one function, in order of first sight."""

    def __init__(self) -> None:
        self.all: list[Register] = []
        self._carry: Register | None = None

    def new(
        self, name: str, kind: str, *, special: bool = False, vector: str | None = None
    ) -> Register:
        """A new register with the next number; `vector` is "v2" or "v4"."""
        lanes = int(vector[1:]) if vector else 1
        register = Register(name, kind, len(self.all), special, lanes)
        self.all.append(register)
        return register

    @property
    def carry(self) -> Register:
        """The carry flag of the function."""
        if self._carry is None:
            self._carry = self.new(CARRY, "pred", special=True)
        return self._carry


class Scope:
    """The names declared between one pair of braces."""

    def __init__(self, parent: Scope | None, registers: Registers) -> None:
        self.parent = parent
        self.registers = registers
        self.ranges: dict[str, tuple[int, str, str | None]] = {}
        self.names: dict[str, Register] = {}
        self.variables: set[str] = set()
        self.operands: dict[int, tuple[Register, ...]] = {}  # by identity of the operand node

    def declare(self, declaration: nodes.RegisterDeclaration) -> None:
        """Take in one `.reg` line; names seen before in this scope now mean these registers."""
        self.operands.clear()
        kind, vector = declaration.type, declaration.vector
        for name in declaration.names:
            if name.count is None:
                self.names[name.name] = self.registers.new(name.name, kind, vector=vector)
            else:
                self.ranges[name.name] = (name.count, kind, vector)

    def resolve(self, name: str) -> Register | None:
        """The register a name means here, None when no scope declares it."""
        scope: Scope | None = self
        while scope is not None:
            found = scope.names.get(name) or scope._in_range(name)
            if found is not None or name in scope.variables:
                return found
            scope = scope.parent
        return None

    def knows_variable(self, name: str) -> bool:
        """Whether a variable or parameter of that name is declared here or outside."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.variables:
                return True
            scope = scope.parent
        return False

    def _in_range(self, name: str) -> Register | None:
        if not self.ranges:
            return None
        end = len(name)
        # A prefix may end in digits itself: `%r1<20>` declares `%r119`.
        for cut in range(end - 1, 0, -1):
            if not name[cut].isdigit():
                return None
            count, kind, vector = self.ranges.get(name[:cut], (0, "", None))
            if count and int(name[cut:]) < count:
                return self._member(name, f"{name[:cut]}{int(name[cut:])}", kind, vector)
        return None

    def _member(self, written: str, name: str, kind: str, vector: str | None) -> Register:
        # ptxas takes `%r01` for `%r1`: it stores what was written under either name.
        found = self.names.get(name)
        if found is None:
            found = self.names[name] = self.registers.new(name, kind, vector=vector)
        self.names[written] = found
        return found
