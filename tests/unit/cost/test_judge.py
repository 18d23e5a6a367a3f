"""Every branch of the cost, at its edges."""

from dataclasses import replace

import pytest

from ptxtool.cost import KernelCost, Verdict, judge

BASE = KernelCost(
    registers=64,
    spill_bytes=0,
    local_bytes=0,
    warps_per_sm=32,
    instructions=500,
    cycles_path=900,
    cycles_weighted=1000,
)


@pytest.mark.parametrize(
    ("change", "verdict"),
    [
        ({}, Verdict.NO_EFFECT),
        ({"instructions": 499}, Verdict.BETTER),
        ({"instructions": 501}, Verdict.NO_EFFECT),
        ({"cycles_weighted": 990}, Verdict.NO_EFFECT),  # exactly 1 % is no gain
        ({"cycles_weighted": 989}, Verdict.BETTER),
        ({"cycles_weighted": 1010}, Verdict.NO_EFFECT),
        ({"cycles_weighted": 1011}, Verdict.WORSE),
        ({"cycles_weighted": 1011, "instructions": 100}, Verdict.WORSE),
        ({"cycles_weighted": 1010, "instructions": 499}, Verdict.BETTER),
        ({"cycles_weighted": 500, "spill_bytes": 4}, Verdict.WORSE),
        ({"cycles_weighted": 500, "local_bytes": 8}, Verdict.WORSE),
        ({"cycles_weighted": 500, "warps_per_sm": 28}, Verdict.WORSE),
        ({"registers": 255, "instructions": 499}, Verdict.BETTER),  # no occupancy step was lost
        ({"warps_per_sm": None, "instructions": 499}, Verdict.BETTER),
    ],
)
def test_judge(change, verdict):
    assert judge(BASE, replace(BASE, **change)).verdict is verdict


def test_small_kernels_have_a_band_of_four_cycles():
    small = replace(BASE, cycles_weighted=50)
    assert judge(small, replace(small, cycles_weighted=46)).verdict is Verdict.NO_EFFECT
    assert judge(small, replace(small, cycles_weighted=45)).verdict is Verdict.BETTER
    assert judge(small, replace(small, cycles_weighted=55)).verdict is Verdict.WORSE


def test_the_reason_carries_the_figures():
    assert "4" in judge(BASE, replace(BASE, spill_bytes=4)).reason
    lost = judge(BASE, replace(BASE, warps_per_sm=16, registers=80)).reason
    assert "32 -> 16" in lost
    assert "64 -> 80" in lost
