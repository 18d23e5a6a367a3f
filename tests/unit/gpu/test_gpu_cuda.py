"""CudaDevice against a driver made of Python that keeps the rules of the real one."""

from __future__ import annotations

import ctypes
import importlib.util
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from ptxtool.core.errors import DeviceUnavailable
from ptxtool.core.source import Source
from ptxtool.gpu import DeviceLaunch, LaunchFailed, Method, Status, Variant, Verdict, bench
from ptxtool.gpu.cuda import CudaDevice, DeviceHung
from ptxtool.gpu.nvml import ClockReader
from ptxtool.launch import parse_spec


class Code(int):
    """A status with a name, as cuda-bindings gives it."""

    name = "CUDA_ERROR"


OK = Code(0)


class FakeDriver:
    """Memory, streams, capture and graphs; kernels are Python functions of (driver, arguments).

    Work on a stream runs when it is queried or waited for, so a missing wait shows as stale data.
    """

    CUresult = SimpleNamespace(CUDA_ERROR_NOT_READY=Code(600))
    CUdevice_attribute = SimpleNamespace(
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR=9,
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR=0,
        CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT=132,
        CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE=50 << 20,
    )
    CUfunction_attribute = SimpleNamespace(
        CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES="shared",
        CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED="cluster",
    )
    CUlaunchAttributeID = SimpleNamespace(
        CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION="cluster", CU_LAUNCH_ATTRIBUTE_COOPERATIVE="grid"
    )
    CUstreamCaptureMode = SimpleNamespace(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL=1)
    CUevent_record_flags = SimpleNamespace(CU_EVENT_RECORD_EXTERNAL=1)

    def __init__(self, modules=None) -> None:
        self.modules = modules or {}
        self.calls: list[str] = []
        self.attributes: list[tuple] = []
        self.blocks: dict[int, np.ndarray] = {}
        self.next_address = 0x7F0000000000
        self.queue: list = []
        self.captured: list | None = None
        self.clock = 0.0
        self.events: dict[int, float] = {}
        self.dead: Code | None = None
        self.hangs = False

    def __getattr__(self, name: str):
        if name.startswith("CU"):
            return lambda: SimpleNamespace(clusterDim=SimpleNamespace())
        raise AttributeError(name)

    def cuInit(self, flags):
        return (OK,)

    def cuDeviceGet(self, index):
        return (OK, index) if index == 0 else (Code(101),)

    def cuCtxCreate(self, parameters, flags, device):
        self.dead, self.blocks, self.queue = None, {}, []
        return OK, object()

    def cuCtxDestroy(self, context):
        self.calls.append("cuCtxDestroy")
        return (OK,)

    def cuStreamCreate(self, flags):
        return OK, "stream"

    def cuEventCreate(self, flags):
        self.events[len(self.events)] = 0.0
        return OK, len(self.events) - 1

    def cuDeviceGetPCIBusId(self, length, device):
        return OK, b"0000:01:00.0\0\0"

    def cuDriverGetVersion(self):
        return OK, 13050

    def cuDeviceGetName(self, length, device):
        return OK, b"Fake H200\0\0\0"

    def cuDeviceTotalMem(self, device):
        return OK, 1 << 37

    def cuDeviceGetAttribute(self, attribute, device):
        return OK, attribute

    def cuGetErrorString(self, status):
        return OK, b"what it means"

    def cuModuleLoadData(self, code):
        self.calls.append("cuModuleLoadData")
        return (OK, code) if code in self.modules else (Code(200),)

    def cuModuleGetFunction(self, module, name):
        kernel = self.modules[module].get(name.decode())
        return (OK, kernel) if kernel else (Code(500),)

    def cuMemAlloc(self, size):
        address, self.next_address = self.next_address, self.next_address + size + 4096
        self.blocks[address] = np.zeros(size, np.uint8)
        return OK, address

    def cuMemFree(self, address):
        return (OK,) if self.blocks.pop(address, None) is not None else (Code(1),)

    def memory(self, address: int, size: int) -> np.ndarray | None:
        for start, block in self.blocks.items():
            if start <= address and address + size <= start + block.size:
                return block[address - start : address - start + size]
        self.dead = Code(700)
        return None

    def cuMemcpyHtoD(self, target, source, size):
        self.drain()
        data = np.frombuffer(ctypes.string_at(source, size), np.uint8)
        view = self.memory(target, size)
        if view is None:
            return (self.dead,)
        view[:] = data
        return (OK,)

    def cuMemcpyDtoH(self, target, source, size):
        self.drain()
        if self.dead:
            return (self.dead,)
        ctypes.memmove(target, self.memory(source, size).tobytes(), size)
        return (OK,)

    def enqueue(self, work):
        (self.queue if self.captured is None else self.captured).append(work)
        return (OK,)

    def cuMemcpyDtoDAsync(self, target, source, size, stream):
        def work():
            self.memory(target, size)[:] = self.memory(source, size)

        return self.enqueue(work)

    def cuMemsetD8Async(self, address, value, size, stream):
        def work():
            self.calls.append("flush")
            self.memory(address, size)[:64] = value
            self.clock += 1e-4

        return self.enqueue(work)

    def cuEventRecordWithFlags(self, event, stream, flags):
        return self.enqueue(lambda: self.events.__setitem__(event, self.clock))

    def cuFuncSetAttribute(self, kernel, attribute, value):
        if self.captured is not None:
            return (Code(900),)
        self.attributes.append((attribute, value))
        return (OK,)

    def cuLaunchKernelEx(self, config, kernel, parameters, extra):
        function, seconds, sizes = kernel
        assert config.numAttrs == len(config.attrs)
        self.config = config
        pointers = np.frombuffer(ctypes.string_at(parameters, 8 * len(sizes)), np.uint64)
        arguments = [
            ctypes.string_at(int(at), size) for at, size in zip(pointers, sizes, strict=True)
        ]

        def work():
            if self.dead is None:
                function(self, arguments)
            self.clock += seconds

        return self.enqueue(work)

    def drain(self) -> None:
        work, self.queue = self.queue, []
        for item in work:
            item()

    def cuStreamQuery(self, stream):
        if self.hangs:
            return (Code(600),)
        self.drain()
        return (self.dead,) if self.dead else (OK,)

    def cuStreamBeginCapture(self, stream, mode):
        self.captured = []
        return (OK,)

    def cuStreamEndCapture(self, stream):
        graph, self.captured = self.captured, None
        return OK, graph

    def cuGraphInstantiate(self, graph, flags):
        self.calls.append("cuGraphInstantiate")
        return OK, graph

    def cuGraphDestroy(self, graph):
        return (OK,)

    def cuGraphExecDestroy(self, graph):
        self.calls.append("cuGraphExecDestroy")
        return (OK,)

    def cuGraphLaunch(self, graph, stream):
        self.queue += graph
        return (OK,)

    def cuEventElapsedTime(self, start, end):
        return OK, (self.events[end] - self.events[start]) * 1000


