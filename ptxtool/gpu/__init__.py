"""Benchmarks on a CUDA device, or on a simulated one: correct first, then timed."""

from ptxtool.gpu.bench import Plan, bench, plan
from ptxtool.gpu.device import Clocks, Device, DeviceInfo, DeviceLaunch, LaunchFailed
from ptxtool.gpu.report import BenchReport, Status
from ptxtool.gpu.simulated import ClockModel, SimulatedDevice, SimulatedKernel
from ptxtool.gpu.statistics import Verdict
from ptxtool.gpu.timing import Method
from ptxtool.gpu.variants import Variant

__all__ = [
    "BenchReport",
    "ClockModel",
    "Clocks",
    "Device",
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
    "plan",
]
