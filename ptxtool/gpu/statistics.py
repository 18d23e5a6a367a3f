"""The statistics of timing: medians, percentiles, bootstrap intervals, verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from ptxtool.launch.floats import Floats

RESAMPLES = 2000
CONFIDENCE = 0.99


class Verdict(StrEnum):
    """How a variant's time compares; UNDECIDED is neither of the others."""

    FASTER = "faster"
    SAME = "same"
    SLOWER = "slower"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Interval:
    """An estimate with its bootstrap interval; `error` is the bootstrap standard error."""

    value: float
    low: float
    high: float
    error: float


def median_interval(samples: Floats, seed: int = 0, confidence: float = CONFIDENCE) -> Interval:
    """The median of samples (at least one) with its percentile bootstrap interval."""
    medians = _bootstrap_medians(samples, np.random.default_rng(seed))
    tail = (1 - confidence) / 2 * 100
    low, high = np.percentile(medians, [tail, 100 - tail])
    error = float(np.std(medians))
    return Interval(float(np.median(samples)), float(low), float(high), error)


def _bootstrap_medians(samples: Floats, generator: np.random.Generator) -> Floats:
    """Medians of resamples, drawn through their ranks.

    Picking n of n samples is flooring n times n uniform numbers, so the middle order statistics
    of the uniforms (beta distributed) give the ranks of the middle picks: the same distribution
    as resampling itself, without the resamples.
    """
    count, middle = len(samples), (len(samples) + 1) // 2
    lower = generator.beta(middle, count - middle + 1, RESAMPLES)
    upper = lower
    if count % 2 == 0:
        upper = lower + (1 - lower) * generator.beta(1, count - middle, RESAMPLES)
    ordered = np.sort(samples)
    ranks = (np.minimum((count * part).astype(np.int64), count - 1) for part in (lower, upper))
    low, high = (ordered[rank] for rank in ranks)
    return np.asarray((low + high) / 2)


def ratio_interval(times: Floats, reference: Floats, seed: int = 0) -> Interval:
    """The median of times / reference, paired round by round, with its interval."""
    return median_interval(times / reference, seed)


def verdict_of(ratio: Interval, delta: float) -> Verdict:
    """By where the whole interval lies against 1 - delta and 1 + delta."""
    if ratio.high < 1 - delta:
        return Verdict.FASTER
    if ratio.low > 1 + delta:
        return Verdict.SLOWER
    if ratio.low >= 1 - delta and ratio.high <= 1 + delta:
        return Verdict.SAME
    return Verdict.UNDECIDED


def is_stable(times: list[float], window: int, tolerance: float) -> bool:
    """Whether the last two windows of samples have the same median, within a tolerance."""
    if len(times) < 2 * window:
        return False
    before, now = np.median(times[-2 * window : -window]), np.median(times[-window:])
    return bool(abs(now - before) <= tolerance * before)
