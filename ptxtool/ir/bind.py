"""From a written instruction to the registers it reads and writes: where syntax meets the table."""

from __future__ import annotations

from collections.abc import Callable

from ptxtool.core.diagnostics import Diagnostic, Severity
from ptxtool.ir.function import Instruction
from ptxtool.ir.register import Register
from ptxtool.ir.scope import Registers, Scope
from ptxtool.ir.special import special_type
from ptxtool.isa import Form, Role, lookup
from ptxtool.syntax import nodes

_LEAVES = (nodes.Immediate, nodes.Sink)


def parts(operand: nodes.Operand) -> tuple[nodes.Operand, ...]:
    """The operands inside an operand."""
    if isinstance(operand, nodes.Vector | nodes.ArgumentList):
        return operand.elements
    if isinstance(operand, nodes.Address):
        return (operand.base, *operand.rest)
    if isinstance(operand, nodes.Pair):
        return (operand.first, operand.second)
    return (operand.operand,) if isinstance(operand, nodes.Negated) else ()


class Binder:
    """Binds the instructions of one function; `is_name` tells what else a plain name may be."""

    def __init__(self, module: nodes.Module, is_name: Callable[[str], bool]) -> None:
        self.module = module
        self.is_name = is_name
        self.registers = Registers()
        self.special: dict[str, Register] = {}
        self.diagnostics: list[Diagnostic] = []
        self._reported: set[tuple[str, str]] = set()

    def bind(self, index: int, node: nodes.Instruction, scope: Scope) -> Instruction:
        """Resolve one instruction; what cannot be resolved is left out and reported."""
        form = lookup(node.opcode, node.modifiers, len(node.operands))
        reads, writes = self._operands(node, form, scope)
        guard = None
        if node.guard is not None:
            guard = self._name(node.guard.register, node, scope, is_register=True)
        kills = form is not None and node.guard is None and not _writes_component(form, node)
        if not kills:
            reads.extend(writes)
        if guard is not None:
            reads.append(guard)
        line = self.module.source.line(node.start)
        unique = tuple(dict.fromkeys(reads)), tuple(dict.fromkeys(writes))
        return Instruction(index, node, form, *unique, guard, line, kills)

    def _operands(
        self, node: nodes.Instruction, form: Form | None, scope: Scope
    ) -> tuple[list[Register], list[Register]]:
        if form is None:
            return self._unknown(node, scope)
        reads: list[Register] = []
        writes: list[Register] = []
        for role, operand in zip(_roles(form, node), node.operands, strict=False):
            if role is Role.NAME:
                continue
            found = self.registers_in(operand, node, scope)
            if role is Role.WRITE or role is Role.UPDATE:
                writes.extend(found)
            if role is not Role.WRITE:
                reads.extend(found)
        if form.carry_in:
            reads.append(self.registers.carry)
        if form.carry_out:
            writes.append(self.registers.carry)
        return reads, writes

    def _unknown(
        self, node: nodes.Instruction, scope: Scope
    ) -> tuple[list[Register], list[Register]]:
        text = f"{node.mnemonic} with {len(node.operands)} operands is not in the opcode table"
        help_text = "it is taken to read and write every register it names"
        self._report("PTX203", text, node, Severity.WARNING, help_text)
        named = [r for o in node.operands for r in self.registers_in(o, node, scope)]
        return named, [register for register in named if not register.is_special]

    def registers_in(
        self, operand: nodes.Operand, node: nodes.Instruction, scope: Scope
    ) -> tuple[Register, ...]:
        """Every register named inside an operand, remembered per scope."""
        if isinstance(operand, _LEAVES):
            return ()
        known = scope.operands.get(id(operand))
        if known is None:
            known = scope.operands[id(operand)] = self._find(operand, node, scope)
        return known

    def _find(
        self, operand: nodes.Operand, node: nodes.Instruction, scope: Scope
    ) -> tuple[Register, ...]:
        if isinstance(operand, nodes.Register | nodes.Symbol):
            plain = isinstance(operand, nodes.Symbol)
            found = self._name(operand.name, node, scope, is_register=not plain)
            return () if found is None else (found,)
        return tuple(r for part in parts(operand) for r in self.registers_in(part, node, scope))

    def _name(
        self, name: str, node: nodes.Instruction, scope: Scope, *, is_register: bool
    ) -> Register | None:
        found = scope.resolve(name) or self._special(name)
        if found is not None or scope.knows_variable(name) or self.is_name(name):
            return found
        if is_register:
            self._report("PTX201", f"register {name} is not declared", node)
        else:
            self._report("PTX202", f"name {name} is not declared", node)
        return None

    def _special(self, name: str) -> Register | None:
        kind = special_type(name)
        if kind is None:
            return None
        return self.special.setdefault(name, Register(name, kind, is_special=True))

    def _report(
        self,
        code: str,
        message: str,
        node: nodes.Instruction,
        severity: Severity = Severity.ERROR,
        help_text: str = "declare it before this line, in this scope or one around it",
    ) -> None:
        if (code, message) not in self._reported:
            self._reported.add((code, message))
            span = self.module.span(node)
            self.diagnostics.append(Diagnostic(code, severity, message, span, help_text))


def _roles(form: Form, node: nodes.Instruction) -> tuple[Role, ...]:
    """The roles of the operands; a call tells its results from its arguments by brackets."""
    if form.roles[:1] != (Role.CALL,):
        return form.roles
    results = bool(node.operands) and isinstance(node.operands[0], nodes.ArgumentList)
    return (Role.WRITE if results else Role.READ, *(Role.READ for _ in node.operands[1:]))


def _writes_component(form: Form, node: nodes.Instruction) -> bool:
    """Whether a destination is one element of a vector register: the others keep their values."""
    return any(_has_component(operand) for operand in node.operands[: form.destinations])


def _has_component(operand: nodes.Operand) -> bool:
    if isinstance(operand, nodes.Register | nodes.Symbol):
        return operand.component is not None
    return any(_has_component(part) for part in parts(operand))
