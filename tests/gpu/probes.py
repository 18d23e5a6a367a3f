"""Small kernels for a bundle: what an instruction takes, and what it gives, on a real board.

Each probe is PTX with a launch spec. Chains measure latency: the same dependent operations 64
and 128 times between two reads of the clock, so that everything else cancels in the difference.
Vectors keep the bits that an operation gives for edge values and random bits.
"""

from __future__ import annotations

from dataclasses import dataclass

LENGTHS = (64, 128)


@dataclass(frozen=True)
class Probe:
    """One kernel `probe` with its spec. `sass` is the opcode that must be there `count` times."""

    name: str
    kind: str  # "latency" or "vector"
    ptx: str
    spec: str
    sass: str = ""
    count: int = 0


@dataclass(frozen=True)
class Chain:
    """A dependent step on register %x; `type` is the type of %x."""

    name: str
    type: str
    step: str
    sass: str


# The steps use %y, an unknown of the same type, so that nothing folds; both differ from lane to
# lane as far as ptxas can know, so that nothing moves to the uniform datapath.
CHAINS = (
    Chain("iadd", "b32", "add.s32 %x, %x, %y; xor.b32 %x, %x, %y;", "LOP3"),
    Chain("imad", "b32", "mad.lo.s32 %x, %x, %y, %y;", "IMAD"),
    Chain("imad-wide", "b64", "mad.wide.u32 %x, %lo, %lo, %x; cvt.u32.u64 %lo, %x;", "IMAD.WIDE"),
    Chain("shift", "b32", "shf.l.wrap.b32 %x, %x, %y, %y;", "SHF"),
    Chain("popc", "b32", "popc.b32 %x, %x; add.s32 %x, %x, %y;", "POPC"),
    Chain("ffma", "f32", "fma.rn.f32 %x, %x, %y, %y;", "FFMA"),
    Chain("fadd", "f32", "add.rn.f32 %x, %x, %y;", "FADD"),
    Chain("dfma", "f64", "fma.rn.f64 %x, %x, %y, %y;", "DFMA"),
    Chain("ex2", "f32", "ex2.approx.ftz.f32 %x, %x;", "MUFU.EX2"),
    Chain("rcp", "f32", "rcp.approx.ftz.f32 %x, %x; add.rn.f32 %x, %x, %y;", "MUFU.RCP"),
    Chain("rsqrt", "f32", "rsqrt.approx.ftz.f32 %x, %x;", "MUFU.RSQ"),
    Chain("shuffle", "b32", "shfl.sync.idx.b32 %x, %x, %x, 31, -1;", "SHFL"),
    Chain("shared", "b32", "ld.shared.u32 %x, [%x];", "LDS"),
    Chain("cvt-f32-s32", "b32", "cvt.rn.f32.s32 %f, %x; mov.b32 %x, %f;", "I2F"),
)

