"""A module printed from its tree: one layout, no comments, one statement on a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ptxtool.syntax import nodes

# Directives that end with a semicolon.
_CLOSED = {"pragma", "branchtargets", "calltargets", "callprototype", "alias"}


def print_module(module: nodes.Module) -> str:
    """The text of the tree. It parses to an equal tree, places and inline-asm marks aside.

    Statements that the parser refused are not in the tree, so print only what has no diagnostics.
    """
    lines = [line for statement in module.statements for line in _statement(statement, 0)]
    return "\n".join(lines) + "\n" if lines else ""


def print_operand(operand: nodes.Operand) -> str:
    """One operand as PTX."""
    if isinstance(operand, nodes.Register | nodes.Symbol):
        return operand.name if operand.component is None else f"{operand.name}.{operand.component}"
    if isinstance(operand, nodes.Immediate):
        return operand.text
    if isinstance(operand, nodes.Address):
        return _address(operand)
    if isinstance(operand, nodes.Vector):
        return "{" + _list(operand.elements) + "}"
    if isinstance(operand, nodes.Pair):
        return f"{print_operand(operand.first)}|{print_operand(operand.second)}"
    if isinstance(operand, nodes.Negated):
        return operand.sign + print_operand(operand.operand)
    if isinstance(operand, nodes.ArgumentList):
        return "(" + _list(operand.elements) + ")"
    return "_"


def _list(operands: Iterable[nodes.Operand]) -> str:
    return ", ".join(map(print_operand, operands))


def _address(address: nodes.Address) -> str:
    inside = print_operand(address.base)
    if address.indexed and address.offset is not None:
        return f"{inside}[{address.offset.text}]"
    if address.offset is not None:
        offset = address.offset.text
        inside += offset if offset.startswith("+") else f"+{offset}"
    if address.rest:
        inside += ", " + _list(address.rest)
    return f"[{inside}]" if address.brackets else inside


def _statement(statement: nodes.Statement, depth: int) -> Iterator[str]:
    indent = "\t" * depth
    if isinstance(statement, nodes.Instruction):
        yield indent + _instruction(statement)
    elif isinstance(statement, nodes.Label):
        yield f"{statement.name}:"
    elif isinstance(statement, nodes.Block):
        yield indent + "{"
        for inner in statement.statements:
            yield from _statement(inner, depth + 1)
        yield indent + "}"
    elif isinstance(statement, nodes.Function):
        yield from _function(statement)
    else:
        yield indent + _declaration(statement)


def _instruction(instruction: nodes.Instruction) -> str:
    guard = ""
    if instruction.guard is not None:
        guard = f"@{'!' if instruction.guard.negated else ''}{instruction.guard.register} "
    operands = " " + _list(instruction.operands) if instruction.operands else ""
    return f"{guard}{instruction.mnemonic}{operands};"


def _declaration(
    statement: nodes.RegisterDeclaration
    | nodes.VariableDeclaration
    | nodes.Location
    | nodes.Directive,
) -> str:
    if isinstance(statement, nodes.RegisterDeclaration):
        return _registers(statement)
    if isinstance(statement, nodes.VariableDeclaration):
        return _variable(statement) + ";"
    if isinstance(statement, nodes.Location):
        rest = f", {statement.rest}" if statement.rest else ""
        return f".loc {statement.file} {statement.line} {statement.column}{rest}"
    return _directive(statement)


def _registers(declaration: nodes.RegisterDeclaration) -> str:
    names = [
        name.name if name.count is None else f"{name.name}<{name.count}>"
        for name in declaration.names
    ]
    words = ["reg", *([declaration.vector] if declaration.vector else []), declaration.type]
    return " ".join(f".{word}" for word in words) + f" {', '.join(names)};"


def _variable(variable: nodes.VariableDeclaration) -> str:
    words = [f".{word}" for word in (*variable.linkage, variable.space)]
    if variable.attributes:
        words.append(f".attribute({', '.join(variable.attributes)})")
    if variable.alignment is not None:
        words.append(f".align {variable.alignment}")
    words += [f".{word}" for word in (variable.vector, variable.type) if word]
    words += _pointer(variable)
    count = "" if variable.count is None else f"<{variable.count}>"
    shape = "".join("[]" if extent is None else f"[{extent}]" for extent in variable.shape)
    initial = "" if variable.initializer is None else f" = {variable.initializer}"
    return f"{' '.join(words)} {variable.name}{count}{shape}{initial}"


def _pointer(variable: nodes.VariableDeclaration) -> list[str]:
    if variable.pointer_space is None:
        return []
    words = [".ptr"]
    if variable.pointer_space != "generic":
        words.append(f".{variable.pointer_space}")
    if variable.pointer_alignment is not None:
        words.append(f".align {variable.pointer_alignment}")
    return words


def _directive(directive: nodes.Directive) -> str:
    if directive.name == "section":
        return f".section {directive.values[0]}\n{{\n{directive.text}\n}}"
    text = directive.text
    if directive.name == "pragma":
        text = _strings(directive.values)
    elif directive.name == "file":
        number, name, *more = directive.values
        text = ", ".join([f'{number} "{name}"', *more])
    return f".{directive.name} {text}" + (";" if directive.name in _CLOSED else "")


def _strings(values: Iterable[str]) -> str:
    return ", ".join(f'"{value}"' for value in values)


def _function(function: nodes.Function) -> Iterator[str]:
    words = [f".{word}" for word in (*function.linkage, function.kind)]
    if function.attributes:
        words.append(f".attribute({', '.join(function.attributes)})")
    if function.returns:
        words.append(f"({', '.join(map(_variable, function.returns))})")
    parameters = ",\n".join(f"\t{_variable(item)}" for item in function.parameters)
    yield f"{' '.join(words)} {function.name}(" + (f"\n{parameters}\n)" if parameters else ")")
    for directive in function.directives:
        if directive.name == "pragma":
            yield f".pragma {_strings(directive.values)};"
        else:
            yield f".{directive.name} {directive.text}".rstrip()
    if function.body is None:
        yield ";"
    else:
        yield from _statement(function.body, 0)
    yield ""
