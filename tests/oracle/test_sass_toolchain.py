"""Reading what ptxas and nvdisasm make of a kernel, and damaged copies of it."""

import contextlib
import random

import pytest

from ptxtool import sass
from ptxtool.core.errors import InputError

pytestmark = pytest.mark.oracle

PTX = b"""
.version 8.8
.target %s
.address_size 64
.visible .entry k(.param .u64 p)
{
  .reg .b64 %%d<4>; .reg .b32 %%r<6>; .reg .pred %%q;
  .shared .align 4 .b8 tile[256];
  ld.param.u64 %%d1, [p]; mov.u32 %%r1, %%tid.x; mov.u32 %%r2, 0; mov.u32 %%r5, tile;
L: ld.global.u32 %%r3, [%%d1]; add.u32 %%r2, %%r2, %%r3;
  st.shared.u32 [%%r5], %%r2;
  add.u64 %%d1, %%d1, 4; sub.u32 %%r1, %%r1, 1; setp.ne.u32 %%q, %%r1, 0; @%%q bra L;
  st.global.u32 [%%d1], %%r2;
  ret;
}
"""


@pytest.fixture(scope="module", params=["sm_75", "sm_80", "sm_90a", "sm_100a", "sm_120a"])
def assembled(request, toolchain):
    assembly = toolchain.assemble(PTX % request.param.encode(), request.param)
    return assembly, toolchain.disassemble(assembly.cubin)


def test_every_instruction_has_a_line_a_live_count_and_a_valid_word(assembled):
    assembly, text = assembled
    function = sass.read(assembly.cubin, text.listing, text.live_counts)["k"]
    assert function.is_entry
    assert all(i.ptx_line is not None and i.live is not None for i in function.instructions)
    assert all(i.control.is_valid for i in function.instructions)
    assert function.padding > 0
    assert max(block.loop_depth for block in function.blocks) == 1
    total = sum(i.control.stall for i in function.instructions)
    assert sum(block.cycles for block in function.blocks) == total


def test_resources_are_those_of_ptxas(assembled):
    assembly, _ = assembled
    found = sass.resources(assembly.cubin)["k"]
    assert found.registers == assembly.functions["k"].registers
    assert found.shared_bytes == assembly.functions["k"].shared_bytes == 256
    assert found.is_entry
    assert assembly.arch.startswith(sass.architecture(assembly.cubin))


def test_damaged_files_are_read_or_refused(assembled):
    assembly, text = assembled
    draw = random.Random(7)
    for _ in range(150):
        data = bytearray(assembly.cubin[: draw.randrange(len(assembly.cubin))])
        for _ in range(draw.randrange(4)):
            if data:
                data[draw.randrange(min(len(data), 4096))] = draw.randrange(256)
        # Whatever else is raised fails the test.
        with contextlib.suppress(InputError):
            sass.resources(bytes(data))
            sass.read(bytes(data), text.listing, text.live_counts)
