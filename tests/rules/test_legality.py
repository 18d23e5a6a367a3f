"""PTX is not SSA: sites where a careless matcher would change the program."""

import pytest

from ptxtool import ir
from ptxtool.core.source import Source
from ptxtool.rewrite import all_rules, find_matches
from ptxtool.rewrite.apply import apply_matches
from ptxtool.syntax import parse

WIDEN = next(rule for rule in all_rules() if rule.name == "widened-multiply-by-constant-signed")
DIVIDE = next(rule for rule in all_rules() if rule.name == "unsigned-div-by-power-of-two")
HEAD = """.version 8.0
.target sm_80
.entry k()
{
.reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>;
"""


def sites(rule, body: str) -> list:
    module = parse(Source("t.ptx", HEAD + body + "\nret;\n}\n"))
    assert not module.diagnostics, str(module.diagnostics[0])
    return find_matches(rule, ir.build(module.kernels[0], module))


def test_the_plain_site_matches():
    (match,) = sites(WIDEN, "cvt.s64.s32 %rd1, %r1; mul.lo.s64 %rd2, %rd1, 12;")
    assert match.values["a"] == "%r1"
    assert len(match.dead) == 1


@pytest.mark.parametrize(
    "body",
    [
        # the source of the conversion is overwritten before the multiply
        "cvt.s64.s32 %rd1, %r1; mov.u32 %r1, 0; mul.lo.s64 %rd2, %rd1, 12;",
        # the conversion may not have happened
        "@%p1 cvt.s64.s32 %rd1, %r1; mul.lo.s64 %rd2, %rd1, 12;",
        # two definitions reach
        "cvt.s64.s32 %rd1, %r1; @%p1 bra L; cvt.s64.s32 %rd1, %r2; L: mul.lo.s64 %rd2, %rd1, 12;",
        # a guarded write in between mixes in another value
        "cvt.s64.s32 %rd1, %r1; @%p1 mov.u64 %rd1, 5; mul.lo.s64 %rd2, %rd1, 12;",
        # the source changes in the loop, the conversion is before it
        "mov.u32 %r1, 3; cvt.s64.s32 %rd1, %r1; L: add.s32 %r1, %r1, 1;"
        " mul.lo.s64 %rd2, %rd1, 12; @%p1 bra L;",
        # the conversion happens in a scope whose register hides the outer one
        "mov.u32 %r1, 3; { .reg .b32 %r<4>; mov.u32 %r1, 4; cvt.s64.s32 %rd1, %r1; }"
        " mul.lo.s64 %rd2, %rd1, 12;",
    ],
)
def test_sites_that_must_be_refused(body):
    assert sites(WIDEN, body) == []


def test_an_intermediate_with_another_use_stays():
    (match,) = sites(
        WIDEN, "cvt.s64.s32 %rd1, %r1; mul.lo.s64 %rd2, %rd1, 12; add.s64 %rd3, %rd1, 1;"
    )
    assert match.dead == ()


def test_a_constant_in_a_register_counts_only_when_it_surely_is_that_constant():
    assert len(sites(DIVIDE, "mov.u32 %r3, 64; div.u32 %r1, %r2, %r3;")) == 1
    two = "mov.u32 %r3, 64; @%p1 mov.u32 %r3, 32; div.u32 %r1, %r2, %r3;"
    assert sites(DIVIDE, two) == []
    assert sites(DIVIDE, "div.u32 %r1, %r2, WARP_SZ;") == []


def test_a_site_behind_a_loop_whose_source_is_set_once_matches():
    body = "mov.u32 %r1, %tid.x; L: cvt.s64.s32 %rd1, %r1; mul.lo.s64 %rd2, %rd1, 12; @%p1 bra L;"
    (match,) = sites(WIDEN, body)
    assert match.loop_depth == 1


def test_a_square_of_one_widened_value_removes_its_conversion_once():
    rule = next(rule for rule in all_rules() if rule.name == "widened-multiply")
    body = "cvt.s64.s32 %rd1, %r1;\nmul.lo.s64 %rd2, %rd1, %rd1;"
    module = parse(Source("t.ptx", HEAD + body + "\nret;\n}\n"))
    function = ir.build(module.kernels[0], module)
    after = apply_matches(module.source, function, find_matches(rule, function))
    assert after.text == HEAD + "mul.wide.s32 %rd2, %r1, %r1;\nret;\n}\n"
