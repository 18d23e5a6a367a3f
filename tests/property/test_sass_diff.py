"""The verdicts of the comparison on code of real kernels, renamed, reordered and mutated."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest

from ptxtool import sass
from ptxtool.sass import FunctionVerdict, effects
from ptxtool.sass.read import split

pytestmark = pytest.mark.oracle

PTX = """
.version 8.8
.target {arch}
.address_size 64
.visible .entry loop(.param .u64 a, .param .u64 b, .param .u32 n)
{{
  .reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %d<12>; .reg .f32 %f<12>;
  ld.param.u64 %d1, [a]; ld.param.u64 %d2, [b]; ld.param.u32 %r1, [n];
  cvta.to.global.u64 %d3, %d1; cvta.to.global.u64 %d4, %d2;
  mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x;
  mad.lo.s32 %r5, %r3, %r4, %r2;
  setp.ge.s32 %p1, %r5, %r1; @%p1 bra DONE;
  mul.wide.s32 %d5, %r5, 4; add.s64 %d6, %d3, %d5; add.s64 %d7, %d4, %d5;
  mov.f32 %f1, 0f00000000; mov.u32 %r6, 0;
LOOP:
  ld.global.f32 %f2, [%d6]; ld.global.f32 %f3, [%d6+4];
  fma.rn.f32 %f1, %f2, %f3, %f1;
  setp.gt.f32 %p2, %f1, 0f41200000;
  @%p2 add.f32 %f1, %f1, 0fBF800000;
  xor.b32 %r7, %r6, %r5; and.b32 %r8, %r7, 7;
  cvt.rn.f32.s32 %f4, %r8; mul.f32 %f5, %f4, %f3; add.f32 %f1, %f1, %f5;
  add.s32 %r6, %r6, 3; add.s64 %d6, %d6, 64;
  setp.lt.s32 %p3, %r6, %r1; @%p3 bra LOOP;
  st.global.f32 [%d7], %f1; st.global.u32 [%d7+8], %r8;
DONE:
  ret;
}}
"""
ARCHS = ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"]


@pytest.fixture(scope="module", params=ARCHS)
def kernel(request, toolchain):
    assembly = toolchain.assemble(PTX.format(arch=request.param).encode(), request.param)
    text = toolchain.disassemble(assembly.cubin)
    return sass.read(assembly.cubin, text.listing, text.live_counts)["loop"]


def rebuilt(function, instructions):
    return replace(function, instructions=instructions)


def retold(instruction, text, flip=0):
    predicate, opcode, operands = split(text)
    return replace(
        instruction,
        text=text,
        predicate=predicate,
        opcode=opcode,
        operands=operands,
        encoding=instruction.encoding ^ flip,
    )


def renamed(function, draw):
    """Whole registers permuted in groups of four, predicates one by one, in text and fields."""
    groups = draw.sample(range(4, 60), 60 - 4)
    predicates = draw.sample(range(7), 7)

    def other(match):
        file, number = match[1], int(match[2])
        if file == "P":
            return f"P{predicates[number]}"
        if file == "R":
            return match[0] if number < 4 else f"R{4 * groups[number // 4] + number % 4}"
        return match[0]

    # The encoding of operands is of no interest to the comparison of text: one bit says "other".
    return rebuilt(
        function,
        [
            retold(i, text, flip=int(text != i.text) << 24)
            for i in function.instructions
            for text in [re.sub(r"(?<![\w.])(R|P)(\d+)\b", other, i.text)]
        ],
    )


def test_itself_is_identical(kernel):
    assert sass.diff(kernel, kernel).verdict is FunctionVerdict.IDENTICAL


def test_renaming_is_only_renamed(kernel):
    for seed in range(20):
        result = sass.diff(kernel, renamed(kernel, random.Random(seed)))
        assert result.verdict is FunctionVerdict.RENAMED, seed


def swappable(one, two):
    first, second = effects.effect(one), effects.effect(two)
    if first is None or second is None:
        return False
    if not all(effects.is_pure(i) or effects.is_plain_load(i) for i in (one, two)):
        return False
    clash = set(first.writes) & set(second.reads + second.writes)
    return not clash and not set(second.writes) & set(first.reads)


def reordered(function, draw):
    code = list(function.instructions)
    swapped = 0
    for block in function.blocks:
        for _ in range(4 * (block.stop - block.start)):
            at = draw.randrange(block.start, max(block.start + 1, block.stop - 1))
            if at + 1 < block.stop and swappable(code[at], code[at + 1]):
                swapped += code[at].text != code[at + 1].text
                code[at], code[at + 1] = (
                    replace(code[at + 1], offset=code[at].offset),
                    replace(code[at], offset=code[at + 1].offset),
                )
    return rebuilt(function, code), swapped


def test_legal_reordering_is_reordered(kernel):
    moved = 0
    for seed in range(20):
        draw = random.Random(seed)
        other, swapped = reordered(kernel, draw)
        moved += swapped > 0
        if draw.random() < 0.5:
            other = renamed(other, draw)
        verdict = sass.diff(kernel, other).verdict
        same_order = [i.text for i in other.instructions] == [i.text for i in kernel.instructions]
        expected = (FunctionVerdict.REORDERED, FunctionVerdict.RENAMED)
        assert same_order or verdict in expected, (seed, verdict)
    assert moved >= 18


def mutations(instruction, draw):
    """Single changes of meaning that can be read off the text."""
    text = instruction.text
    found = []
    for match in re.finditer(r"(?<![\w.])(UR|R|P)(\d+)\b", text):
        number = (int(match[2]) + draw.choice((1, 2, 3))) % (7 if match[1] == "P" else 60)
        found.append(f"{text[: match.start()]}{match[1]}{number}{text[match.end() :]}")
    for match in re.finditer(r"0x([0-9a-f]+)\b", text):
        value = int(match[1], 16) ^ 1 << draw.randrange(4)
        found.append(f"{text[: match.start()]}{value:#x}{text[match.end() :]}")
    if instruction.predicate and "PT" not in instruction.predicate:
        flipped = text.replace("@!", "@") if "@!" in text else text.replace("@", "@!")
        found.append(flipped)
    swaps = {"FADD": "FMUL", "FFMA": "FFMA.FTZ", "LOP3.LUT": "LOP3", ".GE": ".GT", ".LT": ".LE"}
    found += [text.replace(a, b, 1) for a, b in swaps.items() if a in text]
    return [mutant for mutant in found if mutant != text]


MILD = (FunctionVerdict.IDENTICAL, FunctionVerdict.CONTROL)


def test_every_mutation_is_reported(kernel):
    """No mutated operand, immediate, opcode or guard passes for the same code.

    A mutated result may pass as renamed where no one reads it: a liveness of the test's own tells.
    """
    tried = 0
    for seed in range(2):
        draw = random.Random(seed)
        base = renamed(kernel, draw) if seed % 2 else kernel
        for at, instruction in enumerate(base.instructions):
            for text in mutations(instruction, draw):
                code = list(base.instructions)
                code[at] = retold(instruction, text, flip=1 << 24)
                result = sass.diff(kernel, rebuilt(base, code))
                tried += 1
                assert result.verdict not in MILD, text
                if result.verdict in (FunctionVerdict.RENAMED, FunctionVerdict.REORDERED):
                    assert dead_register(base, at, text), (seed, instruction.text, text)
    assert tried > 400


def dead_register(function, at, text):
    """The mutation moved a result that nothing reads to a register that nothing needs then."""
    before = effects.effect(function.instructions[at])
    mutant = effects.effect(retold(function.instructions[at], text))
    if before is None or mutant is None or before.reads != mutant.reads:
        return False
    return not (set(before.writes) | set(mutant.writes)) & live_after(function, at)


def live_after(function, at):
    """Registers that may be read after an instruction before they are written."""
    live_in = [set() for _ in function.blocks]

    def backward(block, stop):
        live = set().union(*(live_in[s] for s in block.successors)) if block.successors else set()
        for instruction in reversed(function.instructions[stop : block.stop]):
            known = effects.effect(instruction)
            assert known is not None, instruction.text
            if instruction.predicate is None:
                live -= set(known.writes)
            live |= set(known.reads)
        return live

    for _ in range(len(function.blocks) + 2):
        for block in reversed(function.blocks):
            live_in[block.index] = backward(block, block.start)
    block = next(b for b in function.blocks if b.start <= at < b.stop)
    return backward(block, at + 1)


def test_control_words_are_an_axis_of_their_own(kernel):
    for at, instruction in enumerate(kernel.instructions):
        code = list(kernel.instructions)
        stall = replace(instruction.control, stall=instruction.control.stall ^ 1)
        code[at] = replace(instruction, control=stall, encoding=instruction.encoding ^ 1 << 105)
        result = sass.diff(kernel, rebuilt(kernel, code))
        assert result.verdict is FunctionVerdict.CONTROL
        assert result.changed_control == 1


def test_hidden_bits_are_a_change(kernel):
    """What only the encoding shows, as the payload of a NaN, is no renaming either."""
    for at, instruction in enumerate(kernel.instructions):
        if "`" in instruction.text:
            continue
        code = list(kernel.instructions)
        code[at] = replace(instruction, encoding=instruction.encoding ^ 1 << 74)
        result = sass.diff(kernel, rebuilt(kernel, code))
        assert result.verdict is FunctionVerdict.OPERANDS, instruction.text
