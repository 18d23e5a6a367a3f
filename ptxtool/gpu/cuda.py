"""A CUDA device through the driver API of cuda-bindings."""

from __future__ import annotations

import importlib
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from ptxtool.core.errors import DeviceUnavailable, PtxtoolError
from ptxtool.gpu.cuda_launch import LaunchPack
from ptxtool.gpu.device import Bytes, Clocks, DeviceInfo, DeviceLaunch, Kernel, LaunchFailed
from ptxtool.gpu.nvml import ClockReader

LAUNCH_SECONDS = 60.0  # a run that takes longer is taken for hung
# Several times the L2: writing it evicts what the kernels left, and takes the GPU long enough
# for the launches behind it to be queued.
FLUSH_RATIO = 4
MINIMUM_FLUSH_BYTES = 256 << 20
FLUSH_BYTE = 0x5A
_POLL_SECONDS = 0.0002


class DeviceHung(PtxtoolError):
    """A kernel did not end. The process must be left: its context cannot be destroyed."""


class CudaDevice:
    """A Device on CUDA. Use `CudaDevice.open`."""

    def __init__(self, driver: Any, index: int, *, nvml: Any = None) -> None:
        self._driver = driver
        self._device = self._call("cuDeviceGet", index)
        self._context: Any = None
        self._open_context()
        bus_id = self._text(self._call("cuDeviceGetPCIBusId", 32, self._device))
        self._clock_reader = ClockReader.open(bus_id, nvml)
        self._info = self._describe()

    @classmethod
    def open(cls, index: int = 0, *, driver: Any = None, nvml: Any = None) -> CudaDevice:
        """The device of an index. Raises DeviceUnavailable with the reason.

        `driver` and `nvml` stand in for cuda.bindings.driver and .nvml.
        """
        driver = driver or _import_driver()
        try:
            (status, *_) = driver.cuInit(0)
        except Exception as error:  # cuda-bindings fails in several ways without a driver
            help = "install the NVIDIA display driver on a machine with a CUDA GPU"
            raise DeviceUnavailable(f"no NVIDIA driver{_driver_reason(error)}", help=help) from None
        if int(status) != 0:
            raise DeviceUnavailable(f"no CUDA device: {_error_name(driver, status)}")
        try:
            return cls(driver, index, nvml=nvml)
        except LaunchFailed as failure:
            raise DeviceUnavailable(f"CUDA device {index} cannot be used: {failure}") from None

    @property
    def info(self) -> DeviceInfo:
        """What the driver and NVML say of the board."""
        return self._info

    def _open_context(self) -> None:
        self._context = self._call("cuCtxCreate", None, 0, self._device)
        self._stream = self._call("cuStreamCreate", 0)  # ordered behind plain copies
        self._start = self._call("cuEventCreate", 0)
        self._end = self._call("cuEventCreate", 0)
        self._modules: dict[bytes, Any] = {}
        self._graphs: dict[tuple[int, bool, int], tuple[Any, Any]] = {}
        self._flush_address: int | None = None

    def _describe(self) -> DeviceInfo:
        major, minor = (
            self._attribute(f"COMPUTE_CAPABILITY_{part}") for part in ("MAJOR", "MINOR")
        )
        version = int(self._call("cuDriverGetVersion"))
        return DeviceInfo(
            name=self._text(self._call("cuDeviceGetName", 256, self._device)),
            kind="cuda",
            capability=f"{major}.{minor}",
            multiprocessors=self._attribute("MULTIPROCESSOR_COUNT"),
            memory_bytes=int(self._call("cuDeviceTotalMem", self._device)),
            l2_bytes=self._attribute("L2_CACHE_SIZE"),
            driver=f"CUDA {version // 1000}.{version % 1000 // 10}",
            maximum_clock=self._clock_reader.maximum() if self._clock_reader else None,
        )

    def _attribute(self, name: str) -> int:
        attribute = getattr(self._driver.CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{name}")
        return int(self._call("cuDeviceGetAttribute", attribute, self._device))

    @staticmethod
    def _text(raw: bytes | str) -> str:
        return raw if isinstance(raw, str) else raw.split(b"\0")[0].decode("ascii", "replace")

    def _call(self, function: str, *arguments: Any) -> Any:
        """Call the driver; the values it returns. Raises LaunchFailed with the error's name."""
        status, *values = getattr(self._driver, function)(*arguments)
        if int(status) != 0:
            raise LaunchFailed(f"{function}: {_error_name(self._driver, status)}")
        return values[0] if len(values) == 1 else tuple(values)

    def load(self, code: bytes, name: str) -> Kernel:
        """Load a cubin, once, and find a kernel. Raises LaunchFailed."""
        if code not in self._modules:
            self._modules[code] = self._call("cuModuleLoadData", code)
        return self._call("cuModuleGetFunction", self._modules[code], name.encode())

    def allocate(self, size: int) -> int:
        """cuMemAlloc. Raises LaunchFailed."""
        return int(self._call("cuMemAlloc", max(size, 1)))

    def free(self, address: int) -> None:
        """cuMemFree; graphs may hold the address, so they go too."""
        self._drop_graphs()
        with suppress(LaunchFailed):  # after a failure the context is gone with its memory
            self._call("cuMemFree", address)

    def write(self, address: int, data: Bytes) -> None:
        """Copy to the device."""
        data = np.ascontiguousarray(data)
        self._call("cuMemcpyHtoD", address, data.ctypes.data, data.nbytes)

    def read(self, address: int, size: int) -> Bytes:
        """Copy from the device."""
        data = np.empty(size, dtype=np.uint8)
        self._call("cuMemcpyDtoH", data.ctypes.data, address, size)
        return data

    def copy(self, target: int, source: int, size: int) -> None:
        """Copy inside the device, in the order of the stream."""
        self._call("cuMemcpyDtoDAsync", target, source, size, self._stream)

    def run(self, launches: Sequence[DeviceLaunch]) -> None:
        """Launch all and wait. Raises LaunchFailed, DeviceHung."""
        self._enqueue(self._packs(launches))
        self._wait()

    def _packs(self, launches: Sequence[DeviceLaunch]) -> list[LaunchPack]:
        packs = [LaunchPack(self._driver, launch, self._stream) for launch in launches]
        for pack in packs:
            pack.allow_shared(self._call)
        return packs

    def _enqueue(self, packs: Sequence[LaunchPack]) -> None:
        for pack in packs:
            self._call("cuLaunchKernelEx", pack.config, pack.kernel, pack.parameters, 0)

    def _wait(self) -> None:
        deadline = time.monotonic() + LAUNCH_SECONDS
        not_ready = int(self._driver.CUresult.CUDA_ERROR_NOT_READY)
        while True:
            (status, *_) = self._driver.cuStreamQuery(self._stream)
            if int(status) == 0:
                return
            if int(status) != not_ready:
                raise LaunchFailed(f"the kernel died: {_error_name(self._driver, status)}")
            if time.monotonic() > deadline:
                raise DeviceHung(f"the kernel did not end within {LAUNCH_SECONDS:g} seconds")
            time.sleep(_POLL_SECONDS)

    def time(self, launches: Sequence[DeviceLaunch], *, cold: bool, repeat: int = 1) -> float:
        """Seconds between two events around the launches.

        All of it, the flush included, is one graph: no launch waits for the host in between.
        """
        key = (id(launches), cold, repeat)
        if key not in self._graphs:
            self._graphs[key] = (launches, self._capture(launches, cold, repeat))
        self._call("cuGraphLaunch", self._graphs[key][1], self._stream)
        self._wait()
        milliseconds = float(self._call("cuEventElapsedTime", self._start, self._end))
        return milliseconds / 1000.0 / repeat

    def _capture(self, launches: Sequence[DeviceLaunch], cold: bool, repeat: int) -> Any:
        packs = self._packs(launches)
        flush = self._flush_buffer() if cold else None
        mode = self._driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
        external = self._driver.CUevent_record_flags.CU_EVENT_RECORD_EXTERNAL
        self._call("cuStreamBeginCapture", self._stream, mode)
        if flush is not None:
            self._call("cuMemsetD8Async", flush[0], FLUSH_BYTE, flush[1], self._stream)
        self._call("cuEventRecordWithFlags", self._start, self._stream, external)
        for _ in range(repeat):
            self._enqueue(packs)
        self._call("cuEventRecordWithFlags", self._end, self._stream, external)
        graph = self._call("cuStreamEndCapture", self._stream)
        executable = self._call("cuGraphInstantiate", graph, 0)
        self._call("cuGraphDestroy", graph)
        return executable

    def _flush_buffer(self) -> tuple[int, int]:
        size = max(FLUSH_RATIO * (self._info.l2_bytes or 0), MINIMUM_FLUSH_BYTES)
        if self._flush_address is None:
            self._flush_address = self.allocate(size)
        return self._flush_address, size

    def _drop_graphs(self) -> None:
        for _, executable in self._graphs.values():
            with suppress(LaunchFailed):
                self._call("cuGraphExecDestroy", executable)
        self._graphs.clear()

    def clocks(self) -> Clocks:
        """Through NVML."""
        return self._clock_reader.read() if self._clock_reader else Clocks()

    def now(self) -> float:
        """The host's clock."""
        return time.monotonic()

    def recover(self) -> None:
        """A new context: an error of a kernel stays with the old one for good."""
        self.close()
        self._open_context()

    def close(self) -> None:
        """Destroy the context, and with it all memory and kernels."""
        if self._context is not None:
            with suppress(LaunchFailed):
                self._call("cuCtxDestroy", self._context)
            self._context = None
            self._graphs.clear()


def _driver_reason(error: Exception) -> str:
    """What cuda-bindings says, unless it only says in many words that there is no driver."""
    reason = str(error).split("\n")[0]
    return "" if "driver library" in reason else f": {reason}"


def _import_driver() -> Any:
    try:
        return importlib.import_module("cuda.bindings.driver")
    except ImportError as error:
        help = "install it with: pip install 'ptxtool[gpu]'"
        raise DeviceUnavailable(f"cuda-bindings cannot be used: {error}", help=help) from None


def _error_name(driver: Any, status: Any) -> str:
    name = getattr(status, "name", None)
    if name is None:
        name = str(int(status))
    with suppress(Exception):
        _, text = driver.cuGetErrorString(status)
        if text:
            return f"{name} ({text.decode('ascii', 'replace')})"
    return str(name)
