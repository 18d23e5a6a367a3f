"""Portability asked of the real ptxas: verdicts, first offences, minimum target and version."""

from __future__ import annotations

import pytest

from ptxtool import machine
from ptxtool.analysis.portability import (
    Verdict,
    locked_features,
    minimum_version,
    portability,
    retarget,
)
from ptxtool.core.errors import UsageError
from ptxtool.core.source import Source
from ptxtool.syntax import nodes, parse
from ptxtool.toolchain import Toolchain

pytestmark = pytest.mark.oracle

ASYNC_COPY = """\
.version 7.8
.target sm_90 // as written
.address_size 64
.visible .entry k(.param .u64 data) .maxntid 256
{
    .shared .align 16 .b8 buffer[1024];
    .reg .b64 %p;
    .reg .b32 %r<3>;
    ld.param.u64 %p, [data];
    mov.u32 %r0, buffer;
    cp.async.cg.shared.global [%r0], [%p], 16;
    cp.async.wait_all;
    ld.shared.u32 %r1, [buffer];
    redux.sync.add.s32 %r2, %r1, 0xffffffff;
    st.global.u32 [%p], %r2;
    ret;
}
"""

SPECIALISED = """\
.version 8.0
.target sm_90a
.address_size 64
.visible .entry k() .maxntid 384 .maxnreg 168
{
    setmaxnreg.dec.sync.aligned.u32 24;
    ret;
}
"""


def module(text: str) -> nodes.Module:
    return parse(Source("k.ptx", text))


def test_a_module_over_several_targets(toolchain: Toolchain) -> None:
    found = portability(module(ASYNC_COPY), ["sm_75", "sm_80", "sm_90", "sm_120"], toolchain)
    assert [each.verdict for each in found.reports] == [
        Verdict.REFUSED,
        Verdict.RETARGETED,
        Verdict.ASSEMBLES,
        Verdict.ASSEMBLES,
    ]
    assert found.minimum_target == "sm_80"
    assert found.driver == 520
    assert not found.is_locked


def test_the_first_offence_is_the_first_line_that_needs_more(toolchain: Toolchain) -> None:
    (report,) = portability(module(ASYNC_COPY), ["sm_75"], toolchain).reports
    assert report.offence is not None
    assert report.offence.span is not None
    assert report.offence.span.line == 11
    assert "sm_80" in report.offence.message
    assert report.errors >= 2


def test_figures_of_each_target(toolchain: Toolchain) -> None:
    found = portability(module(ASYNC_COPY), ["sm_90", "sm_120"], toolchain)
    for report in found.reports:
        (kernel,) = report.kernels
        assert kernel.kernel == "k"
        assert kernel.registers
        assert kernel.spill_store_bytes == 0
        assert kernel.shared_bytes is not None
        assert kernel.shared_bytes >= 1024
        assert kernel.sass_instructions
        assert kernel.cycles_path
        assert kernel.occupancy is not None
        assert kernel.occupancy.request.threads == 256
        assert kernel.occupancy.target == report.target


def test_an_unknown_block_size_leaves_occupancy_unknown(toolchain: Toolchain) -> None:
    text = ASYNC_COPY.replace(" .maxntid 256", "")
    (report,) = portability(module(text), ["sm_90"], toolchain).reports
    assert report.kernels[0].occupancy is None
    (report,) = portability(module(text), ["sm_90"], toolchain, threads=64).reports
    assert report.kernels[0].occupancy is not None


def test_a_locked_module_moves_only_where_the_feature_is(toolchain: Toolchain) -> None:
    targets = ["sm_80", "sm_90", "sm_90a", "sm_100a", "sm_120"]
    found = portability(module(SPECIALISED), targets, toolchain)
    verdicts = {each.target: each.verdict for each in found.reports}
    assert verdicts["sm_90a"] is Verdict.ASSEMBLES
    assert verdicts["sm_100a"] is Verdict.RETARGETED
    assert verdicts["sm_80"] is verdicts["sm_90"] is verdicts["sm_120"] is Verdict.REFUSED
    assert found.is_locked
    assert found.minimum_target == "sm_90a"


def test_what_locks_a_module_is_named_by_line(toolchain: Toolchain) -> None:
    (use,) = locked_features(module(SPECIALISED), toolchain)
    assert use.span is not None
    assert use.span.line == 6
    assert "setmaxnreg" in use.message
    assert locked_features(module(ASYNC_COPY), toolchain) == ()
    needless = SPECIALISED.replace("setmaxnreg.dec.sync.aligned.u32 24;", "")
    assert locked_features(module(needless), toolchain) == ()


def test_advisories_travel_with_the_target(toolchain: Toolchain) -> None:
    text = SPECIALISED.replace(" .maxnreg 168", "")
    (report,) = portability(module(text), ["sm_90a"], toolchain).reports
    assert [each.code for each in report.findings] == ["PTX401"]


def test_minimum_version(toolchain: Toolchain) -> None:
    assert minimum_version(module(ASYNC_COPY.replace("7.8", "8.8")), toolchain) == "7.8"
    older = ASYNC_COPY.replace("7.8", "8.8").replace("sm_90", "sm_80")
    assert minimum_version(module(older), toolchain) == "7.0"
    assert minimum_version(module(ASYNC_COPY.replace("redux", "nonsense")), toolchain) is None
    assert minimum_version(module("// nothing\n"), toolchain) is None


def test_retargeting_touches_nothing_else() -> None:
    text = retarget(module(ASYNC_COPY), "sm_100f").decode("latin-1")
    expected = ASYNC_COPY.replace("7.8", "8.8").replace(".target sm_90", ".target sm_100f")
    assert text == expected


def test_an_unknown_target_is_refused_before_any_work(toolchain: Toolchain) -> None:
    with pytest.raises(UsageError, match="sm_42"):
        portability(module(ASYNC_COPY), ["sm_90", "sm_42"], toolchain)


@pytest.mark.parametrize("target", machine.targets())
def test_every_known_target_assembles_and_has_the_stated_age(
    target: str, toolchain: Toolchain
) -> None:
    since = machine.ptx_since(target)
    text = f".version {since}\n.target {target}\n.address_size 64\n.visible .entry k() {{ ret; }}\n"
    assert toolchain.assemble(text.encode(), target).cubin
    assert minimum_version(module(text.replace(since, "9.4")), toolchain) == since
