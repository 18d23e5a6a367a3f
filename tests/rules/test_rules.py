"""Every rule: its examples, near misses, proof for every type it claims, and wrong variants.

The tests are derived from the rule objects, so a new rule is covered by being there.
"""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest

from ptxtool import ir, isa
from ptxtool.core.source import Source
from ptxtool.isa import lower_python, terms
from ptxtool.rewrite import all_rules, find_matches
from ptxtool.rewrite.apply import apply_matches
from ptxtool.rewrite.prove import Verdict, prove, prove_instance, prove_rule
from ptxtool.rewrite.rule import (
    Derived,
    log2,
    magic,
    minus_one,
    multiplier,
    multiplier_shift,
    same,
)
from ptxtool.syntax import nodes, parse

RULES = all_rules()
REGISTERS = """
    .reg .pred %p<4>; .reg .b16 %rs<8>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .b32 %t_<2>;
"""


def kernel(body: str) -> Source:
    text = f".version 8.0\n.target sm_80\n.entry k()\n{{\n{REGISTERS}\n{body}\nret;\n}}\n"
    return Source("example.ptx", text)


def built(source: Source) -> ir.Function:
    module = parse(source)
    assert not module.diagnostics, str(module.diagnostics[0])
    return ir.build(module.kernels[0], module)


def code(source: Source) -> list[str]:
    """The instructions as text, fresh registers called %t."""
    function = built(source)
    found = [source.text[i.node.start : i.node.end] for i in function.instructions[:-1]]
    return [" ".join(re.sub(r"%new\d+_\w+?_\d+", "%t", text).split()) for text in found]


EXAMPLES = [(rule, example) for rule in RULES for example in rule.rewrites]
KEEPS = [(rule, text) for rule in RULES for text in rule.keeps]


@pytest.mark.parametrize(("rule", "example"), EXAMPLES, ids=lambda item: getattr(item, "name", ""))
def test_examples_become_what_the_rule_says(rule, example):
    source = kernel(example.before)
    function = built(source)
    matches = find_matches(rule, function)
    assert len(matches) == 1
    got = code(apply_matches(source, function, matches))
    want = [part.strip() + ";" for part in example.after.split(";") if part.strip()]
    assert got[-len(want) :] == want
    # What is left before it are definitions that fed the root and have other uses, or constants.
    assert all(text.startswith("mov") for text in got[: -len(want)])


@pytest.mark.parametrize(("rule", "text"), KEEPS, ids=lambda item: getattr(item, "name", ""))
def test_near_misses_are_left_alone(rule, text):
    assert find_matches(rule, built(kernel(text))) == []


@pytest.mark.oracle
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_every_claimed_type_is_proved(rule):
    proofs = prove_rule(rule)
    assert len(proofs) == len(rule.types) > 0
    assert [proof.verdict for proof in proofs] == [Verdict.PROVED] * len(proofs)


def wrong(name: str, **changes):
    rule = next(rule for rule in RULES if rule.name == name)
    return replace(rule, name=f"wrong {name}", **changes)


SHIFT_ONE_MORE = {"K": Derived("C", "log2 + 1", lambda value, _: value.bit_length())}
SHORT = {
    "M": Derived("C", "one less", lambda value, bits: magic(value, bits)[0] - 1),
    "S": multiplier_shift("C"),
}
FAR = {
    "M": multiplier("C"),
    "S": Derived("C", "one more", lambda value, bits: magic(value, bits)[1] + 1),
}
WRONG = [
    wrong("unsigned-div-by-constant", derive=SHORT),
    wrong("unsigned-div-by-constant", derive=FAR),
    wrong("unsigned-rem-by-constant", derive={**SHORT, "D": same("C")}),
    wrong("unsigned-rem-by-constant", replace="mul.hi.$T $t, $a, $M; shr.$T $d, $t, $S;"),
    wrong("unsigned-div-by-power-of-two", derive=SHIFT_ONE_MORE),
    wrong(
        "unsigned-div-by-power-of-two",
        pattern="div.$T $d, $a, $C;",
        replace="shr.$T $d, $a, $K;",
        types=({"T": "s32", "bits": "32"},),
    ),
    wrong("unsigned-rem-by-power-of-two", derive={"M": Derived("C", "C", lambda v, _: v)}),
    wrong("unsigned-rem-by-power-of-two", replace="or.$B $d, $a, $M;"),
    wrong("unsigned-rem-by-power-of-two", replace="shr.$T $d, $a, $K;", derive={"K": log2("C")}),
    wrong("split-mad-wide", replace="mul.wide.$T $t, $a, $b; sub.$W $d, $t, $c;"),
    wrong("split-mad-wide", replace="mul.wide.$T $t, $a, $a; add.$W $d, $t, $c;"),
    wrong(
        "split-mad-wide",
        replace="mul.wide.$U $t, $a, $b; add.$W $d, $t, $c;",
        types=({"T": "s32", "W": "s64", "U": "u32"},),
    ),
    wrong(
        "widened-multiply",
        types=({"N": "u32", "X": "u64", "M": "s64", "P": "s32"},),
        replace="mul.wide.$P $d, $a, $b;",
    ),
    wrong(
        "widened-multiply",
        pattern="cvt.s64.s32 $x, $a; cvt.u64.u32 $y, $b; mul.lo.s64 $d, $x, $y;",
        replace="mul.wide.s32 $d, $a, $b;",
    ),
    wrong("widened-multiply-by-constant-signed", derive={"D": minus_one("C")}),
]


