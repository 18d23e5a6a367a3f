"""Where a rule applies: templates unified with bound instructions through reaching definitions.

PTX is not SSA. An operand taken from an earlier definition is legal only when that definition alone
reaches the root, unguarded and in the same scope, and when its own sources still hold the same
values there; otherwise the site is no match.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ptxtool import ir
from ptxtool.rewrite.prove import Verdict, prove_instance, violated
from ptxtool.rewrite.rule import Rule
from ptxtool.rewrite.template import Template, instantiate, is_constant_name, metavariable
from ptxtool.syntax import nodes
from ptxtool.syntax.directives import number


@dataclass(frozen=True)
class Match:
    """One site. `values` spells every name of the pattern; `dead` are instructions that only fed
    the root."""

    rule: Rule
    types: Mapping[str, str]
    root: int
    line: int
    loop_depth: int
    values: Mapping[str, str]
    constants: Mapping[str, int]
    dead: tuple[int, ...]


def find_matches(rule: Rule, function: ir.Function) -> list[Match]:
    """Every site of a rule in a function, in order; no instruction belongs to two of them."""
    scopes = _scopes(function.node)
    used: set[int] = set()
    found = []
    for match in _candidates(rule, function, scopes):
        touched = {match.root, *match.dead}
        if not touched & used:
            used |= touched
            found.append(match)
    return found


def _candidates(rule: Rule, function: ir.Function, scopes: dict[int, int]) -> Iterator[Match]:
    by_head: dict[tuple[str, tuple[str, ...]], list[tuple[Mapping[str, str], Template]]] = {}
    for types in rule.types:
        template = instantiate(rule.pattern, types)
        head = template.root.opcode, template.root.modifiers
        by_head.setdefault(head, []).append((types, template))
    for instruction in function.instructions:
        node = instruction.node
        for types, template in by_head.get((node.opcode, node.modifiers), ()):
            match = _Unifier(rule, types, template, function, scopes).match(instruction)
            if match is not None:
                yield match
                break


class _Unifier:
    """One attempt to read a site as an instance of a template."""

    def __init__(
        self,
        rule: Rule,
        types: Mapping[str, str],
        template: Template,
        function: ir.Function,
        scopes: dict[int, int],
    ) -> None:
        self.rule, self.types, self.template = rule, types, template
        self.function, self.scopes = function, scopes
        self.values: dict[str, str] = {}
        self.constants: dict[str, int] = {}
        self.definitions: list[int] = []
        self.root: ir.Instruction

    def match(self, root: ir.Instruction) -> Match | None:
        """The match at a root, or None."""
        self.root = root
        if not self._instruction(self.template.root, root):
            return None
        bits = int(self.types.get("bits", 0))
        if violated(self.rule.where, self.constants, bits):
            return None
        if self.rule.per_site and not _is_proved(self.rule, self.types, self.constants):
            return None
        return Match(
            self.rule,
            self.types,
            root.index,
            root.line,
            self.function.blocks[root.block].loop_depth,
            {**self.values, **self._derived(bits)},
            dict(self.constants),
            tuple(index for index in self.definitions if self.function.uses(index) <= {root.index}),
        )

    def _derived(self, bits: int) -> dict[str, str]:
        return {
            name: str(item.compute(self.constants[item.source], bits))
            for name, item in self.rule.derive.items()
        }

    def _instruction(self, pattern: nodes.Instruction, found: ir.Instruction) -> bool:
        node = found.node
        if (node.opcode, node.modifiers) != (pattern.opcode, pattern.modifiers):
            return False
        if len(node.operands) != len(pattern.operands):
            return False
        if not self._destination(pattern.operands[0], node.operands[0], found):
            return False
        pairs = zip(pattern.operands[1:], node.operands[1:], strict=True)
        return all(self._source(name, operand, found) for name, operand in pairs)

    def _destination(
        self, pattern: nodes.Operand, operand: nodes.Operand, found: ir.Instruction
    ) -> bool:
        name = metavariable(pattern)
        if name is None or _plain_name(operand) is None or len(found.writes) != 1:
            return False
        return self._bind(name, _plain_name(operand) or "")

    def _bind(self, name: str, text: str) -> bool:
        return self.values.setdefault(name, text) == text

    def _source(
        self, pattern: nodes.Operand, operand: nodes.Operand, found: ir.Instruction
    ) -> bool:
        name = metavariable(pattern)
        if name is None:
            return pattern == operand
        if is_constant_name(name):
            return self._constant(name, operand, found)
        inner = self.template.definition(name)
        if inner is not None:
            return self._defined(name, inner, operand, found)
        if isinstance(operand, nodes.Immediate):
            return operand.form == "int" and self._bind(name, operand.text)
        text = _plain_name(operand)
        register = None if text is None else _register(found, text)
        if text is None or register is None or register.is_special:
            return False
        return self._same_value(register, found) and self._bind(name, text)

    def _constant(self, name: str, operand: nodes.Operand, found: ir.Instruction) -> bool:
        value = _integer(operand)
        if value is None:
            value = self._moved_constant(operand, found)
        if value is None:
            return False
        return self.constants.setdefault(name, value) == value

    def _moved_constant(self, operand: nodes.Operand, found: ir.Instruction) -> int | None:
        """The constant in a register that one plain `mov` set."""
        definition = self._only_definition(operand, found)
        if definition is None or definition.node.opcode != "mov":
            return None
        return _integer(definition.node.operands[1])

    def _defined(
        self, name: str, inner: nodes.Instruction, operand: nodes.Operand, found: ir.Instruction
    ) -> bool:
        definition = self._only_definition(operand, found)
        if definition is None:
            return False
        text = _plain_name(operand) or ""
        if name in self.values:
            return self.values[name] == text
        if not self._instruction(inner, definition) or self.values.get(name) != text:
            return False
        # A square reads one definition twice; it is still removed once.
        if definition.index not in self.definitions:
            self.definitions.append(definition.index)
        return True

    def _only_definition(
        self, operand: nodes.Operand, found: ir.Instruction
    ) -> ir.Instruction | None:
        """The one unguarded instruction whose value the operand surely has."""
        text = _plain_name(operand)
        register = None if text is None else _register(found, text)
        if register is None:
            return None
        reaching = self.function.reaching(found.index, register)
        if len(reaching) != 1 or ir.ENTRY in reaching:
            return None
        (index,) = reaching
        definition = self.function.instructions[index]
        if definition.node.guard is not None or definition.form is None:
            return None
        return definition

    def _same_value(self, register: ir.Register, found: ir.Instruction) -> bool:
        """Whether a source of an earlier definition is unchanged, and visible, at the root."""
        root = self.root
        if found.index == root.index:
            return True
        if self.scopes[id(found.node)] != self.scopes[id(root.node)]:
            return False
        here = self.function.reaching(found.index, register)
        if here != self.function.reaching(root.index, register):
            return False
        # One definition at both places is one value, as the definition found dominates the root.
        return (len(here) == 1 and ir.ENTRY not in here) or self._untouched(register, found)

    def _untouched(self, register: ir.Register, found: ir.Instruction) -> bool:
        root = self.root
        if found.block != root.block or found.index >= root.index:
            return False
        between = self.function.instructions[found.index : root.index]
        return all(register not in item.writes for item in between)


_PROOFS: dict[tuple[object, ...], bool] = {}


def _is_proved(rule: Rule, types: Mapping[str, str], constants: Mapping[str, int]) -> bool:
    """Whether this site's instance of a rule is proved; undecided is no."""
    key = (rule.name, rule.replace, tuple(types.items()), tuple(constants.items()))
    if key not in _PROOFS:
        _PROOFS[key] = prove_instance(rule, types, constants).verdict is Verdict.PROVED
    return _PROOFS[key]


def _plain_name(operand: nodes.Operand) -> str | None:
    if isinstance(operand, nodes.Register | nodes.Symbol) and operand.component is None:
        return operand.name
    return None


def _register(instruction: ir.Instruction, name: str) -> ir.Register | None:
    """The register that a name means at an instruction."""
    return next((item for item in instruction.reads if item.name == name), None)


def _integer(operand: nodes.Operand) -> int | None:
    if not isinstance(operand, nodes.Immediate) or operand.form != "int":
        return None
    text = operand.text
    negative = text.startswith("-")
    try:
        value = number(text.removeprefix("-"))
    except ValueError:
        return None  # WARP_SZ: a constant, but not one to compute with
    return -value if negative else value


def _scopes(function: nodes.Function) -> dict[int, int]:
    """Which block each instruction stands in."""
    found: dict[int, int] = {}
    work = [function.body] if function.body else []
    while work:
        block = work.pop()
        for statement in block.statements:
            if isinstance(statement, nodes.Block):
                work.append(statement)
            elif isinstance(statement, nodes.Instruction):
                found[id(statement)] = id(block)
    return found
