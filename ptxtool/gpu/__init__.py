"""Benchmarks on a CUDA device, or on a simulated one: correct first, then timed."""

from ptxtool.gpu.bench import Plan, bench, plan
from ptxtool.gpu.cuda import CudaDevice, DeviceHung
from ptxtool.gpu.device import Clocks, Device, DeviceInfo, DeviceLaunch, LaunchFailed
from ptxtool.gpu.regressions import BenchChange, Change, compare_reports
from ptxtool.gpu.report import BenchReport, Status
from ptxtool.gpu.simulated import ClockModel, SimulatedDevice, SimulatedKernel
from ptxtool.gpu.statistics import Verdict
from ptxtool.gpu.timing import Method
from ptxtool.gpu.variants import Variant

__all__ = [
    "BenchChange",
    "BenchReport",
    "Change",
    "ClockModel",
    "Clocks",
    "CudaDevice",
    "Device",
    "DeviceHung",
    "DeviceInfo",
    "DeviceLaunch",
    "LaunchFailed",
    "Method",
    "Plan",
    "SimulatedDevice",
    "SimulatedKernel",
    "Status",
    "Variant",
    "Verdict",
    "bench",
    "compare_reports",
    "plan",
]
