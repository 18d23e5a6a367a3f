"""Unsigned division and remainder by a power of two."""

from ptxtool.rewrite.rule import Example, Rule, is_power_of_two, log2, minus_one

_TYPES = tuple({"T": f"u{bits}", "B": f"b{bits}", "bits": str(bits)} for bits in (16, 32, 64))

RULES = (
    Rule(
        name="unsigned-div-by-power-of-two",
        summary="div by 2^k becomes a shift",
        why="ptxas expands an integer division by any constant in full; it never makes a shift.",
        pattern="div.$T $d, $a, $C;",
        replace="shr.$T $d, $a, $K;",
        types=_TYPES,
        where=(is_power_of_two("C"),),
        derive={"K": log2("C")},
        rewrites=(
            Example("div.u32 %r1, %r2, 16;", "shr.u32 %r1, %r2, 4;"),
            Example("@%p1 div.u64 %rd1, %rd2, 8;", "@%p1 shr.u64 %rd1, %rd2, 3;"),
            Example("mov.u32 %r3, 64; div.u32 %r1, %r2, %r3;", "shr.u32 %r1, %r2, 6;"),
        ),
        keeps=(
            "div.u32 %r1, %r2, 12;",
            "div.u32 %r1, %r2, 0;",
            "div.s32 %r1, %r2, 16;",
            "div.u32 %r1, 16, %r2;",
            "@%p1 mov.u32 %r3, 64; div.u32 %r1, %r2, %r3;",
        ),
    ),
    Rule(
        name="unsigned-rem-by-power-of-two",
        summary="rem by 2^k becomes a mask",
        why="ptxas expands an integer remainder by any constant in full; it never makes a mask.",
        pattern="rem.$T $d, $a, $C;",
        replace="and.$B $d, $a, $M;",
        types=_TYPES,
        where=(is_power_of_two("C"),),
        derive={"M": minus_one("C")},
        rewrites=(
            Example("rem.u32 %r1, %r2, 16;", "and.b32 %r1, %r2, 15;"),
            Example("rem.u16 %rs1, %rs2, 4;", "and.b16 %rs1, %rs2, 3;"),
        ),
        keeps=("rem.u32 %r1, %r2, 10;", "rem.s32 %r1, %r2, 16;"),
    ),
)
