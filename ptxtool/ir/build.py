"""Build the IR of one function: scopes, binding, blocks."""

from __future__ import annotations

from collections.abc import Iterator

from ptxtool.ir.bind import Binder
from ptxtool.ir.flow import make_blocks
from ptxtool.ir.function import Function, Instruction
from ptxtool.ir.scope import Scope
from ptxtool.syntax import nodes

_CONSTANTS = frozenset({"WARP_SZ"})


def build(function: nodes.Function, module: nodes.Module) -> Function:
    """The IR of a function; one without a body has no instructions. Never raises on bad PTX.

    Diagnostics: PTX201 undeclared register, PTX202 undeclared name, PTX203 opcode not in the table
    (a warning).
    """
    builder = _Builder(function, module)
    if function.body is not None:
        builder.walk(function.body.statements, builder.outer)
    return Function(
        name=function.name,
        node=function,
        module=module,
        instructions=builder.instructions,
        blocks=make_blocks(builder.instructions, builder.labels, builder.tables, _noreturn(module)),
        registers=tuple(builder.binder.registers.all),
        diagnostics=tuple(builder.binder.diagnostics),
        labels=builder.labels,
    )


class _Builder:
    def __init__(self, function: nodes.Function, module: nodes.Module) -> None:
        self.names = _module_names(module) | _labels(function)
        self.binder = Binder(module, self.names.__contains__)
        self.outer = Scope(None, self.binder.registers)
        for parameter in (*function.parameters, *function.returns):
            self._declare(parameter, self.outer)
        self.instructions: list[Instruction] = []
        self.labels: dict[str, int] = {}
        self.tables: dict[str, tuple[str, ...]] = {}
        self.last_label = ""

    def walk(self, statements: tuple[nodes.Statement, ...], outer: Scope) -> None:
        """Bind the statements between one pair of braces."""
        scope = Scope(outer, self.binder.registers)
        for statement in statements:
            if isinstance(statement, nodes.Instruction):
                index = len(self.instructions)
                self.instructions.append(self.binder.bind(index, statement, scope))
            elif isinstance(statement, nodes.Block):
                self.walk(statement.statements, scope)
            else:
                self._other(statement, scope)

    def _other(self, statement: nodes.Statement, scope: Scope) -> None:
        if isinstance(statement, nodes.Label):
            self.last_label = statement.name
            self.labels[statement.name] = len(self.instructions)
        elif isinstance(statement, nodes.RegisterDeclaration):
            scope.declare(statement)
        elif isinstance(statement, nodes.VariableDeclaration):
            self._declare(statement, scope)
        elif isinstance(statement, nodes.Directive) and statement.name == "branchtargets":
            words = statement.values or tuple(statement.text.replace(",", " ").split())
            self.tables[self.last_label] = tuple(word.strip(" ,;") for word in words)

    def _declare(self, variable: nodes.VariableDeclaration, scope: Scope) -> None:
        if variable.space == "reg":  # the results and parameters of a device function
            scope.names[variable.name] = self.binder.registers.new(variable.name, variable.type)
            return
        scope.variables.add(variable.name)
        scope.operands.clear()
        for number in range(variable.count or 0):
            scope.variables.add(f"{variable.name}{number}")


def _labels(function: nodes.Function) -> frozenset[str]:
    body = function.body.statements if function.body else ()
    return frozenset(s.name for s in nodes.walk(body) if isinstance(s, nodes.Label))


def _module_names(module: nodes.Module) -> frozenset[str]:
    declared = (s for s in module.statements if not isinstance(s, nodes.Block))
    return frozenset(_declared_names(declared)) | _CONSTANTS


def _declared_names(statements: Iterator[nodes.Statement]) -> Iterator[str]:
    for statement in statements:
        if isinstance(statement, nodes.VariableDeclaration | nodes.Function | nodes.Label):
            yield statement.name
        elif isinstance(statement, nodes.Directive) and statement.name == "alias":
            yield from statement.values or statement.text.replace(",", " ").split()


def _noreturn(module: nodes.Module) -> frozenset[str]:
    return frozenset(f.name for f in module.functions if f.directive("noreturn") is not None)
