"""Whether pattern and replacement compute the same: built from their text through the ISA table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from ptxtool import isa
from ptxtool.isa import terms
from ptxtool.isa.terms import Term, postorder
from ptxtool.rewrite.rule import Constraint, Rule
from ptxtool.rewrite.template import Template, instantiate, is_constant_name, metavariable
from ptxtool.syntax import nodes

SOLVER_TIMEOUT_MS = 20_000


class Verdict(StrEnum):
    """Undecided never reads as proved."""

    PROVED = "proved"
    REFUTED = "refuted"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Proof:
    """A verdict; refuted with the values of the pattern's names, undecided with the reason."""

    verdict: Verdict
    types: Mapping[str, str]
    counterexample: Mapping[str, int] = field(default_factory=dict)
    reason: str = ""


def prove(rule: Rule, types: Mapping[str, str]) -> Proof:
    """Prove one type binding of a rule for every constant that it claims."""
    constants = [(item.name, item.domain or item.samples) for item in rule.where]
    listed = [(name, values) for name, values in constants if values is not None]
    if not listed:
        return prove_instance(rule, types, {})
    ((name, values),) = listed
    for value in values(int(types["bits"])):
        proof = prove_instance(rule, types, {name: value})
        if proof.verdict is not Verdict.PROVED:
            return proof
    return Proof(Verdict.PROVED, types)


def prove_rule(rule: Rule) -> list[Proof]:
    """One proof for each binding that the rule claims."""
    return [prove(rule, types) for types in rule.types]


def prove_instance(rule: Rule, types: Mapping[str, str], constants: Mapping[str, int]) -> Proof:
    """Prove one binding with given constants; the others are unknowns under their conditions."""
    try:
        values = _constants(rule, types, constants)
        before = _Meaning(values)
        left = before.result(instantiate(rule.pattern, types))
        after = _Meaning({**before.values, **_derived(rule, types, before.values, constants)})
        right = after.result(instantiate(rule.replace, types))
    except NotMeant as missing:
        return Proof(Verdict.UNDECIDED, types, reason=str(missing))
    if left.width != right.width:
        return Proof(Verdict.REFUTED, types, reason=f"{left.width} and {right.width} bits")
    return _solve(left, right, types, before.values)


class NotMeant(Exception):
    """A form has no meaning in the table."""


class _Meaning:
    """Evaluates templates over terms; a lower-case name without a value is an unknown."""

    def __init__(self, values: Mapping[str, Term]) -> None:
        self.values = dict(values)

    def result(self, template: Template) -> Term:
        """The term that the root's destination gets."""
        for instruction in template.instructions:
            self._step(instruction)
        name = metavariable(template.root.operands[0])
        assert name is not None
        return self.values.pop(name)

    def _step(self, instruction: nodes.Instruction) -> None:
        count = len(instruction.operands)
        form = isa.lookup(instruction.opcode, instruction.modifiers, count)
        meaning = form.semantics if form else None
        if meaning is None:
            raise NotMeant(f"{instruction.mnemonic} has no meaning in the ISA table")
        widths = meaning.bits[meaning.destinations :]
        sources = [
            self._source(operand, bits)
            for operand, bits in zip(instruction.operands[1:], widths, strict=True)
        ]
        name = metavariable(instruction.operands[0])
        assert name is not None
        self.values[name] = meaning(sources)[0]

    def _source(self, operand: nodes.Operand, bits: int) -> Term:
        if isinstance(operand, nodes.Immediate):
            return terms.const(int(operand.text, 0), bits)
        name = metavariable(operand)
        assert name is not None
        if name not in self.values:
            self.values[name] = terms.var(name, bits)
        found = self.values[name]
        if found.width == bits:
            return found
        if is_constant_name(name):
            return terms.extract(found, 0, bits) if found.width > bits else _extended(found, bits)
        raise NotMeant(f"${name} has {found.width} bits where {bits} are read")


def _extended(constant: Term, bits: int) -> Term:
    """A constant in a wider operand: its value is not negative, so zeros go in front."""
    return terms.zext(constant, bits)


def _constants(
    rule: Rule, types: Mapping[str, str], constants: Mapping[str, int]
) -> dict[str, Term]:
    bits = int(types.get("bits", 0))
    known = {name: terms.const(value, bits) for name, value in constants.items()}
    free = {
        item.name: item.general(bits) if item.general else terms.var(item.name, bits)
        for item in rule.where
    }
    return {**free, **known}


def _derived(
    rule: Rule,
    types: Mapping[str, str],
    values: Mapping[str, Term],
    constants: Mapping[str, int],
) -> dict[str, Term]:
    bits = int(types.get("bits", 0))
    found = {}
    for name, item in rule.derive.items():
        if item.source in constants:
            found[name] = terms.const(item.compute(constants[item.source], bits), bits)
        elif item.says == item.source:
            found[name] = values[item.source]
        else:
            raise NotMeant(f"${name} = {item.says} of an unknown constant")
    return found


def _solve(
    left: Term,
    right: Term,
    types: Mapping[str, str],
    values: Mapping[str, Term],
) -> Proof:
    if left is right:
        return Proof(Verdict.PROVED, types, reason="the terms are one")
    try:
        import z3  # the extra `prove`
    except ImportError:
        return Proof(Verdict.UNDECIDED, types, reason="z3 is not installed")
    by_integers = _solve_integers(z3, left, right, types, values)
    if by_integers is not None:
        return by_integers
    solver = z3.Solver()
    solver.set("timeout", SOLVER_TIMEOUT_MS)
    solver.add(isa.lower_z3(left) != isa.lower_z3(right))
    answer = solver.check()
    if answer == z3.unsat:
        return Proof(Verdict.PROVED, types)
    if answer == z3.sat:
        return Proof(Verdict.REFUTED, types, _witness(solver.model(), values))
    return Proof(Verdict.UNDECIDED, types, reason=f"the solver gave up: {solver.reason_unknown()}")


def _solve_integers(
    z3: Any, left: Term, right: Term, types: Mapping[str, str], values: Mapping[str, Term]
) -> Proof | None:
    """Division by constants as linear integers; None where this way does not decide."""
    if not any(part.op in ("udiv", "urem") for part in postorder([left, right])):
        return None
    try:
        (a, ranges), (b, more) = isa.lower_integers(left), isa.lower_integers(right)
    except isa.NotLinear:
        return None
    solver = z3.Solver()
    solver.set("timeout", SOLVER_TIMEOUT_MS)
    solver.add(*ranges, *more, a != b)
    answer = solver.check()
    if answer == z3.sat:
        return Proof(Verdict.REFUTED, types, _witness(solver.model(), values))
    return Proof(Verdict.PROVED, types, reason="linear integers") if answer == z3.unsat else None


def _witness(model: Any, values: Mapping[str, Term]) -> dict[str, int]:
    """The unknowns of the pattern as unsigned values."""
    names = {str(item): model[item] for item in model.decls()}
    return {name: names[name].as_long() for name in values if name in names}


def violated(
    constraints: tuple[Constraint, ...], values: Mapping[str, int], bits: int
) -> str | None:
    """The first condition that constants do not meet, in words."""
    for item in constraints:
        if item.name in values and not item.holds(values[item.name], bits):
            return item.says
    return None
