"""The benchmark end to end on the simulated device, with planted faults and planted speeds."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from ptxtool.core.errors import InputError, UsageError
from ptxtool.core.source import Source
from ptxtool.gpu import (
    ClockModel,
    DeviceLaunch,
    LaunchFailed,
    Method,
    SimulatedDevice,
    SimulatedKernel,
    Status,
    Variant,
    Verdict,
    bench,
    plan,
)
from ptxtool.launch import parse_spec

SPEC = """\
schema = 1
seed = 3
[sizes]
n = 1000
[scalar.n]
dtype = "u32"
value = "n"
[scalar.a]
dtype = "f32"
value = 2.5
[buffer.x]
dtype = "f32"
shape = "n"
init = "normal"
[buffer.y]
dtype = "f32"
shape = "n"
init = "uniform"
output = true
[buffer.count]
dtype = "s32"
shape = "n"
output = true
[[launch]]
kernel = "saxpy"
grid = "ceil_div(n, 256)"
block = 256
arguments = ["n", "a", "x", "y", "count"]
[rates]
bytes = "16 * n"
[[edge]]
sizes = { n = 257 }
[[edge]]
init = { x = "edge" }
"""


def spec(text: str = SPEC, folder: Path = Path(".")):
    return parse_spec(Source.from_bytes("saxpy.launch.toml", text.encode()), folder)


class Saxpy:
    """y = a * x + y and count[i] = i, with room for faults."""

    def __init__(
        self, *, wrong=0.0, only=None, skip=0, stray=None, clobber=False, die=None, random=False
    ) -> None:
        self.wrong, self.only, self.skip, self.stray = wrong, only, skip, stray
        self.clobber, self.die, self.random = clobber, die, random
        self.runs = 0

    def __call__(self, memory, launch: DeviceLaunch) -> None:
        self.runs += 1
        n = int.from_bytes(launch.arguments[0], "little")
        a = np.frombuffer(launch.arguments[1], np.float32)[0]
        at = [int.from_bytes(data, "little") for data in launch.arguments[2:]]
        x, y = (memory.view(address, 4 * n).view(np.float32) for address in at[:2])
        count = memory.view(at[2], 4 * n).view(np.int32)
        with np.errstate(invalid="ignore", over="ignore"):
            y[:] = a * x + y
        count[: n - self.skip] = np.arange(n - self.skip)
        if self.wrong and self.only in (None, n):
            y[n // 2] += self.wrong
        if self.stray is not None:
            memory.view(at[1] + self.stray, 4)[:] = 7
        if self.clobber:
            x[0] = 0
        if self.random:
            y[0] = self.runs
        if self.die is not None and self.runs > self.die:
            memory.view(0, 4)


def world(*kernels: SimulatedKernel, model: ClockModel | None = None):
    """A device and one variant for each kernel, `v0` first."""
    programs = {f"code{index}".encode(): {"saxpy": kernel} for index, kernel in enumerate(kernels)}
    device = SimulatedDevice(programs, model or ClockModel(), memory_bytes=1 << 22)
    variants = [Variant(f"v{index}", code) for index, code in enumerate(programs)]
    return device, variants


def kernel(seconds: float = 1e-3, warm: float | None = None, **faults) -> SimulatedKernel:
    return SimulatedKernel(Saxpy(**faults), seconds, warm)


QUICK = Method(minimum_seconds=0.02, maximum_rounds=400, maximum_seconds=5)


def run(
    *kernels: SimulatedKernel,
    model: ClockModel | None = None,
    method: Method = QUICK,
    text: str = SPEC,
):
    device, variants = world(*kernels, model=model)
    return bench(device, spec(text), variants, method)


def test_right_variants_are_timed() -> None:
    report = run(kernel(), kernel())
    assert [variant.status for variant in report.variants] == [Status.TIMED] * 2
    assert [case.case for case in report.variants[1].cases] == [
        "spec",
        "seed 4",
        "edge 1 (n=257)",
        "edge 2 (x:edge)",
    ]
    timing = report.variants[0].timing
    assert timing is not None
    assert timing.p5 <= timing.low <= timing.median <= timing.high <= timing.p95
    assert abs(timing.median - 1e-3) < 1e-5
    assert report.variants[0].rates["bytes"] == pytest.approx(16000 / timing.median)
    assert report.variants[0].ratio is None
    assert report.all_correct


def test_a_wrong_result_is_reported_and_not_timed() -> None:
    report = run(kernel(), kernel(0.5e-3, wrong=0.01), kernel())
    wrong = report.variant("v1")
    assert wrong.status is Status.WRONG
    assert wrong.timing is None
    output = wrong.cases[0].outputs[0]
    assert output.buffer == "y"
    assert output.comparison is not None
    assert (output.comparison.mismatches, output.comparison.first_index) == (1, 500)
    assert len(wrong.cases) == 1
    assert report.variant("v2").status is Status.TIMED
    assert not report.all_correct


def test_a_result_wrong_only_at_an_edge_is_found() -> None:
    wrong = run(kernel(), kernel(wrong=0.01, only=257)).variant("v1")
    assert wrong.status is Status.WRONG
    assert [case.is_correct for case in wrong.cases] == [True, True, False]
    assert wrong.timing is None


@pytest.mark.parametrize(
    ("stray", "side", "first"),
    [
        (-4, "before", -4),
        (4000, "behind", 4000),
        (-60000, "before", -60000),
        (69000, "behind", 69000),
    ],
)
def test_a_write_outside_a_buffer_is_found(stray: int, side: str, first: int) -> None:
    wrong = run(kernel(), kernel(stray=stray)).variant("v1")
    assert wrong.status is Status.WRONG
    (violation,) = wrong.cases[0].violations
    assert (violation.buffer, violation.side, violation.first) == ("y", side, first)
    assert all(output.is_correct for output in wrong.cases[0].outputs)


def test_unwritten_elements_are_found() -> None:
    report = run(kernel(), kernel(skip=3))
    output = report.variant("v1").cases[0].outputs[1]
    assert (output.buffer, output.unwritten, output.is_correct) == ("count", 3, False)


def test_a_reference_that_writes_too_little_is_wrong_itself() -> None:
    report = run(kernel(skip=3), kernel(skip=3))
    assert [variant.status for variant in report.variants] == [Status.WRONG, Status.UNCHECKED]
    assert report.rounds is None


PARTIAL = SPEC.replace(
    'dtype = "s32"\nshape = "n"\noutput = true',
    'dtype = "s32"\nshape = "n"\noutput = { partial = true }',
)


@pytest.mark.parametrize(("skip", "status"), [(3, Status.TIMED), (4, Status.WRONG)])
def test_partial_outputs_must_leave_the_same_elements(skip: int, status: Status) -> None:
    report = run(kernel(skip=3), kernel(skip=skip), text=PARTIAL)
    assert report.variant("v0").status is Status.TIMED
    assert report.variant("v1").status is status


def test_an_input_that_only_the_variant_changes_is_found() -> None:
    wrong = run(kernel(), kernel(clobber=True)).variant("v1")
    assert wrong.status is Status.WRONG
    assert wrong.cases[0].changed_inputs == ("x",)
    assert run(kernel(clobber=True), kernel(clobber=True)).variant("v1").status is Status.TIMED


def test_a_result_that_changes_from_run_to_run_is_found() -> None:
    report = run(kernel(), kernel(random=True))
    assert report.variant("v1").status is Status.WRONG
    assert not report.variant("v1").cases[0].outputs[0].is_stable


def test_a_variant_that_dies_leaves_the_others() -> None:
    report = run(kernel(), kernel(die=0), kernel())
    dead = report.variant("v1")
    assert dead.status is Status.FAILED
    assert dead.failure == "illegal address 0x0"
    assert report.variant("v2").status is Status.TIMED


def test_a_variant_that_dies_while_timed_leaves_the_others() -> None:
    report = run(kernel(), kernel(die=30), kernel())
    assert report.variant("v1").status is Status.FAILED
    assert "while it was timed: illegal address" in str(report.variant("v1").failure)
    assert report.variant("v2").status is Status.TIMED
    assert report.variant("v2").ratio is not None


def test_without_its_reference_nothing_is_timed() -> None:
    report = run(kernel(die=0), kernel())
    assert [variant.status for variant in report.variants] == [Status.FAILED, Status.UNCHECKED]


HARD = ClockModel(
    noise=0.01, drift=0.5, slow_ratio=1.25, slow_period=0.0173, outlier_rate=0.05, seed=11
)
MODELS = {
    "noise": ClockModel(noise=0.01, seed=5),
    "drift": ClockModel(noise=0.005, drift=2.0, seed=6),
    "two clocks": ClockModel(noise=0.005, slow_ratio=1.3, slow_period=0.0173, seed=7),
    "outliers": ClockModel(noise=0.005, outlier_rate=0.1, outlier_ratio=20, seed=8),
    "all": HARD,
}
LONG = Method(minimum_seconds=0.1, maximum_rounds=2000, maximum_seconds=60)


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
@pytest.mark.parametrize(
    ("seconds", "verdict"),
    [(0.97e-3, Verdict.FASTER), (1e-3, Verdict.SAME), (1.03e-3, Verdict.SLOWER)],
)
def test_verdicts_hold_under_every_clock(
    model: ClockModel, seconds: float, verdict: Verdict
) -> None:
    ratio = run(kernel(), kernel(seconds), model=model, method=LONG).variant("v1").ratio
    assert ratio is not None
    assert ratio.verdict is verdict
    assert ratio.low <= seconds / 1e-3 + 0.003
    assert ratio.high >= seconds / 1e-3 - 0.003


@pytest.mark.parametrize("seed", range(10))
def test_equal_kernels_are_never_told_apart(seed: int) -> None:
    model = ClockModel(noise=0.02, slow_ratio=1.2, outlier_rate=0.05, seed=seed)
    ratio = run(kernel(), kernel(), model=model, method=LONG).variant("v1").ratio
    assert ratio is not None
    assert ratio.verdict is Verdict.SAME


def test_too_little_time_is_undecided_not_same() -> None:
    method = Method(minimum_rounds=3, maximum_rounds=4, minimum_seconds=0)
    model = ClockModel(noise=0.2, seed=2)
    report = run(kernel(), kernel(0.99e-3), model=model, method=method)
    assert report.variant("v1").ratio.verdict is Verdict.UNDECIDED
    assert report.rounds.stopped_by == "the limit of 4 rounds"


def test_delta_is_configurable() -> None:
    method = Method(delta=0.05, minimum_seconds=0.05)
    assert run(kernel(), kernel(0.97e-3), method=method).variant("v1").ratio.verdict is Verdict.SAME


def test_throttled_rounds_are_dropped_and_counted() -> None:
    model = ClockModel(throttle_from=0.05, throttle_to=0.15)
    report = run(kernel(), kernel(), model=model, method=LONG)
    assert report.rounds.dropped > 10
    assert report.environment.throttle_reasons == ("hardware thermal slowdown",)
    assert report.variant("v0").timing.p95 < 1.1e-3
    assert (report.environment.clocks_low, report.environment.clocks_high) == (1000, 1500)


def test_a_board_that_always_throttles_still_gives_times() -> None:
    model = ClockModel(throttle_from=0, throttle_to=1e9)
    method = Method(minimum_seconds=0.02, maximum_rounds=50)
    report = run(kernel(), kernel(), model=model, method=method)
    assert report.rounds.rounds == 50
    assert report.rounds.dropped == 0
    assert any("every round was throttled" in note for note in report.notes)


def test_warm_up_lasts_until_times_are_stable() -> None:
    report = run(kernel(), kernel(), model=ClockModel(warm_up_seconds=0.08))
    assert report.rounds.is_warm
    assert report.variant("v0").timing.p95 < 1.1e-3


def test_slow_kernels_are_warmed_up_too() -> None:
    """Ten rounds of two kernels of 150 ms take longer than the limit, and are still made."""
    method = Method(maximum_rounds=20)
    report = run(kernel(0.15), kernel(0.15), method=method)
    assert report.rounds.is_warm
    assert report.rounds.warm_up_rounds == 10
    report = run(kernel(3.0), kernel(3.0), method=method)
    assert not report.rounds.is_warm
    assert report.rounds.warm_up_rounds < 5
    assert any("still moving" in note for note in report.notes)


def test_cold_flushes_before_each_sample_and_warm_never() -> None:
    device, variants = world(kernel(1e-3, 0.4e-3), kernel(1e-3, 0.4e-3))
    cold = bench(device, spec(), variants, QUICK)
    samples = 2 * (cold.rounds.rounds + cold.rounds.warm_up_rounds)
    assert device.flushes == samples
    assert cold.variant("v0").timing.median == pytest.approx(1e-3, rel=0.02)
    warm_method = Method(cold=False, minimum_seconds=0.02)
    device, variants = world(kernel(1e-3, 0.4e-3), kernel(1e-3, 0.4e-3))
    warm = bench(device, spec(), variants, warm_method)
    assert device.flushes == 0
    assert warm.variant("v0").timing.median == pytest.approx(0.4e-3, rel=0.02)


def test_short_warm_kernels_are_averaged_only_if_nothing_must_be_restored() -> None:
    method = Method(cold=False, minimum_seconds=0.001)
    assert run(kernel(1e-6), method=method).variants[0].timing.repeat == 1
    text = SPEC.replace('init = "uniform"\noutput = true', 'init = "uniform"')
    text = text.replace("[[launch]]", "[[launch]]")
    silent = SimulatedKernel(_count_only, 1e-6)
    report = run(silent, silent, method=method, text=text)
    assert report.variants[0].timing.repeat >= 40


def _count_only(memory, launch: DeviceLaunch) -> None:
    n = int.from_bytes(launch.arguments[0], "little")
    address = int.from_bytes(launch.arguments[4], "little")
    memory.view(address, 4 * n).view(np.int32)[:] = 1


def test_in_and_out_buffers_are_restored_between_samples() -> None:
    """y grows with each run; were it not restored, the last timed run would leave a large y."""
    largest = []

    def execute(memory, launch):
        Saxpy()(memory, launch)
        n = int.from_bytes(launch.arguments[0], "little")
        y = memory.view(int.from_bytes(launch.arguments[3], "little"), 4 * n).view(np.float32)
        largest.append(float(np.max(np.where(np.abs(y) < 1e30, np.abs(y), 0))))

    run(SimulatedKernel(execute, 1e-3))
    assert max(largest[-20:]) < 20


def test_an_expected_file_stands_above_the_reference(tmp_path: Path) -> None:
    np.save(tmp_path / "count.npy", np.arange(1000, dtype=np.int32))
    text = PARTIAL.replace("partial = true", "expect = 'count.npy'")
    device, variants = world(kernel(), kernel())
    assert bench(device, spec(text, tmp_path), variants, QUICK).all_correct
    np.save(tmp_path / "count.npy", np.arange(1000, dtype=np.int32)[::-1])
    report = bench(device, spec(text, tmp_path), variants, QUICK)
    assert [item.status for item in report.variants] == [Status.WRONG, Status.UNCHECKED]


def test_same_model_same_report() -> None:
    first = run(kernel(), kernel(0.97e-3), model=HARD, method=LONG)
    assert first == run(kernel(), kernel(0.97e-3), model=HARD, method=LONG)


def test_json_is_plain() -> None:
    report = run(kernel(), kernel(wrong=float("inf")), kernel(0.9e-3))
    text = json.dumps(report.to_json(), allow_nan=False)
    back = json.loads(text)
    assert back["schema_version"] == 1
    assert back["variants"][2]["ratio"]["verdict"] == "faster"
    assert back["variants"][1]["status"] == "wrong"
    assert back["environment"]["device"]["name"] == "simulated"


def test_memory_is_given_back() -> None:
    device, variants = world(kernel(), kernel(die=3), kernel())
    bench(device, spec(), variants, QUICK)
    address = device.allocate(device.memory_bytes - 256)
    assert address > 0


def test_too_little_memory_is_told() -> None:
    device, variants = world(kernel(), kernel())
    device.memory_bytes = 1 << 16
    device.recover()
    report = bench(device, spec(), variants, QUICK)
    assert "out of memory" in str(report.variants[0].failure)


def test_plan_needs_no_device() -> None:
    text = plan(spec(), [Variant("a", b""), Variant("b", b"")])
    assert text.cases[2] == "edge 1 (n=257)"
    assert text.launches == ("saxpy grid 4x1x1 block 256x1x1",)
    assert text.outputs[0] == "y: the default of its type"
    assert text.device_bytes > 12000


@pytest.mark.parametrize("names", [[], ["a", "a"]])
def test_bad_requests(names: list[str]) -> None:
    device, _ = world(kernel())
    variants = [Variant(name, b"") for name in names]
    with pytest.raises(UsageError):
        bench(device, spec(), variants)
    with pytest.raises(UsageError):
        plan(spec(), variants)


def test_entries_are_matched_by_mangled_name() -> None:
    entries = ("_Z5saxpyjfPKfPf", "_Z6saxpy2jfPKfPf", "other")
    assert Variant("v", b"", entries).entry("saxpy") == "_Z5saxpyjfPKfPf"
    assert Variant("v", b"", entries).entry("other") == "other"
    assert Variant("v", b"", ("only",)).entry("saxpy") == "only"
    with pytest.raises(InputError, match="has no kernel `none`"):
        Variant("v", b"", entries).entry("none")


def test_the_simulated_device_finds_illegal_addresses() -> None:
    device, _ = world(kernel())
    with pytest.raises(LaunchFailed):
        device.read(0, 4)


def test_a_spec_without_outputs_proves_nothing_and_is_refused() -> None:
    text = SPEC.replace("output = true\n", "")
    device, variants = world(kernel(), kernel())
    with pytest.raises(InputError, match="names no output"):
        bench(device, spec(text), variants)
    with pytest.raises(InputError, match="names no output"):
        plan(spec(text), variants)