class FakeNvml:
    reasons = 0x4 | 0x40

    def init_v2(self):
        pass

    def device_get_handle_by_pci_bus_id_v2(self, bus_id):
        assert bus_id == "0000:01:00.0"
        return 1

    def device_get_clock_info(self, handle, kind):
        return {1: 1755, 2: 3201}[kind]

    def device_get_max_clock_info(self, handle, kind):
        return 1980

    def device_get_current_clocks_event_reasons(self, handle):
        return self.reasons


class NoNvml:
    def init_v2(self):
        raise RuntimeError("no library")


SPEC = """\
schema = 1
[buffer.x]
dtype = "s32"
shape = 64
init = "range"
output = true
[[launch]]
kernel = "k"
grid = [2, 1, 1]
block = [32, 2]
shared = 100000
cluster = 2
arguments = ["x", { dtype = "s32", value = 3 }]
"""


def add(driver: FakeDriver, arguments: list[bytes]) -> None:
    view = driver.memory(int.from_bytes(arguments[0], "little"), 256)
    if view is not None:
        view.view(np.int32)[:] += int.from_bytes(arguments[1], "little")


def stray(driver: FakeDriver, arguments: list[bytes]) -> None:
    driver.memory(8, 4)


def opened(seconds: float = 1e-3, function=add, nvml=None):
    modules = {
        b"good": {"k": (add, 1e-3, (8, 4))},
        b"other": {"k": (function, seconds, (8, 4))},
    }
    driver = FakeDriver(modules)
    return driver, CudaDevice.open(driver=driver, nvml=nvml or NoNvml())