_LATENCY = """\
.version 8.6
.target {arch}
.address_size 64
.visible .entry probe(.param .u64 p_out, .param .u32 p_seed, .param .u32 p_zero)
{{
    .reg .pred %p;
    .reg .b64 %c<6>;
    .reg .b32 %seed, %zero, %t, %lo, %laneid_copy;
    .reg .f32 %f;
    .reg .b64 %out;
    .reg .{type} %x, %y;
    .shared .align 4 .b32 table[256];
    ld.param.u64 %out, [p_out];
    ld.param.u32 %seed, [p_seed];
    ld.param.u32 %zero, [p_zero];
    mov.u32 %laneid_copy, %laneid;
    mov.u32 %t, 0;
    st.shared.u32 [table], %t;
{blocks}
    ret;
}}
"""
_BLOCK = """\
    mov.u64 %c{first}, %clock64;
    cvt.u32.u64 %t, %c{first};
    xor.b32 %t, %t, %laneid_copy;
    and.b32 %t, %t, %zero;
    add.s32 %lo, %t, %seed;
    {start}
    bar.warp.sync -1;
{steps}
    {finish}
    setp.eq.s32 %p, %t, 305419896;
    @%p bra SKIP{first};
    mov.u64 %c{second}, %clock64;
    sub.s64 %c{second}, %c{second}, %c{first};
    st.global.u64 [%out+{at}], %c{second};
SKIP{first}:
"""
_START = {
    "b32": "mov.b32 %x, %lo; add.s32 %y, %lo, 3;",
    "b64": "cvt.u64.u32 %x, %lo; cvt.u64.u32 %y, %lo;",
    "f32": "cvt.rn.f32.s32 %x, %lo; add.rn.f32 %y, %x, 0f3F800000;",
    "f64": "cvt.rn.f64.s32 %x, %lo; add.rn.f64 %y, %x, 0d3FF0000000000000;",
}
_FINISH = {
    "b32": "mov.b32 %t, %x;",
    "b64": "{ .reg .b32 %h; mov.b64 {%t, %h}, %x; xor.b32 %t, %t, %h; }",
    "f32": "mov.b32 %t, %x;",
    "f64": "{ .reg .b32 %h; mov.b64 {%t, %h}, %x; xor.b32 %t, %t, %h; }",
}
_LATENCY_SPEC = """\
schema = 1
description = "cycles of {name}: 64 and 128 dependent steps"
[buffer.out]
dtype = "u64"
shape = 2
output = true
[[launch]]
kernel = "probe"
grid = 1
block = 32
arguments = ["out", {{ dtype = "u32", value = 0 }}, {{ dtype = "u32", value = 0 }}]
[[launch]]  # again, with the instructions in the cache
kernel = "probe"
grid = 1
block = 32
arguments = ["out", {{ dtype = "u32", value = 0 }}, {{ dtype = "u32", value = 0 }}]
"""


def latency_probe(chain: Chain, arch: str) -> Probe:
    """The probe of one chain."""
    blocks = []
    for index, length in enumerate(LENGTHS):
        blocks.append(
            _BLOCK.format(
                first=2 * index,
                second=2 * index + 1,
                start=_START[chain.type],
                finish=_FINISH[chain.type],
                steps="\n".join(f"    {chain.step}" for _ in range(length)),
                at=8 * index,
            )
        )
    ptx = _LATENCY.format(arch=arch, type=chain.type, blocks="\n".join(blocks))
    spec = _LATENCY_SPEC.format(name=chain.name)
    return Probe(f"latency-{chain.name}", "latency", ptx, spec, chain.sass, sum(LENGTHS))


@dataclass(frozen=True)
class Vector:
    """An element-wise operation `%d = op(%a, %b)`; types as registers, dtypes as in specs."""

    name: str
    step: str
    dtype: str = "f32"


