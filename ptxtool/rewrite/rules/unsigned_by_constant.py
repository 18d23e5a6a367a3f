"""Unsigned division and remainder by a constant that is no power of two."""

from ptxtool.rewrite.rule import Example, Rule, has_magic, multiplier, multiplier_shift, same

_TYPES = tuple({"T": f"u{bits}", "bits": str(bits)} for bits in (16, 32, 64))
_DERIVE = {"M": multiplier("C"), "S": multiplier_shift("C")}
_WHY = (
    "ptxas makes a reciprocal at run time for a division by any constant; multiplying "
    "by one that is computed beforehand is exact."
)

RULES = (
    Rule(
        name="unsigned-div-by-constant",
        summary="div by a constant becomes mul.hi and a shift",
        why=_WHY,
        pattern="div.$T $d, $a, $C;",
        replace="mul.hi.$T $t, $a, $M; shr.$T $d, $t, $S;",
        types=_TYPES,
        where=(has_magic("C"),),
        derive=_DERIVE,
        temps={"t": "T"},
        per_site=True,
        rewrites=(
            Example(
                "div.u32 %r1, %r2, 10;",
                "mul.hi.u32 %t, %r2, 3435973837; shr.u32 %r1, %t, 3;",
            ),
        ),
        keeps=(
            "div.u32 %r1, %r2, 7;",  # its multiplier needs 33 bits
            "div.u32 %r1, %r2, 16;",
            "div.u32 %r1, %r2, 0;",
            "div.s32 %r1, %r2, 10;",
        ),
    ),
    Rule(
        name="unsigned-rem-by-constant",
        summary="rem by a constant becomes the quotient by mul.hi, multiplied back and subtracted",
        why=_WHY,
        pattern="rem.$T $d, $a, $C;",
        replace=(
            "mul.hi.$T $t, $a, $M; shr.$T $q, $t, $S; mul.lo.$T $u, $q, $D; sub.$T $d, $a, $u;"
        ),
        types=_TYPES,
        where=(has_magic("C"),),
        derive={**_DERIVE, "D": same("C")},
        temps={"t": "T", "q": "T", "u": "T"},
        per_site=True,
        rewrites=(
            Example(
                "rem.u32 %r1, %r2, 48;",
                "mul.hi.u32 %t, %r2, 2863311531; shr.u32 %t, %t, 5; mul.lo.u32 %t, %t, 48;"
                " sub.u32 %r1, %r2, %t;",
            ),
        ),
        keeps=("rem.u32 %r1, %r2, 7;", "rem.u32 %r1, %r2, 64;", "rem.s32 %r1, %r2, 10;"),
    ),
)
