"""Widening multiply-add as a multiply and an add."""

from ptxtool.rewrite.rule import Example, Rule

RULES = (
    Rule(
        name="split-mad-wide",
        summary="mad.wide becomes mul.wide and add",
        why="ptxas shares the product of a lone mul.wide between addresses and folds the add into "
        "loads; a mad.wide it takes as it is.",
        pattern="mad.wide.$T $d, $a, $b, $c;",
        replace="mul.wide.$T $t, $a, $b; add.$W $d, $t, $c;",
        types=(
            {"T": "s32", "W": "s64"},
            {"T": "u32", "W": "u64"},
            {"T": "s16", "W": "s32"},
            {"T": "u16", "W": "u32"},
        ),
        temps={"t": "W"},
        rewrites=(
            Example(
                "mad.wide.s32 %rd1, %r1, 4, %rd1;",
                "mul.wide.s32 %t, %r1, 4; add.s64 %rd1, %t, %rd1;",
            ),
            Example(
                "mad.wide.u16 %r1, %rs1, %rs2, %r2;",
                "mul.wide.u16 %t, %rs1, %rs2; add.u32 %r1, %t, %r2;",
            ),
        ),
        keeps=("mad.lo.s32 %r1, %r2, %r3, %r4;", "mul.wide.s32 %rd1, %r1, 4;"),
    ),
)
