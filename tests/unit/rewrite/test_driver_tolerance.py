"""The driver against made-up costs: what it keeps, and what it must not let add up."""

import pytest

from ptxtool.core.source import Source
from ptxtool.cost import KernelCost
from ptxtool.rewrite import all_rules, optimize

TEXT = """.version 8.0
.target sm_80
.entry k()
{
.reg .b32 %r<8>; .reg .b64 %rd<8>;
mad.wide.s32 %rd1, %r1, 4, %rd2;
div.u32 %r2, %r3, 16;
ret;
}
"""


def cost(cycles: int, instructions: int) -> KernelCost:
    return KernelCost(
        registers=16,
        spill_bytes=0,
        local_bytes=0,
        warps_per_sm=48,
        instructions=instructions,
        cycles_path=cycles,
        cycles_weighted=cycles,
    )


def run(cycles_per_rewrite: int, instructions_per_rewrite: int):
    def measure(source: Source, kernel: str, arch: str) -> KernelCost:
        done = ("mad.wide" not in source.text) + ("div." not in source.text)
        return cost(1000 + cycles_per_rewrite * done, 100 + instructions_per_rewrite * done)

    source = Source("t.ptx", TEXT)
    return optimize(source, archs=["sm_80"], kernels=["k"], rules=all_rules(), measure=measure)


@pytest.mark.parametrize(("cycles", "applied"), [(8, 1), (5, 2), (-20, 2), (50, 0)])
def test_losses_within_tolerance_do_not_add_up_beyond_it(cycles, applied):
    (kernel,) = run(cycles, -1).kernels
    assert kernel.applied_sites == applied
    assert kernel.after["sm_80"].cycles_weighted <= 1010


def test_nothing_that_pays_leaves_the_source_itself():
    report = run(0, 0)
    assert not report.changed
    assert report.after is report.before
