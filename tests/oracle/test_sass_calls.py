"""A subroutine that ptxas puts into a kernel's section weighs as much as the loop that calls it."""

from pathlib import Path

import pytest

from ptxtool import sass
from ptxtool.sass.model import LOOP_WEIGHT

SAMPLE = Path(__file__).resolve().parents[2] / "samples" / "integer_divide" / "integer_divide.ptx"

pytestmark = pytest.mark.oracle


def test_a_division_in_a_loop_counts_in_the_loop(toolchain):
    assembly = toolchain.assemble(SAMPLE.read_bytes(), "sm_90")
    function = sass.read(assembly.cubin, toolchain.listing(assembly.cubin))["integer_divide"]
    code = function.instructions
    calls = [item for item in code if item.base == "CALL"]
    assert len(calls) == 1
    assert "__cuda_sm20_div_u64" in calls[0].text
    (caller,) = [b for b in function.blocks if calls[0] in code[b.start : b.stop]]
    callee = function.blocks[-1]
    assert code[callee.stop - 1].base == "RET"
    assert (caller.loop_depth, callee.loop_depth) == (1, 1)
    assert callee.predecessors == ()
    assert function.cycles_weighted >= LOOP_WEIGHT * (caller.cycles + callee.cycles)