@pytest.mark.oracle
@pytest.mark.parametrize("rule", WRONG, ids=lambda rule: rule.name)
def test_wrong_variants_are_refuted(rule):
    types = rule.types[0]
    if rule.where and rule.where[0].domain is None:
        proof = prove_instance(rule, types, {rule.where[0].name: 10})
    else:
        proof = prove(rule, types)
    assert proof.verdict is Verdict.REFUTED
    assert proof.counterexample


@pytest.mark.oracle
def test_a_form_without_meaning_is_undecided_never_proved():
    rule = wrong(
        "split-mad-wide", pattern="ex2.approx.f32 $d, $a;", replace="ex2.approx.f32 $d, $a;"
    )
    assert prove(replace(rule, replace="cos.approx.f32 $d, $a;"), {}).verdict is not Verdict.PROVED


EDGES = [
    0,
    1,
    2,
    7,
    0x7FFF,
    0x8000,
    0xFFFF,
    0x7FFFFFFF,
    0x80000000,
    0xFFFFFFFF,
    1 << 63,
    (1 << 64) - 1,
]


def run(function: ir.Function, values: dict[str, int]) -> dict[str, int]:
    """A second opinion: interpret straight-line code with the Python lowering of the table."""
    state = dict(values)
    for instruction in function.instructions[:-1]:
        node = instruction.node
        if node.guard is not None and not state.get(node.guard.register, 0) ^ node.guard.negated:
            continue
        form = isa.lookup(node.opcode, node.modifiers, len(node.operands))
        meaning = form.semantics
        widths = meaning.bits[meaning.destinations :]
        sources = [
            terms.const(
                int(item.text, 0) if isinstance(item, nodes.Immediate) else state.get(item.name, 0),
                bits,
            )
            for item, bits in zip(node.operands[1:], widths, strict=True)
        ]
        state[node.operands[0].name] = lower_python(meaning(sources)[0])
    return state


@pytest.mark.parametrize(("rule", "example"), EXAMPLES, ids=lambda item: getattr(item, "name", ""))
def test_before_and_after_give_the_same_values(rule, example):
    source = kernel(example.before)
    function = built(source)
    after = built(apply_matches(source, function, find_matches(rule, function)))
    root = function.instructions[find_matches(rule, function)[0].root].node
    destination = root.operands[0].name
    generator = random.Random(rule.name)
    names = [f"%rs{i}" for i in range(8)] + [f"%r{i}" for i in range(8)]
    names += [f"%rd{i}" for i in range(8)] + ["%p1"]
    for trial in range(200):
        values = {
            name: generator.choice(EDGES) if trial % 2 else generator.getrandbits(64)
            for name in names
        }
        values["%p1"] = trial & 1
        for name in names:
            width = 16 if name.startswith("%rs") else 64 if name.startswith("%rd") else 32
            values[name] &= (1 << width) - 1
        assert run(function, values)[destination] == run(after, values)[destination]


def test_names_are_unique_and_rules_explain_themselves():
    assert len({rule.name for rule in RULES}) == len(RULES)
    for rule in RULES:
        assert rule.rewrites
        assert rule.keeps
        assert rule.why.endswith(".")


@pytest.mark.parametrize("bits", [8, 11])
def test_multipliers_are_right_for_every_dividend_and_divisor(bits):
    """A small type, all of it; the proof is made anew at each site of the real ones."""
    found = 0
    for divisor in range(3, 1 << bits):
        pair = magic(divisor, bits)
        if pair is None:
            continue
        found += 1
        assert pair[0] < 1 << bits
        step = 1 if bits == 8 else 7
        for value in range(0, 1 << bits, step):
            assert value * pair[0] >> (bits + pair[1]) == value // divisor
    assert found > (1 << bits) / 3


@pytest.mark.oracle
def test_every_16_bit_multiplier_is_proved_or_there_is_none():
    rule = next(rule for rule in RULES if rule.name == "unsigned-div-by-constant")
    types = rule.types[0]
    for divisor in range(3, 1 << 16, 977):
        if rule.where[0].holds(divisor, 16):
            assert prove_instance(rule, types, {"C": divisor}).verdict is Verdict.PROVED
