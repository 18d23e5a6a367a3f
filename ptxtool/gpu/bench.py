"""The benchmark: compare outputs of all variants, then time the right ones against the first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ptxtool.core.errors import InputError, UsageError
from ptxtool.gpu.arena import GUARD_BYTES, Arena
from ptxtool.gpu.correctness import Observation, judge, observe, prepare_launches
from ptxtool.gpu.device import Bytes, Device, LaunchFailed
from ptxtool.gpu.report import (
    BenchReport,
    CaseResult,
    Environment,
    Ratio,
    RoundsReport,
    Status,
    Timing,
    VariantReport,
)
from ptxtool.gpu.statistics import median_interval, ratio_interval, verdict_of
from ptxtool.gpu.timing import Measurement, Method, VariantDied, measure
from ptxtool.gpu.variants import Variant
from ptxtool.launch import Case, LaunchSpec, expected_data, initial_data, spec_cases

SHORT_SECONDS = 10e-6  # below, the 0.5 us resolution of CUDA events is several per cent


@dataclass(frozen=True)
class Plan:
    """What a benchmark would do, told without a device. Sizes in bytes."""

    spec: str
    kernels: tuple[str, ...]
    variants: tuple[str, ...]
    cases: tuple[str, ...]
    launches: tuple[str, ...]
    outputs: tuple[str, ...]
    device_bytes: int
    method: Method


def plan(spec: LaunchSpec, variants: Sequence[Variant], method: Method | None = None) -> Plan:
    """Check everything that needs no device, initial data of the spec included, and say what
    would run. Raises InputError, UsageError."""
    _check_request(spec, variants)
    cases = spec_cases(spec)
    for variant in variants:
        for launch in cases[0].launches:
            variant.entry(launch.kernel)
    for buffer in cases[0].outputs:
        expected_data(spec, buffer)
    initial_data(spec, cases[0])
    largest = max(case.total_bytes for case in cases)
    return Plan(
        spec=spec.source.name,
        kernels=spec.kernels,
        variants=tuple(variant.name for variant in variants),
        cases=tuple(case.label for case in cases),
        launches=tuple(
            f"{launch.kernel} grid {_shown(launch.grid)} block {_shown(launch.block)}"
            + (f" shared {launch.shared}" if launch.shared else "")
            for launch in cases[0].launches
        ),
        outputs=tuple(
            f"{buffer.name}: {buffer.tolerance or 'the default of its type'}"
            for buffer in cases[0].outputs
        ),
        device_bytes=largest + 2 * GUARD_BYTES * len(cases[0].buffers),
        method=method or Method(),
    )


def _shown(dimensions: tuple[int, int, int]) -> str:
    return "x".join(str(extent) for extent in dimensions)


def bench(
    device: Device,
    spec: LaunchSpec,
    variants: Sequence[Variant],
    method: Method | None = None,
    *,
    timed: bool = True,
    tools: Mapping[str, str] | None = None,
) -> BenchReport:
    """Benchmark variants; the first is the reference. `tools` goes into the environment.

    Raises InputError, UsageError. A variant that is wrong or dies is in the report.
    """
    _check_request(spec, variants)
    return _Bench(device, spec, variants, method or Method(), tools or {}).run(timed)


def _check_request(spec: LaunchSpec, variants: Sequence[Variant]) -> None:
    if all(buffer.output is None for buffer in spec.buffers.values()):
        raise InputError(
            f"{spec.source.name} names no output: nothing could be compared",
            help="add `output = true` to the buffers that the kernel writes",
        )
    names = [variant.name for variant in variants]
    if not names:
        raise UsageError("nothing to benchmark: at least one variant is needed")
    if len(set(names)) != len(names):
        raise UsageError(f"two variants have the same name: {', '.join(sorted(names))}")


@dataclass
class _State:
    """What is known of one variant so far."""

    variant: Variant
    cases: list[CaseResult] = field(default_factory=list)
    failure: str | None = None

    @property
    def is_correct(self) -> bool:
        return self.failure is None and all(case.is_correct for case in self.cases)

    @property
    def status(self) -> Status:
        if self.failure is not None or any(case.error for case in self.cases):
            return Status.FAILED
        return Status.CORRECT if self.is_correct else Status.WRONG


class _Bench:
    """One benchmark in progress."""

    def __init__(
        self,
        device: Device,
        spec: LaunchSpec,
        variants: Sequence[Variant],
        method: Method,
        tools: Mapping[str, str],
    ) -> None:
        self._device = device
        self._spec = spec
        self._method = method
        self._tools = tools
        self._states = [_State(variant) for variant in variants]
        self._cases = spec_cases(spec)
        self._notes: list[str] = []
        self._is_unchecked = False

    def run(self, timed: bool) -> BenchReport:
        for case in self._cases:
            self._check(case)
        self._note_nondeterminism()
        kept = [state for state in self._states if state.is_correct]
        measurement = None
        if timed and kept and kept[0] is self._states[0]:
            measurement, kept = self._time(kept)
        return self._report(measurement, kept)

    def _check(self, case: Case) -> None:
        """All variants on one case; later cases are spared a variant that was wrong already."""
        data = initial_data(self._spec, case)
        files = self._expectations(case)
        reference: Observation | None = None
        for number, state in enumerate(self._states):
            if not state.is_correct or self._is_unchecked:
                continue
            seen = observe(self._device, state.variant, case, data)
            state.cases.append(judge(case, seen, reference, files))
            if number == 0:
                reference = seen
                self._is_unchecked = not state.is_correct

    def _expectations(self, case: Case) -> dict[str, Bytes]:
        found = {buffer.name: expected_data(self._spec, buffer) for buffer in case.outputs}
        return {name: data for name, data in found.items() if data is not None}

    def _note_nondeterminism(self) -> None:
        for state in self._states:
            for case in state.cases:
                names = [item.buffer for item in case.outputs if not item.is_deterministic]
                if names and state.is_correct:
                    self._notes.append(
                        f"{state.variant.name} on {case.case}: {', '.join(names)} differs "
                        "from run to run, within its tolerance"
                    )

    def _time(self, kept: list[_State]) -> tuple[Measurement | None, list[_State]]:
        """Time the right variants; one that dies is left out and the rest starts again."""
        case = self._cases[0]
        data = initial_data(self._spec, case)
        while kept and kept[0] is self._states[0]:
            try:
                with Arena(self._device, case, data, restored=self._restored()) as arena:
                    arena.prepare(0)
                    launches = [
                        prepare_launches(self._device, state.variant, case, arena.addresses)
                        for state in kept
                    ]
                    return measure(self._device, launches, arena, self._method), kept
            except VariantDied as death:
                kept[death.index].failure = f"while it was timed: {death}"
                kept = [state for state in kept if state.failure is None]
                self._device.recover()
            except LaunchFailed as failure:
                self._notes.append(f"not timed: {failure}")
                self._device.recover()
                return None, []
        return None, []

    def _restored(self) -> frozenset[str]:
        """Buffers that a run changes and later ones read: outputs with data, changed inputs."""
        case = self._states[0].cases[0]
        outputs = {buffer.name for buffer in self._cases[0].outputs if buffer.initial is not None}
        return frozenset(outputs | set(case.changed_inputs))

    def _report(self, measurement: Measurement | None, kept: list[_State]) -> BenchReport:
        if measurement is not None:
            self._note_timing(measurement)
        reports = []
        for number, state in enumerate(self._states):
            report = self._variant_report(state, number)
            if measurement is not None and state in kept:
                report = self._with_times(report, measurement, kept.index(state))
            reports.append(report)
        return BenchReport(
            spec=self._spec.source.name,
            kernels=self._spec.kernels,
            delta=self._method.delta,
            environment=self._environment(measurement),
            variants=tuple(reports),
            rounds=self._rounds(measurement),
            notes=tuple(self._notes),
        )

    def _variant_report(self, state: _State, number: int) -> VariantReport:
        is_unchecked = self._is_unchecked and number > 0 and state.is_correct
        failures = [case.error for case in state.cases if case.error]
        return VariantReport(
            name=state.variant.name,
            status=Status.UNCHECKED if is_unchecked else state.status,
            is_reference=number == 0,
            origin=dict(state.variant.origin),
            cases=tuple(state.cases),
            failure=state.failure or (failures[0] if failures else None),
        )

    def _with_times(
        self, report: VariantReport, measurement: Measurement, column: int
    ) -> VariantReport:
        times = measurement.times[:, column]
        timing = _timing(times, measurement.repeat)
        ratio = None
        if column > 0:
            interval = ratio_interval(times, measurement.times[:, 0], self._method.seed)
            verdict = verdict_of(interval, self._method.delta)
            ratio = Ratio(interval.value, interval.low, interval.high, verdict)
        rates = {key: value / timing.median for key, value in self._cases[0].rates.items()}
        return replace(report, status=Status.TIMED, timing=timing, ratio=ratio, rates=rates)

    def _note_timing(self, measurement: Measurement) -> None:
        if measurement.all_throttled:
            reasons = ", ".join(measurement.throttle_reasons) or "a low clock"
            self._notes.append(f"every round was throttled ({reasons}): the times are not clean")
        if not measurement.is_warm:
            self._notes.append("times were still moving when warm-up ended")
        if measurement.repeat == 1 and float(np.median(measurement.times)) < SHORT_SECONDS:
            self._notes.append(
                "shorter than 10 us: the resolution of the clock (0.5 us) weighs in; use larger "
                "sizes or time with a warm L2, where runs are averaged"
            )

    def _environment(self, measurement: Measurement | None) -> Environment:
        clocks = measurement.clocks if measurement else None
        return Environment(
            device=self._device.info,
            tools=dict(self._tools),
            clocks_low=clocks[0] if clocks else None,
            clocks_high=clocks[1] if clocks else None,
            throttle_reasons=measurement.throttle_reasons if measurement else (),
        )

    def _rounds(self, measurement: Measurement | None) -> RoundsReport | None:
        if measurement is None:
            return None
        return RoundsReport(
            rounds=len(measurement.times),
            dropped=measurement.dropped,
            warm_up_rounds=measurement.warm_up_rounds,
            is_warm=measurement.is_warm,
            stopped_by=measurement.stopped_by,
            cold=self._method.cold,
        )


def _timing(times: np.ndarray, repeat: int) -> Timing:
    interval = median_interval(times)
    p5, p95 = np.percentile(times, [5, 95])
    return Timing(
        samples=len(times),
        median=interval.value,
        low=interval.low,
        high=interval.high,
        p5=float(p5),
        p95=float(p95),
        relative_error=interval.error / interval.value if interval.value else 0.0,
        repeat=repeat,
    )