def spec():
    return parse_spec(Source.from_bytes("k.launch.toml", SPEC.encode()), Path("."))


VARIANTS = [Variant("baseline", b"good"), Variant("candidate", b"other")]
QUICK = Method(minimum_seconds=0.0, maximum_rounds=60)


def test_a_whole_benchmark() -> None:
    driver, device = opened(0.9e-3)
    report = bench(device, spec(), VARIANTS, QUICK)
    assert report.all_correct
    candidate = report.variant("candidate")
    assert candidate.ratio is not None
    assert candidate.ratio.value == pytest.approx(0.9)
    assert candidate.ratio.verdict is Verdict.FASTER
    assert candidate.timing is not None
    assert candidate.timing.median == pytest.approx(0.9e-3)  # the flush is not in it
    assert "flush" in driver.calls
    assert driver.calls.count("cuModuleLoadData") == 2
    assert driver.calls.count("cuGraphInstantiate") == 2
    assert report.environment.device.name == "Fake H200"
    assert report.environment.device.driver == "CUDA 13.5"
    assert ("shared", 100000) in driver.attributes


def test_the_launch_is_as_the_spec_says() -> None:
    driver, device = opened()
    bench(device, spec(), VARIANTS, QUICK, timed=False)
    config = driver.config
    assert (config.gridDimX, config.blockDimX, config.blockDimY) == (2, 32, 2)
    assert config.sharedMemBytes == 100000
    assert [item.id for item in config.attrs] == ["cluster"]
    assert config.attrs[0].value.clusterDim.x == 2


def test_a_kernel_that_dies_costs_its_context_only() -> None:
    driver, device = opened(function=stray)
    variants = [*VARIANTS, Variant("third", b"good")]
    report = bench(device, spec(), variants, QUICK)
    assert report.variant("candidate").status is Status.FAILED
    assert "the kernel died: CUDA_ERROR (what it means)" in str(report.variant("candidate").failure)
    assert report.variant("third").status is Status.TIMED
    assert "cuCtxDestroy" in driver.calls


def test_a_missing_kernel_and_bad_code() -> None:
    _, device = opened()
    with pytest.raises(LaunchFailed, match="cuModuleLoadData"):
        device.load(b"none", "k")
    with pytest.raises(LaunchFailed, match="cuModuleGetFunction"):
        device.load(b"good", "none")


def test_warm_runs_are_averaged_in_one_graph() -> None:
    driver, device = opened()
    kernel = device.load(b"good", "k")
    address = device.allocate(256)
    device.write(address, np.zeros(256, np.uint8))
    arguments = (address.to_bytes(8, "little"), (1).to_bytes(4, "little"))
    launches = [DeviceLaunch(kernel, (1, 1, 1), (32, 1, 1), None, 0, False, arguments)]
    assert device.time(launches, cold=False, repeat=5) == pytest.approx(1e-3)
    assert device.read(address, 4).view(np.int32)[0] == 5
    assert "flush" not in driver.calls
    device.free(address)
    assert "cuGraphExecDestroy" in driver.calls


def test_large_clusters_and_cooperative_launches_are_asked_for() -> None:
    driver, device = opened()
    kernel = (lambda driver, arguments: None, 1e-6, ())
    device.run([DeviceLaunch(kernel, (16, 1, 1), (32, 1, 1), (16, 1, 1), 0, True, ())])
    assert driver.attributes == [("cluster", 1)]
    assert [item.id for item in driver.config.attrs] == ["cluster", "grid"]


def test_a_kernel_that_never_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    driver, device = opened()
    monkeypatch.setattr("ptxtool.gpu.cuda.LAUNCH_SECONDS", 0.01)
    driver.hangs = True
    with pytest.raises(DeviceHung, match="did not end"):
        device.run([])


def test_clocks() -> None:
    _, device = opened(nvml=FakeNvml())
    clocks = device.clocks()
    assert (clocks.sm_mhz, clocks.memory_mhz) == (1755, 3201)
    assert clocks.throttle == ("hardware thermal slowdown",)  # a power cap alone is no reason
    assert device.info.maximum_clock == 1980
    _, blind = opened()
    assert blind.clocks().sm_mhz is None
    assert ClockReader.open("x", NoNvml()) is None


