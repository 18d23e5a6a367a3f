"""Figures of the machine models that ptxas itself enforces, asked of it."""

from __future__ import annotations

import pytest

from ptxtool import machine
from ptxtool.analysis.launch_bounds import LaunchBounds
from ptxtool.analysis.warp_roles import entry_count
from ptxtool.core.errors import ToolRefused
from ptxtool.toolchain import Assembly, Toolchain

pytestmark = pytest.mark.oracle


def assemble(toolchain: Toolchain, target: str, directives: str, body: str = "") -> Assembly:
    since = machine.ptx_since(target)
    text = (
        f".version {since}\n.target {target}\n.address_size 64\n"
        f".visible .entry k() {directives} {{ {body} ret; }}\n"
    )
    return toolchain.assemble(text.encode(), target, lineinfo=False)


def ignored(toolchain: Toolchain, target: str, directives: str) -> bool:
    said = assemble(toolchain, target, directives).messages
    return any("out of range" in each.text for each in said)


@pytest.mark.parametrize("target", machine.known())
def test_threads_per_sm(target: str, toolchain: Toolchain) -> None:
    most = machine.model(target).threads_per_sm
    assert not ignored(toolchain, target, f".maxntid {most} .minnctapersm 1")
    assert ignored(toolchain, target, f".maxntid {most + 1} .minnctapersm 1")


@pytest.mark.parametrize("target", machine.known())
def test_blocks_per_sm(target: str, toolchain: Toolchain) -> None:
    most = machine.model(target).blocks_per_sm
    assert not ignored(toolchain, target, f".maxntid 32 .minnctapersm {most}")
    assert ignored(toolchain, target, f".maxntid 32 .minnctapersm {most + 1}")


@pytest.mark.parametrize("target", machine.known())
def test_static_shared_memory(target: str, toolchain: Toolchain) -> None:
    most = machine.model(target).shared_bytes_per_block
    body = (
        ".shared .align 4 .b8 s[{}]; .reg .b32 %r; ld.volatile.shared.u32 %r, [s]; "
        "st.volatile.shared.u32 [s], %r;"
    )
    assert assemble(toolchain, target, "", body.format(most)).cubin
    with pytest.raises(ToolRefused):
        assemble(toolchain, target, "", body.format(most + 1))


@pytest.mark.parametrize(("threads", "blocks"), [(384, 1), (384, 3), (256, 2), (128, 7), (512, 1)])
def test_registers_at_entry_of_a_warp_specialised_kernel(
    threads: int, blocks: int, toolchain: Toolchain
) -> None:
    directives = f".maxntid {threads} .minnctapersm {blocks}"
    body = "setmaxnreg.dec.sync.aligned.u32 24;"
    made = assemble(toolchain, "sm_90a", directives, body)
    bounds = LaunchBounds(maximum_threads=threads, minimum_blocks=blocks)
    expected = entry_count(bounds, machine.model("sm_90a"))
    assert made.functions["k"].registers == expected
