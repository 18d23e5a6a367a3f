"""Scopes, binding, control flow and the contract of guarded writes."""

from __future__ import annotations

import pytest

from ptxtool import ir
from ptxtool.core.source import Source
from ptxtool.syntax import parse

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"


def build(body: str, before: str = "") -> ir.Function:
    text = f"{HEAD}{before}\n.visible .entry k(.param .u64 p)\n{{\n{body}\n}}\n"
    module = parse(Source("t.ptx", text))
    assert not module.diagnostics, module.diagnostics
    return ir.build(next(f for f in module.functions if f.name == "k"), module)


def names(registers) -> list[str]:
    return [register.name for register in registers]


def codes(function: ir.Function) -> list[str]:
    return [diagnostic.code for diagnostic in function.diagnostics]


def test_ranges_are_resolved_and_not_expanded() -> None:
    function = build(".reg .b32 %r<1000000>, %r1<5>;\nadd.s32 %r14, %r999999, %r12;")
    assert names(function.instructions[0].reads) == ["%r999999", "%r12"]
    assert len(function.registers) == 3
    assert not function.diagnostics


def test_a_leading_zero_names_the_same_register() -> None:
    function = build(".reg .b32 %r<10>;\nmov.b32 %r1, %r01;")
    assert function.instructions[0].reads == function.instructions[0].writes


def test_inner_scopes_shadow() -> None:
    function = build(
        ".reg .b32 %a, %b;\nmov.b32 %a, 1;\n{ .reg .b64 %a; mov.b64 %a, 2; }\nmov.b32 %b, %a;"
    )
    outer, inner, last = function.instructions
    assert inner.writes[0] is not outer.writes[0]
    assert inner.writes[0].bits == 64
    assert last.reads == outer.writes
    assert function.reaching(2, outer.writes[0]) == {0}


def test_registers_without_percent() -> None:
    function = build(".reg .b32 x, y;\nadd.s32 x, y, 1;")
    assert names(function.instructions[0].writes) == ["x"]


def test_a_guarded_write_reads_the_old_value_and_does_not_kill() -> None:
    function = build(
        ".reg .b32 %r<3>; .reg .pred %p;\nmov.b32 %r0, 1;\n@!%p mov.b32 %r0, 2;\nmov.b32 %r1, %r0;"
    )
    guarded = function.instructions[1]
    assert names(guarded.reads) == ["%r0", "%p"]
    assert guarded.guard is not None
    assert function.reaching(2, guarded.writes[0]) == {0, 1}
    assert function.uses(0) == {1, 2}


def test_the_value_at_entry_is_a_definition() -> None:
    function = build(".reg .b32 %r<2>;\nmov.b32 %r0, %r1;")
    assert function.reaching(0, function.instructions[0].reads[0]) == {ir.ENTRY}


@pytest.mark.parametrize(
    ("line", "reads", "writes"),
    [
        ("ld.global.v2.b32 {%r0, %r1}, [%d0+8];", ["%d0"], ["%r0", "%r1"]),
        ("st.global.v2.b32 [%d0], {%r0, %r1};", ["%d0", "%r0", "%r1"], []),
        ("setp.lt.and.s32 %p0|%p1, %r0, 3, !%p2;", ["%r0", "%p2"], ["%p0", "%p1"]),
        ("shfl.sync.bfly.b32 %r0|%p0, %r1, 1, 31, -1;", ["%r1"], ["%r0", "%p0"]),
        ("mov.b64 {%r0, %r1}, %d0;", ["%d0"], ["%r0", "%r1"]),
        ("mov.b64 {_, %r1}, %d0;", ["%d0"], ["%r1"]),
        ("mov.u32 %r0, %tid.x;", ["%tid"], ["%r0"]),
        ("add.cc.u32 %r0, %r1, %r2;", ["%r1", "%r2"], ["%r0", "CC.CF"]),
        ("addc.u32 %r0, %r1, %r2;", ["%r1", "%r2", "CC.CF"], ["%r0"]),
        ("atom.global.add.u32 _, [%d0], %r0;", ["%d0", "%r0"], []),
        ("bar.sync 0;", [], []),
    ],
)
def test_reads_and_writes(line: str, reads: list[str], writes: list[str]) -> None:
    declared = ".reg .b32 %r<4>; .reg .b64 %d<4>; .reg .pred %p<4>;\n"
    instruction = build(declared + line).instructions[0]
    assert (names(instruction.reads), names(instruction.writes)) == (reads, writes)
    assert instruction.line == 8


def test_a_call_writes_its_results() -> None:
    function = build(
        ".reg .b32 %r<3>;\ncall (%r0), f, (%r1);",
        ".func (.reg .b32 x) f(.reg .b32 y)\n{\nmov.b32 x, y;\nret;\n}",
    )
    call = function.instructions[0]
    assert (names(call.reads), names(call.writes)) == (["%r1"], ["%r0"])
    assert not function.diagnostics


def test_unknown_opcode_is_reported_and_kills_nothing() -> None:
    function = build(
        ".reg .b32 %r<3>;\nmov.b32 %r0, 1;\nfrobnicate.b32 %r0, %r1;\nmov.b32 %r2, %r0;"
    )
    unknown = function.instructions[1]
    assert unknown.form is None
    assert set(unknown.reads) == set(unknown.writes)
    assert codes(function) == ["PTX203"]
    assert function.reaching(2, unknown.writes[0]) == {0, 1}


def test_undeclared_names_are_reported_once_with_their_place() -> None:
    function = build(".reg .b32 %r<3>;\nmov.b32 %r3, 1;\nmov.b32 %r3, 2;\nmov.b32 %r0, nowhere;")
    assert codes(function) == ["PTX201", "PTX202"]
    assert function.diagnostics[0].span is not None
    assert function.diagnostics[0].span.line == 8


def test_known_names_are_not_reported() -> None:
    body = ".reg .b64 %d<2>; .shared .b32 s[4];\n"
    body += "ld.param.u64 %d0, [p];\nmov.u64 %d1, s;\nmov.u64 %d0, g;"
    assert not build(body, ".global .b32 g;").diagnostics


def test_branch_table() -> None:
    function = build(
        ".reg .b32 %r<1>;\nT: .branchtargets A, B;\nbrx.idx %r0, T;\nA: mov.b32 %r0, 1;\nret;\n"
        "B: mov.b32 %r0, 2;\nret;"
    )
    assert function.blocks[0].successors == (1, 2)


def test_a_call_that_never_returns_ends_the_path() -> None:
    function = build("call f;\nret;", ".func f() .noreturn { trap; }")
    assert function.blocks[0].successors == ()


def test_loop_depth() -> None:
    function = build(".reg .pred %p<2>;\nA:\nbar.sync 0;\nB:\n@%p0 bra B;\n@%p1 bra A;\nret;")
    assert [block.loop_depth for block in function.blocks] == [1, 2, 1, 0]


def test_a_body_without_instructions() -> None:
    function = build("")
    assert (function.blocks, function.dominators, function.loops) == ([], (), ())
    assert len(function.live_out) == 0


def test_writing_one_element_of_a_vector_register_keeps_the_others() -> None:
    function = build(".reg .v2 .b32 %v; .reg .b32 %r;\nmov.b32 %v.x, 1;\nmov.b32 %v.y, 2;")
    first, second = function.instructions
    assert first.writes[0].units == 2
    assert function.reaching(1, second.writes[0]) == {0, ir.ENTRY}
