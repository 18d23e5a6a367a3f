"""A 64-bit multiply of widened 32-bit values."""

from ptxtool.rewrite.rule import Example, Rule, fits, same

_TYPES = tuple(
    {"N": f"{kind}32", "X": f"{kind}64", "M": f"{sign}64", "bits": "64"}
    for kind in "su"
    for sign in "su"
)
_WHY = "ptxas multiplies in full 64 bits although the upper halves are only extensions."


def _immediate(kind: str) -> Rule:
    return Rule(
        name=f"widened-multiply-by-constant-{'signed' if kind == 's' else 'unsigned'}",
        summary="mul.lo of a widened value and a small constant becomes mul.wide",
        why=_WHY,
        pattern="cvt.$X.$N $x, $a; mul.lo.$M $d, $x, $C;",
        replace="mul.wide.$N $d, $a, $D;",
        types=tuple(types for types in _TYPES if types["N"][0] == kind),
        where=(fits("C", 32, signed=kind == "s"),),
        derive={"D": same("C")},
        rewrites=(
            Example(
                f"cvt.{kind}64.{kind}32 %rd1, %r1; mul.lo.s64 %rd2, %rd1, 12;",
                f"mul.wide.{kind}32 %rd2, %r1, 12;",
            ),
        ),
        keeps=(
            f"cvt.{kind}64.{kind}32 %rd1, %r1; mul.lo.s64 %rd2, %rd1, 68719476736;",
            f"cvt.{kind}64.{kind}32 %rd1, %r1; add.s32 %r1, %r1, 1; mul.lo.s64 %rd2, %rd1, 12;",
        ),
    )


RULES = (
    Rule(
        name="widened-multiply",
        summary="mul.lo of two widened values becomes mul.wide",
        why=_WHY,
        pattern="cvt.$X.$N $x, $a; cvt.$X.$N $y, $b; mul.lo.$M $d, $x, $y;",
        replace="mul.wide.$N $d, $a, $b;",
        types=_TYPES,
        rewrites=(
            Example(
                "cvt.s64.s32 %rd1, %r1; cvt.s64.s32 %rd2, %r2; mul.lo.s64 %rd3, %rd1, %rd2;",
                "mul.wide.s32 %rd3, %r1, %r2;",
            ),
        ),
        keeps=(
            "cvt.s64.s32 %rd1, %r1; cvt.u64.u32 %rd2, %r2; mul.lo.s64 %rd3, %rd1, %rd2;",
            "cvt.s64.s32 %rd1, %r1; mul.lo.s64 %rd3, %rd1, %rd2;",
        ),
    ),
    _immediate("s"),
    _immediate("u"),
)
