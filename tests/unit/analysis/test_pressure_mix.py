"""Register pressure and instruction mix on kernels small enough to count by hand."""

from __future__ import annotations

from ptxtool import ir
from ptxtool.analysis.mix import TRIPS_PER_LOOP, instruction_mix
from ptxtool.analysis.pressure import LABEL, pressure
from ptxtool.core.source import Source
from ptxtool.syntax import parse

KERNEL = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{
.reg .b32 %r<4>; .reg .b64 %d<4>; .reg .pred %p<2>;
ld.param.u64 %d0, [p];
mov.u32 %r0, %tid.x;
mov.b32 %r1, 0;
L: ld.global.u32 %r2, [%d0];
add.s32 %r1, %r1, %r2;
add.s32 %r0, %r0, -1;
setp.ne.s32 %p0, %r0, 0;
@%p0 bra L;
st.global.u32 [%d0], %r1;
ret;
}
"""


def build(text: str) -> ir.Function:
    module = parse(Source("k.ptx", text))
    return ir.build(module.functions[0], module)


def test_pressure() -> None:
    report = pressure(build(KERNEL))
    # After the load: %d0 (2), %r0, %r1, %r2.
    assert (report.peak_registers, report.peak_predicates) == (5, 1)
    assert report.hottest[0].line == 10
    assert report.hottest[0].text.startswith("L: ld.global")
    assert [(item.line, item.registers) for item in report.per_line] == [
        (7, 2), (8, 3), (9, 4), (10, 5), (11, 4), (12, 4), (13, 4), (14, 4), (15, 0), (16, 0),
    ]  # fmt: skip
    assert report.label == LABEL


def test_a_dead_definition_still_takes_a_register() -> None:
    dead = KERNEL.replace("ret;", "mov.b64 %d3, 1;\nret;")
    line = next(item for item in pressure(build(dead)).per_line if "%d3" in item.text)
    assert line.registers == 2


def test_mix() -> None:
    report = instruction_mix(build(KERNEL))
    assert report.total == 10
    assert report.weighted_total == 5 + 5 * TRIPS_PER_LOOP
    assert report.count("integer") == 2
    assert report.count("global load") == report.count("global store") == 1
    assert report.count("tensor") == 0
    assert report.classes[0].name == "integer"
    assert report.classes[0].weighted == 2 * TRIPS_PER_LOOP


def test_unknown_instructions_are_a_class() -> None:
    strange = KERNEL.replace("ret;", "frobnicate.b32 %r0;\nret;")
    assert instruction_mix(build(strange)).count("unknown") == 1


def test_an_empty_body() -> None:
    empty = build(".version 8.0\n.target sm_80\n.visible .entry k() { }\n")
    assert pressure(empty).peak_registers == 0
    assert instruction_mix(empty).total == 0
