"""`bench` from the launch spec to the verdict, with real cubins on the simulated device."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from ptxtool.app.assembled import assemble_input
from ptxtool.app.bench import bench
from ptxtool.app.session import Tools
from ptxtool.core.errors import InputError
from ptxtool.gpu import ClockModel, SimulatedDevice, SimulatedKernel, Status, Verdict
from ptxtool.inputs import load

SAXPY = Path(__file__).resolve().parents[2] / "samples" / "saxpy"
ARCH = "sm_80"
pytestmark = pytest.mark.oracle


@pytest.fixture
def folder(tmp_path):
    """The sample with sizes that Python can run."""
    for name in ("saxpy.cu", "saxpy.ptx", "saxpy.launch.toml"):
        shutil.copy(SAXPY / name, tmp_path / name)
    spec = tmp_path / "saxpy.launch.toml"
    spec.write_text(spec.read_text().replace('"1 << 24"', "4096"))
    (tmp_path / "other.ptx").write_text((tmp_path / "saxpy.ptx").read_text() + "// the same\n")
    return tmp_path


def saxpy(memory, launch, error=0.0):
    n = int.from_bytes(launch.arguments[0][:4], "little")
    a = np.frombuffer(launch.arguments[1][:4], np.float32)[0]
    x, y = (int.from_bytes(item[:8], "little") for item in launch.arguments[2:4])
    xs = memory.view(x, 4 * n).view(np.float32)
    ys = memory.view(y, 4 * n).view(np.float32)
    ys[:] = (np.float64(a) * xs + ys).astype(np.float32) + np.float32(error)


def device(folder, seconds, wrong=False):
    """A device that runs each file's cubin with its own speed."""
    toolchain = Tools().toolchain()
    programs = {}
    for (name, time), error in zip(seconds.items(), (0.0, 1.0 if wrong else 0.0), strict=True):
        (loaded,) = load(str(folder / name), toolchain, arch=ARCH)
        code = assemble_input(loaded, ARCH, toolchain).cubin
        kernel = SimulatedKernel(lambda m, launch, e=error: saxpy(m, launch, e), time)
        assert code not in programs, "both variants are the same code"
        programs[code] = {"saxpy": kernel}
    return SimulatedDevice(programs, ClockModel())


def changed(folder):
    """A second version of the kernel, so that the two cubins differ."""
    text = (folder / "saxpy.ptx").read_text().replace("fma.rn.f32", "fma.rn.ftz.f32")
    (folder / "other.ptx").write_text(text)
    return folder / "other.ptx"


def run(folder, seconds, **more):
    other = changed(folder)
    return bench(
        folder / "saxpy.launch.toml",
        baseline=folder / "saxpy.ptx",
        candidates=[other],
        archs=[ARCH],
        device=device(folder, seconds, **more),
    )


def test_a_faster_variant_is_called_faster(folder, toolchain):
    outcome = run(folder, {"saxpy.ptx": 100e-6, "other.ptx": 90e-6})
    assert outcome.exit_code == 0
    report = outcome.report
    assert report.all_correct
    assert report.variant("other.ptx").ratio.verdict is Verdict.FASTER


def test_equal_variants_are_called_the_same(folder, toolchain):
    outcome = run(folder, {"saxpy.ptx": 100e-6, "other.ptx": 100e-6})
    assert outcome.report.variant("other.ptx").ratio.verdict is Verdict.SAME


def test_a_wrong_variant_is_reported_and_not_timed(folder, toolchain):
    outcome = run(folder, {"saxpy.ptx": 100e-6, "other.ptx": 50e-6}, wrong=True)
    assert outcome.exit_code == 1
    other = outcome.report.variant("other.ptx")
    assert other.status not in (Status.TIMED, Status.CORRECT)
    assert other.timing is None


def test_a_spec_that_does_not_fit_the_kernel_is_refused(folder, toolchain):
    spec = folder / "saxpy.launch.toml"
    spec.write_text(spec.read_text().replace('["n", "a", "x", "y"]', '["n", "x", "y"]'))
    with pytest.raises(InputError, match="does not fit") as refused:
        bench(spec, baseline=folder / "saxpy.ptx", candidates=[folder / "other.ptx"], archs=[ARCH])
    assert refused.value.diagnostics
