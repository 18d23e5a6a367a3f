"""Intervals cover what they should, and verdicts follow the borders."""

from __future__ import annotations

import time

import numpy as np
import pytest

from ptxtool.gpu.statistics import (
    Interval,
    Verdict,
    _bootstrap_medians,
    is_stable,
    median_interval,
    ratio_interval,
    verdict_of,
)


@pytest.mark.parametrize("kind", ["normal", "exponential", "heavy"])
def test_intervals_cover_the_true_median(kind: str) -> None:
    """99 % intervals over 300 experiments: fewer than 291 hits has a chance below 1 in 1000."""
    random = np.random.default_rng(4)
    draw, true = {
        "normal": (lambda: random.normal(5.0, 1.0, 60), 5.0),
        "exponential": (lambda: random.exponential(1.0, 60), np.log(2)),
        "heavy": (lambda: random.standard_t(2, 60), 0.0),
    }[kind]
    hits = 0
    for seed in range(300):
        found = median_interval(draw(), seed)
        hits += found.low <= true <= found.high
    assert hits >= 288


def test_a_constant_has_no_width() -> None:
    found = median_interval(np.full(30, 2.0))
    assert found == Interval(2.0, 2.0, 2.0, 0.0)


def test_a_shared_drift_cancels_in_the_ratio() -> None:
    drift = np.linspace(1.0, 3.0, 100)
    found = ratio_interval(0.9 * drift, drift)
    assert (found.low, found.high) == pytest.approx((0.9, 0.9))
    assert median_interval(drift).high - median_interval(drift).low > 0.2


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.95, 0.989, Verdict.FASTER),
        (0.95, 0.991, Verdict.UNDECIDED),
        (0.99, 1.01, Verdict.SAME),
        (0.995, 1.02, Verdict.UNDECIDED),
        (1.011, 1.5, Verdict.SLOWER),
        (0.5, 1.5, Verdict.UNDECIDED),
    ],
)
def test_verdicts(low: float, high: float, verdict: Verdict) -> None:
    assert verdict_of(Interval(1.0, low, high, 0.0), 0.01) is verdict


def test_stability() -> None:
    assert not is_stable([1.0] * 9, 5, 0.02)
    assert is_stable([1.0] * 10, 5, 0.02)
    assert not is_stable([1.1] * 5 + [1.0] * 5, 5, 0.02)
    assert is_stable([9.0] * 3 + [1.1] * 5 + [1.0] * 10, 5, 0.02)


@pytest.mark.parametrize("count", [1, 2, 3, 10, 11, 60])
def test_ranks_give_the_distribution_of_real_resampling(count: int) -> None:
    random = np.random.default_rng(9)
    samples = random.exponential(1.0, count)
    picks = random.integers(0, count, (20_000, count))
    real = np.median(samples[picks], axis=1)
    drawn = np.concatenate(
        [_bootstrap_medians(samples, np.random.default_rng(seed)) for seed in range(10)]
    )
    for percent in (5, 25, 50, 75, 95):
        share = np.mean(drawn <= np.percentile(real, percent) + 1e-12)
        assert abs(share - np.mean(real <= np.percentile(real, percent) + 1e-12)) < 0.015


def test_many_samples_are_quick() -> None:
    start = time.perf_counter()
    found = median_interval(np.random.default_rng(1).normal(1.0, 0.1, 200_000))
    assert abs(found.value - 1.0) < 0.002
    assert time.perf_counter() - start < 1