def test_no_device_of_this_index() -> None:
    with pytest.raises(DeviceUnavailable, match="CUDA device 3 cannot be used"):
        CudaDevice.open(3, driver=FakeDriver())


def test_a_driver_without_a_board() -> None:
    driver = FakeDriver()
    driver.cuInit = lambda flags: (Code(100),)
    with pytest.raises(DeviceUnavailable, match="no CUDA device: CUDA_ERROR"):
        CudaDevice.open(driver=driver)


def test_no_driver_at_all() -> None:
    driver = FakeDriver()

    def fail(flags):
        raise RuntimeError("libcuda.so.1: cannot open\nmore")

    driver.cuInit = fail
    reason = r"no NVIDIA driver: libcuda\.so\.1: cannot open$"
    with pytest.raises(DeviceUnavailable, match=reason) as caught:
        CudaDevice.open(driver=driver)
    assert caught.value.exit_code == 3


def test_without_cuda_bindings(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str):
        raise ImportError(f"No module named {name!r}")

    monkeypatch.setattr("ptxtool.gpu.cuda.importlib.import_module", fail)
    with pytest.raises(DeviceUnavailable) as caught:
        CudaDevice.open()
    assert "pip install 'ptxtool[gpu]'" in str(caught.value.help)


@pytest.mark.skipif(
    importlib.util.find_spec("cuda") is None or importlib.util.find_spec("cuda.bindings") is None,
    reason="cuda-bindings is not installed",
)
def test_names_exist_in_the_real_package() -> None:
    """Every function and structure that CudaDevice uses, in the real module; no driver needed."""
    import re

    from cuda.bindings import driver, nvml

    import ptxtool.gpu.cuda as module
    from ptxtool.gpu import cuda_launch
    from ptxtool.gpu import nvml as nvml_room

    text = Path(module.__file__).read_text() + Path(cuda_launch.__file__).read_text()
    functions = set(re.findall(r'"(cu[A-Z]\w+)"', text)) | {"cuStreamQuery", "cuGetErrorString"}
    assert len(functions) > 20
    assert all(hasattr(driver, name) for name in functions)
    for kind, member in re.findall(r"\.(CU\w+)\.(CU\w+)", text):
        assert hasattr(getattr(driver, kind), member), member
    for attribute in ("MULTIPROCESSOR_COUNT", "L2_CACHE_SIZE", "COMPUTE_CAPABILITY_MAJOR"):
        assert hasattr(driver.CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{attribute}")
    for name in re.findall(r'"(device_\w+)"', Path(nvml_room.__file__).read_text()):
        assert hasattr(nvml, name)
    for bit, name in nvml_room.THROTTLE_BITS.items():
        assert name.split()[-1] in nvml.ClocksEventReasons(bit).name.lower()


@pytest.mark.skipif(
    importlib.util.find_spec("cuda") is None or importlib.util.find_spec("cuda.bindings") is None,
    reason="cuda-bindings is not installed",
)
def test_launches_in_the_real_structures() -> None:
    from cuda.bindings import driver

    from ptxtool.gpu.cuda_launch import LaunchPack

    arguments = (b"abcd", (7).to_bytes(8, "little"))
    kernel = driver.CUfunction(1)
    launch = DeviceLaunch(kernel, (4, 2, 3), (32, 4, 2), (2, 1, 1), 5, True, arguments)
    pack = LaunchPack(driver, launch, driver.CUstream(0))
    config = pack.config
    assert (config.gridDimX, config.gridDimY, config.gridDimZ) == (4, 2, 3)
    assert (config.blockDimX, config.blockDimY, config.blockDimZ) == (32, 4, 2)
    assert config.sharedMemBytes == 5
    assert config.numAttrs == 2
    cluster = config.attrs[0].value.clusterDim
    assert (cluster.x, cluster.y, cluster.z) == (2, 1, 1)
    pointers = np.frombuffer(ctypes.string_at(pack.parameters, 16), np.uint64)
    assert all(int(pointer) % 32 == 0 for pointer in pointers)
    assert ctypes.string_at(int(pointers[0]), 4) == b"abcd"
    assert ctypes.string_at(int(pointers[1]), 8) == arguments[1]
