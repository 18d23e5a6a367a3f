"""Occupancy: worked examples, cliffs against brute force, and requests that make no sense."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from ptxtool import machine
from ptxtool.analysis.clusters import ClusterVerdict, cluster_fit
from ptxtool.analysis.occupancy import (
    Request,
    Resource,
    best_threads,
    blocks_per_sm,
    curve,
    occupancy,
    occupancy_of,
)
from ptxtool.core.errors import UsageError

HOPPER = machine.model("sm_90")


@pytest.mark.parametrize(
    ("registers", "threads", "blocks", "fraction"),
    [(67, 256, 3, 0.375), (64, 256, 4, 0.5), (32, 1024, 2, 1.0), (255, 256, 1, 0.125)],
)
def test_register_steps_by_hand(registers: int, threads: int, blocks: int, fraction: float) -> None:
    found = occupancy(HOPPER, registers=registers, threads=threads)
    assert (found.blocks_per_sm, found.fraction) == (blocks, fraction)


def test_cliffs_say_how_far_the_next_step_is() -> None:
    cliff = occupancy(HOPPER, registers=67, threads=256).cliff(Resource.REGISTERS)
    assert cliff is not None
    assert (cliff.save, cliff.blocks_above) == (3, 4)
    assert (cliff.room, cliff.blocks_below) == (13, 2)


def test_no_saving_helps_when_another_resource_binds_as_well() -> None:
    found = occupancy(HOPPER, registers=64, threads=256, dynamic_shared_bytes=56 * 1024)
    assert set(found.limiters) == {Resource.REGISTERS, Resource.SHARED_MEMORY}
    assert all(each.save is None for each in found.cliffs)


def test_a_launch_that_cannot_run_says_what_would_let_it() -> None:
    found = occupancy(HOPPER, registers=96, threads=1024)
    assert not found.launchable
    assert found.limiter is Resource.REGISTERS
    cliff = found.cliff(Resource.REGISTERS)
    assert cliff is not None
    assert (cliff.save, cliff.blocks_above, cliff.room) == (32, 1, None)


def test_the_reserve_and_the_granularity_count() -> None:
    found = occupancy(HOPPER, registers=32, threads=128, shared_bytes=1)
    assert found.shared_bytes_per_block == 1024 + 128


def test_without_opting_in_a_block_stops_at_48_kib() -> None:
    found = occupancy(HOPPER, registers=32, threads=128, dynamic_shared_bytes=49153, opt_in=False)
    assert found.limiter is Resource.SHARED_MEMORY
    assert found.blocks_per_sm == 0


def test_a_small_carveout_limits() -> None:
    wide = occupancy(HOPPER, registers=32, threads=128, shared_bytes=7 * 1024)
    narrow = occupancy(HOPPER, registers=32, threads=128, shared_bytes=7 * 1024, carveout=10)
    assert (wide.blocks_per_sm, narrow.blocks_per_sm) == (16, 4)


def test_named_barriers_limit_from_hopper_on() -> None:
    found = occupancy(HOPPER, registers=32, threads=32, barriers=16)
    assert (found.blocks_per_sm, found.limiter) == (4, Resource.BARRIERS)
    older = occupancy(machine.model("sm_80"), registers=32, threads=32, barriers=16)
    assert older.limiter is not Resource.BARRIERS


@pytest.mark.parametrize("target", machine.known())
def test_cliffs_equal_a_walk_over_every_value(target: str) -> None:
    model = machine.model(target)
    rng = random.Random(target)
    for _ in range(40):
        request = Request(
            registers=rng.randint(0, 255),
            threads=rng.randint(1, 1024),
            shared_bytes=rng.choice([0, rng.randint(0, 48 * 1024)]),
        )
        found = occupancy_of(model, request)
        cliff = found.cliff(Resource.REGISTERS)
        assert cliff is not None
        at = [blocks_per_sm(model, replace(request, registers=each)) for each in range(257)]
        assert at == sorted(at, reverse=True)
        better = [each for each in range(request.registers) if at[each] > found.blocks_per_sm]
        assert cliff.save == (request.registers - better[-1] if better else None)
        if found.launchable:
            as_good = [each for each in range(257) if at[each] == found.blocks_per_sm]
            assert cliff.room == as_good[-1] - request.registers


@pytest.mark.parametrize("carveout", [None, 0, 30, 100])
@pytest.mark.parametrize("target", machine.known())
def test_shared_cliffs_are_exact_steps(target: str, carveout: int | None) -> None:
    model = machine.model(target)
    top = model.shared_bytes_per_block_optin
    last = None
    for size in range(0, top + 1, 128):
        request = Request(32, 64, dynamic_shared_bytes=size, carveout=carveout)
        blocks = blocks_per_sm(model, request)
        assert last is None or blocks <= last, "more bytes never give more blocks"
        last = blocks
    for size in random.Random(target).sample(range(top), 15):
        request = Request(32, 64, dynamic_shared_bytes=size, carveout=carveout)
        found = occupancy_of(model, request)
        cliff = found.cliff(Resource.SHARED_MEMORY)
        assert cliff is not None

        def at(value: int, base: Request = request) -> int:
            return blocks_per_sm(model, replace(base, dynamic_shared_bytes=value))

        if cliff.save is not None:
            assert at(size - cliff.save) == cliff.blocks_above
            assert at(size - cliff.save + 1) == found.blocks_per_sm
        assert cliff.room is not None
        assert at(size + cliff.room) == found.blocks_per_sm
        assert at(size + cliff.room + 1) == cliff.blocks_below
        assert cliff.blocks_below is not None
        assert cliff.blocks_below < found.blocks_per_sm


def test_the_curve_covers_every_block_size() -> None:
    points = curve(HOPPER, Request(registers=80, threads=1))
    assert [point.threads for point in points] == list(range(32, 1025, 32))
    assert all(
        point.blocks_per_sm == occupancy(HOPPER, registers=80, threads=point.threads).blocks_per_sm
        for point in points
    )


def test_the_best_block_is_the_smallest_of_the_fullest() -> None:
    request = Request(registers=80, threads=1)
    best = best_threads(HOPPER, request)
    assert best is not None
    full = max(point.warps_per_sm for point in curve(HOPPER, request))
    assert next(p.threads for p in curve(HOPPER, request) if p.warps_per_sm == full) == best


def test_no_block_size_helps_a_kernel_that_cannot_run() -> None:
    assert best_threads(HOPPER, Request(32, 32, dynamic_shared_bytes=1 << 20)) is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"threads": 0},
        {"threads": -5},
        {"registers": -1},
        {"shared_bytes": -1},
        {"dynamic_shared_bytes": 1 << 40},
        {"carveout": 101},
        {"carveout": -1},
        {"dynamic_limit_bytes": -3},
    ],
)
def test_nonsense_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(UsageError):
        occupancy(HOPPER, **{"registers": 32, "threads": 64} | wrong)


@pytest.mark.parametrize(
    ("target", "size", "verdict"),
    [
        ("sm_80", 2, ClusterVerdict.IMPOSSIBLE),
        ("sm_80", 1, ClusterVerdict.PORTABLE),
        ("sm_90", 8, ClusterVerdict.PORTABLE),
        ("sm_90", 16, ClusterVerdict.OPT_IN),
        ("sm_90", 17, ClusterVerdict.IMPOSSIBLE),
        ("sm_107", 4, ClusterVerdict.UNKNOWN),
    ],
)
def test_clusters_by_the_documented_rules(target: str, size: int, verdict: ClusterVerdict) -> None:
    model = machine.model(target)
    fit = cluster_fit(model, occupancy(model, registers=64, threads=256), size)
    assert fit.verdict is verdict
    assert not fit.covered_by_oracle


def test_clusters_share_the_sms_of_a_gpc() -> None:
    found = occupancy(HOPPER, registers=128, threads=512)
    fit = cluster_fit(HOPPER, found, 4, sms_per_gpc=18)
    assert (found.blocks_per_sm, fit.least_sms, fit.clusters_per_gpc) == (1, 4, 4)


def test_a_kernel_that_cannot_run_has_no_cluster() -> None:
    found = occupancy(HOPPER, registers=255, threads=1024)
    assert cluster_fit(HOPPER, found, 2).verdict is ClusterVerdict.IMPOSSIBLE
    with pytest.raises(UsageError):
        cluster_fit(HOPPER, found, 0)