VECTORS = (
    Vector("ex2-approx", "ex2.approx.f32 %d, %a;"),
    Vector("ex2-approx-ftz", "ex2.approx.ftz.f32 %d, %a;"),
    Vector("lg2-approx", "lg2.approx.f32 %d, %a;"),
    Vector("sin-approx", "sin.approx.f32 %d, %a;"),
    Vector("cos-approx", "cos.approx.f32 %d, %a;"),
    Vector("tanh-approx", "tanh.approx.f32 %d, %a;"),
    Vector("rcp-approx", "rcp.approx.f32 %d, %a;"),
    Vector("rsqrt-approx", "rsqrt.approx.f32 %d, %a;"),
    Vector("sqrt-approx", "sqrt.approx.f32 %d, %a;"),
    Vector("div-approx", "div.approx.f32 %d, %a, %b;"),
    Vector("div-full", "div.full.f32 %d, %a, %b;"),
    Vector("add-rn", "add.rn.f32 %d, %a, %b;"),
    Vector("add-ftz", "add.rn.ftz.f32 %d, %a, %b;"),
    Vector("add-sat", "add.rn.sat.f32 %d, %a, %b;"),
    Vector("mul-rn", "mul.rn.f32 %d, %a, %b;"),
    Vector("min", "min.f32 %d, %a, %b;"),
    Vector("max", "max.f32 %d, %a, %b;"),
    Vector("min-nan", "min.NaN.f32 %d, %a, %b;"),
    Vector("cvt-rni-s32-f32", "cvt.rni.s32.f32 %d, %a;"),
    Vector("cvt-rzi-u32-f32", "cvt.rzi.u32.f32 %d, %a;"),
    Vector("cvt-rn-bf16-f32", "{ .reg .b16 %h; cvt.rn.bf16.f32 %h, %a; cvt.u32.u16 %d, %h; }"),
    Vector("cvt-rn-f16-f32", "{ .reg .b16 %h; cvt.rn.f16.f32 %h, %a; cvt.u32.u16 %d, %h; }"),
    Vector(
        "cvt-e4m3x2-f32",
        "{ .reg .b16 %h; cvt.rn.satfinite.e4m3x2.f32 %h, %a, %b; cvt.u32.u16 %d, %h; }",
    ),
    Vector(
        "cvt-e5m2x2-f32",
        "{ .reg .b16 %h; cvt.rn.satfinite.e5m2x2.f32 %h, %a, %b; cvt.u32.u16 %d, %h; }",
    ),
    Vector("shl", "shl.b32 %d, %a, %b;", dtype="u32"),
    Vector("shr-s32", "shr.s32 %d, %a, %b;", dtype="u32"),
    Vector("shf-l-clamp", "shf.l.clamp.b32 %d, %a, %a, %b;", dtype="u32"),
    Vector("div-s32", "div.s32 %d, %a, %b;", dtype="s32"),
    Vector("rem-u32", "rem.u32 %d, %a, %b;", dtype="u32"),
    Vector("bfe-s32", "bfe.s32 %d, %a, %b, %b;", dtype="u32"),
)
_VECTOR = """\
.version 8.6
.target {arch}
.address_size 64
.visible .entry probe(.param .u64 p_a, .param .u64 p_b, .param .u64 p_d)
{{
    .reg .b32 %a, %b, %d, %i;
    .reg .b64 %pa, %pb, %pd, %o;
    ld.param.u64 %pa, [p_a];
    ld.param.u64 %pb, [p_b];
    ld.param.u64 %pd, [p_d];
    mov.u32 %i, %tid.x;
    mul.wide.u32 %o, %i, 4;
    add.s64 %pa, %pa, %o;
    add.s64 %pb, %pb, %o;
    add.s64 %pd, %pd, %o;
    ld.global.b32 %a, [%pa];
    ld.global.b32 %b, [%pb];
    {step}
    st.global.b32 [%pd], %d;
    ret;
}}
"""
_VECTOR_SPEC = """\
schema = 1
description = "bits of {name}"
seed = 11
[buffer.a]
dtype = "{dtype}"
shape = 1024
init = "{first}"
[buffer.b]
dtype = "{dtype}"
shape = 1024
init = "bits"
[buffer.d]
dtype = "b32"
shape = 1024
output = true
[[launch]]
kernel = "probe"
grid = 1
block = 1024
arguments = ["a", "b", "d"]
"""


def vector_probes(vector: Vector, arch: str) -> tuple[Probe, Probe]:
    """Two probes of one operation: edge values, and random bits, against random bits."""
    ptx = _VECTOR.format(arch=arch, step=vector.step)
    edge, bits = (
        Probe(
            f"vector-{vector.name}-{first}",
            "vector",
            ptx,
            _VECTOR_SPEC.format(name=vector.name, dtype=vector.dtype, first=first),
        )
        for first in ("edge", "bits")
    )
    return edge, bits


def all_probes(arch: str) -> list[Probe]:
    """Every probe for a target."""
    probes = [latency_probe(chain, arch) for chain in CHAINS]
    for vector in VECTORS:
        probes += vector_probes(vector, arch)
    return probes
