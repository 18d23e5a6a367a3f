"""The opcode table: coverage, destinations, roles and effects."""

from __future__ import annotations

import pytest

from ptxtool import isa
from ptxtool.isa import Effect, Role

# Opcodes of PTX ISA 9.x; coverage may only grow.
OPCODES = """
abs activemask add addc alloca and applypriority atom bar barrier bfe bfi bfind bmsk bra brev
brkpt brx call clusterlaunchcontrol clz cnot copysign cos cp createpolicy cvt cvta discard div
dp2a dp4a elect ex2 exit fence fma fns getctarank griddepcontrol isspacep istypep ld ldmatrix ldu
lg2 lop3 mad mad24 madc mapa match max mbarrier membar min mma mov movmatrix mul mul24 multimem
nanosleep neg not or pmevent popc prefetch prefetchu prmt rcp red redux rem ret rsqrt sad selp set
setmaxnreg setp shf shfl shl shr sin slct sqrt st stackrestore stacksave stmatrix sub subc suld
suq sured sust szext tanh tcgen05 tensormap testp tex tld4 trap txq vabsdiff vabsdiff2 vabsdiff4
vadd vadd2 vadd4 vavrg2 vavrg4 vmad vmax vmax2 vmax4 vmin vmin2 vmin4 vote vset vset2 vset4 vshl
vshr vsub vsub2 vsub4 wgmma wmma xor
"""

DESTINATIONS = [
    ("add.s32", 3, 1),
    ("setp.eq.s32", 3, 1),
    ("st.global.v4.f32", 2, 0),
    ("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32", 3, 0),
    ("ld.global.nc.v4.f32", 2, 1),
    ("atom.global.add.u32", 3, 1),
    ("red.global.add.f32", 2, 0),
    ("shfl.sync.bfly.b32", 5, 1),
    ("bar.sync", 1, 0),
    ("bar.red.popc.u32", 3, 1),
    ("barrier.cluster.arrive", 0, 0),
    ("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 4, 1),
    ("wmma.store.d.sync.aligned.row.m16n16k16.f32", 3, 0),
    ("tcgen05.ld.sync.aligned.32x32b.x2.b32", 2, 1),
    ("tcgen05.st.sync.aligned.32x32b.x2.b32", 2, 0),
    ("tcgen05.mma.cta_group::1.kind::f16", 5, 0),
    ("tcgen05.wait::ld.sync.aligned", 0, 0),
    ("mbarrier.arrive.expect_tx.shared::cta.b64", 3, 1),
    ("mbarrier.expect_tx.relaxed.cta.shared::cta.b64", 2, 0),
    ("mbarrier.init.shared::cta.b64", 2, 0),
    ("cp.async.bulk.commit_group", 0, 0),
    ("multimem.ld_reduce.global.add.f32", 2, 1),
    ("multimem.red.global.add.f32", 2, 0),
    ("sust.b.1d.b32.trap", 2, 0),
    ("suld.b.1d.b32.trap", 2, 1),
    ("elect.sync", 2, 1),
    ("stacksave.u64", 1, 1),
    ("stackrestore.u64", 1, 0),
]


def lookup(mnemonic: str, count: int) -> isa.Form:
    opcode, *modifiers = mnemonic.split(".")
    form = isa.lookup(opcode, tuple(modifiers), count)
    assert form is not None, mnemonic
    return form


def test_every_opcode_has_a_row() -> None:
    assert set(OPCODES.split()) == set(isa.OPS)


@pytest.mark.parametrize(("mnemonic", "count", "wanted"), DESTINATIONS)
def test_destinations(mnemonic: str, count: int, wanted: int) -> None:
    assert lookup(mnemonic, count).destinations == wanted


def test_unknown_opcode_has_no_form() -> None:
    assert isa.lookup("frobnicate", ("b32",), 2) is None


def test_the_accumulator_of_wgmma_is_read_and_written() -> None:
    form = lookup("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16", 5)
    assert form.roles[:2] == (Role.UPDATE, Role.READ)
    assert Effect.ASYNC in form.effects


@pytest.mark.parametrize(
    ("mnemonic", "count", "space", "effects"),
    [
        ("ld.global.f32", 2, "global", {Effect.READ}),
        ("ld.f32", 2, "generic", {Effect.READ}),
        ("ld.volatile.shared.u32", 2, "shared", {Effect.READ, Effect.VOLATILE}),
        ("ld.acquire.gpu.u32", 2, "generic", {Effect.READ, Effect.VOLATILE, Effect.BARRIER}),
        ("st.shared::cta.u32", 2, "shared", {Effect.WRITE}),
        ("mul.lo.s32", 3, None, set()),
        ("vote.sync.any.pred", 3, None, {Effect.CONVERGENT}),
    ],
)
def test_effects(mnemonic: str, count: int, space: str | None, effects: set[Effect]) -> None:
    form = lookup(mnemonic, count)
    assert (form.space, form.effects) == (space, effects)
    assert form.is_pure == (not effects)


def test_carry() -> None:
    assert lookup("add.cc.u32", 3).carry_out
    assert lookup("addc.u32", 3).carry_in
    assert not lookup("addc.u32", 3).carry_out


@pytest.mark.parametrize(
    ("mnemonic", "mix"),
    [
        ("ld.global.f32", "global load"),
        ("fma.rn.f32", "float32"),
        ("add.f64", "float64"),
        ("fma.rn.bf16x2", "float16"),
        ("mad.lo.s32", "integer"),
        ("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "tensor"),
        ("cvt.rn.f16.f32", "conversion"),
    ],
)
def test_mix_class(mnemonic: str, mix: str) -> None:
    assert lookup(mnemonic, 4).mix_class == mix


@pytest.mark.parametrize(
    "mnemonic",
    ["add.cc.u32", "add.sat.s32", "max.relu.s32", "min.s16x2", "prmt.b32.f4e", "mad24.hi.sat.s32"],
)
def test_a_modifier_without_meaning_takes_the_meaning_away(mnemonic: str) -> None:
    assert (
        lookup(mnemonic, 4 if mnemonic[0] == "p" or mnemonic[:3] == "mad" else 3).semantics is None
    )
