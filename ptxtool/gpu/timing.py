"""Timing: warm-up until stable, interleaved rounds, stop when the answer is known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ptxtool.gpu.arena import Arena
from ptxtool.gpu.device import Clocks, Device, DeviceLaunch, LaunchFailed
from ptxtool.gpu.statistics import Verdict, is_stable, median_interval, ratio_interval, verdict_of
from ptxtool.launch.floats import Floats

Mask = npt.NDArray[np.bool_]
USUAL_PERCENTILE = 90
WARM_UP_STRETCH = 5


@dataclass(frozen=True)
class Method:
    """How to measure. Times in seconds of the device's clock for limits.

    `delta` is the relative difference that matters; `target_error` the relative standard error
    at which timing stops; a round is dropped if the board names a reason for throttling or its
    clock is below `throttle_ratio` of its usual one.
    """

    delta: float = 0.01
    cold: bool = True
    target_error: float = 0.005
    minimum_seconds: float = 0.2
    maximum_seconds: float = 20.0
    minimum_rounds: int = 20
    maximum_rounds: int = 5000
    warm_up_seconds: float = 2.0
    warm_up_window: int = 5
    warm_up_tolerance: float = 0.02
    throttle_ratio: float = 0.8
    sample_seconds: float = 50e-6  # warm samples shorter than this are averaged over several runs
    maximum_repeat: int = 1000
    seed: int = 0


class VariantDied(Exception):
    """The variant of this index failed while it was timed."""

    def __init__(self, index: int, message: str) -> None:
        super().__init__(message)
        self.index = index


@dataclass(frozen=True)
class Measurement:
    """Times in seconds: one row for each kept round, one column for each variant."""

    times: Floats
    dropped: int
    warm_up_rounds: int
    is_warm: bool
    stopped_by: str
    repeat: int
    clocks: tuple[int, int] | None
    throttle_reasons: tuple[str, ...]
    all_throttled: bool


def measure(
    device: Device, launches: Sequence[Sequence[DeviceLaunch]], arena: Arena, method: Method
) -> Measurement:
    """Time variants against each other; the first is the reference. Raises VariantDied."""
    return _Session(device, launches, arena, method).run()


class _Session:
    """One measurement in progress."""

    def __init__(
        self,
        device: Device,
        launches: Sequence[Sequence[DeviceLaunch]],
        arena: Arena,
        method: Method,
    ) -> None:
        self._device = device
        self._launches = launches
        self._arena = arena
        self._method = method
        self._order = np.random.default_rng(method.seed)
        self._start = device.now()
        self._repeat = 1
        self._rows: list[list[float]] = []
        self._named: list[bool] = []  # per round, whether the board names a reason
        self._clocks: list[int] = []
        self._reasons: set[str] = set()
        self._next_check = method.minimum_rounds

    def run(self) -> Measurement:
        warm_up_rounds, is_warm = self._warm_up()
        self._start = self._device.now()
        reason = None
        while reason is None:
            self._rows.append(self._round())
            self._note_clocks(self._device.clocks())
            reason = self._reason_to_stop()
        throttled, clocks = self._throttled(), [clock for clock in self._clocks if clock]
        all_throttled = bool(throttled.all())
        rows = np.array(self._rows)
        return Measurement(
            times=rows if all_throttled else rows[~throttled],
            dropped=0 if all_throttled else int(throttled.sum()),
            warm_up_rounds=warm_up_rounds,
            is_warm=is_warm,
            stopped_by=reason,
            repeat=self._repeat,
            clocks=(min(clocks), max(clocks)) if clocks else None,
            throttle_reasons=tuple(sorted(self._reasons)),
            all_throttled=all_throttled,
        )

    def _warm_up(self) -> tuple[int, bool]:
        """Run rounds until the reference's time settles; also finds how often to repeat."""
        method, times = self._method, list[float]()
        while not self._warm_up_is_over(times):
            times.append(self._round()[0])
        if not method.cold and times and not self._arena.has_pristine:
            wanted = math.ceil(method.sample_seconds / max(float(np.median(times)), 1e-9))
            self._repeat = min(max(wanted, 1), method.maximum_repeat)
        stable = is_stable(times, method.warm_up_window, method.warm_up_tolerance)
        return len(times), stable

    def _warm_up_is_over(self, times: list[float]) -> bool:
        """Stable, or out of time; slow kernels get what two windows take, within reason."""
        method, elapsed = self._method, self._device.now() - self._start
        if is_stable(times, method.warm_up_window, method.warm_up_tolerance):
            return True
        if (
            len(times) >= method.maximum_rounds
            or elapsed > WARM_UP_STRETCH * method.warm_up_seconds
        ):
            return True
        return elapsed > method.warm_up_seconds and len(times) >= 2 * method.warm_up_window

    def _round(self) -> list[float]:
        """One sample of each variant, in an order drawn anew: no one always follows another."""
        row = [0.0] * len(self._launches)
        for index in self._order.permutation(len(row)).tolist():
            self._arena.restore()
            try:
                row[index] = self._device.time(
                    self._launches[index], cold=self._method.cold, repeat=self._repeat
                )
            except LaunchFailed as failure:
                raise VariantDied(index, str(failure)) from None
        return row

    def _note_clocks(self, clocks: Clocks) -> None:
        self._clocks.append(clocks.sm_mhz or 0)
        self._reasons.update(clocks.throttle)
        self._named.append(bool(clocks.throttle))

    def _throttled(self) -> Mask:
        """For each round, whether it was throttled.

        A clock is low against what the board mostly runs at, not against a short boost.
        """
        clocks = np.array(self._clocks)
        usual = np.percentile(clocks, USUAL_PERCENTILE)
        low: Mask = clocks < self._method.throttle_ratio * usual
        return np.asarray(low | np.array(self._named))

    def _reason_to_stop(self) -> str | None:
        method, count = self._method, len(self._rows)
        elapsed = self._device.now() - self._start
        if count >= method.maximum_rounds:
            return f"the limit of {method.maximum_rounds} rounds"
        if elapsed >= method.maximum_seconds and count >= 2:
            return f"the limit of {method.maximum_seconds:g} seconds"
        if count < self._next_check or elapsed < method.minimum_seconds:
            return None
        # Looked at ever more rarely: each look is a chance to stop on a lucky streak.
        self._next_check = math.ceil(count * 1.5)
        return "its precision" if self._is_precise() else None

    def _is_precise(self) -> bool:
        kept = np.array(self._rows)[~self._throttled()]
        if len(kept) < self._method.minimum_rounds:
            return False
        if kept.shape[1] == 1:
            alone = median_interval(kept[:, 0])
            return alone.error <= self._method.target_error * alone.value
        # Ratios only: drifting clocks cancel in them, while a single time may never settle.
        for column in range(1, kept.shape[1]):
            ratio = ratio_interval(kept[:, column], kept[:, 0])
            if ratio.error > self._method.target_error * ratio.value:
                return False
            if verdict_of(ratio, self._method.delta) is Verdict.UNDECIDED:
                return False
        return True
