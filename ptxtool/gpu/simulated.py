"""A device made of Python functions and a synthetic clock.

It exists so that the whole of benchmarking runs without a GPU: kernels are functions that read
and write a byte array (and may write where they should not), and time is drawn from a model with
drift, two clock states, outliers and throttling.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ptxtool.gpu.device import Bytes, Clocks, DeviceInfo, DeviceLaunch, LaunchFailed

_BASE = 0x10000
_ALIGNMENT = 256


class Memory:
    """Device memory as kernels see it; an access outside of it is an illegal address."""

    def __init__(self, size: int) -> None:
        self._bytes = np.zeros(size, dtype=np.uint8)

    def view(self, address: int, size: int) -> Bytes:
        """The bytes [address, address + size), writable. Raises LaunchFailed."""
        start = address - _BASE
        if start < 0 or size < 0 or start + size > self._bytes.size:
            raise LaunchFailed(f"illegal address {address:#x}")
        return self._bytes[start : start + size]


Executor = Callable[[Memory, DeviceLaunch], None]


@dataclass(frozen=True)
class SimulatedKernel:
    """A kernel: what it does, and how many seconds it takes (cold, and with a warm L2)."""

    execute: Executor
    seconds: float
    warm_seconds: float | None = None


@dataclass(frozen=True)
class ClockModel:
    """How measured times stray from true ones.

    `drift` is the relative slowing per second of device time; `slow_ratio` and `slow_period`
    (seconds) make the clock change between two states; `outlier_rate` samples are
    `outlier_ratio` times too long; from `throttle_from` to `throttle_to` seconds the board
    throttles by `throttle_ratio`. At the start it is `warm_up_ratio` slower, and speeds up evenly
    over `warm_up_seconds`.
    """

    noise: float = 0.002
    drift: float = 0.0
    slow_ratio: float = 1.0
    slow_period: float = 0.01
    outlier_rate: float = 0.0
    outlier_ratio: float = 5.0
    warm_up_seconds: float = 0.0
    warm_up_ratio: float = 1.5
    throttle_from: float = float("inf")
    throttle_to: float = float("inf")
    throttle_ratio: float = 1.6
    seed: int = 0


@dataclass
class SimulatedDevice:
    """A Device. `programs` maps code to the kernels in it."""

    programs: Mapping[bytes, Mapping[str, SimulatedKernel]]
    model: ClockModel = field(default_factory=ClockModel)
    memory_bytes: int = 1 << 26

    def __post_init__(self) -> None:
        self._random = np.random.default_rng(self.model.seed)
        self._now = 0.0
        self.flushes = 0
        self.recover()

    @property
    def info(self) -> DeviceInfo:
        """A name that no board has."""
        return DeviceInfo("simulated", "simulated", "0.0", memory_bytes=self.memory_bytes)

    def recover(self) -> None:
        """Forget all memory."""
        self.memory = Memory(self.memory_bytes)
        self._free = [(0, self.memory_bytes)]
        self._sizes: dict[int, int] = {}
        self._is_lost = False

    def load(self, code: bytes, name: str) -> SimulatedKernel:
        """Look the kernel up. Raises LaunchFailed."""
        kernel = self.programs.get(code, {}).get(name)
        if kernel is None:
            raise LaunchFailed(f"no kernel `{name}` in this code")
        return kernel

    def allocate(self, size: int) -> int:
        """First fit. Raises LaunchFailed when memory is out."""
        size = -(-max(size, 1) // _ALIGNMENT) * _ALIGNMENT
        for index, (start, length) in enumerate(self._free):
            if length >= size:
                self._free[index] = (start + size, length - size)
                self._sizes[start] = size
                return _BASE + start
        raise LaunchFailed(f"out of memory: {size} bytes asked for")

    def free(self, address: int) -> None:
        """Give memory back, joining free neighbours."""
        start = address - _BASE
        size = self._sizes.pop(start, None)
        if size is None:
            return
        joined: list[tuple[int, int]] = []
        for piece in sorted([*self._free, (start, size)]):
            if joined and sum(joined[-1]) == piece[0]:
                joined[-1] = (joined[-1][0], joined[-1][1] + piece[1])
            else:
                joined.append(piece)
        self._free = joined

    def write(self, address: int, data: Bytes) -> None:
        """Copy in."""
        self._check()
        self.memory.view(address, data.nbytes)[:] = data

    def read(self, address: int, size: int) -> Bytes:
        """Copy out."""
        self._check()
        return self.memory.view(address, size).copy()

    def copy(self, target: int, source: int, size: int) -> None:
        """Copy inside."""
        self.write(target, self.read(source, size))

    def run(self, launches: Sequence[DeviceLaunch]) -> None:
        """Call the functions of the kernels. Raises LaunchFailed, also for any fault in them."""
        self._check()
        for launch in launches:
            try:
                launch.kernel.execute(self.memory, launch)
            except LaunchFailed:
                self._is_lost = True
                raise
            self._now += launch.kernel.seconds

    def time(self, launches: Sequence[DeviceLaunch], *, cold: bool, repeat: int = 1) -> float:
        """A drawn time; the kernels run once. Raises LaunchFailed."""
        self.run(launches)
        self.flushes += cold
        true = sum(self._seconds(launch.kernel, cold) for launch in launches)
        measured = true * self._stray()
        self._now += true * repeat
        return measured

    @staticmethod
    def _seconds(kernel: SimulatedKernel, cold: bool) -> float:
        is_warm = not cold and kernel.warm_seconds is not None
        return kernel.warm_seconds or kernel.seconds if is_warm else kernel.seconds

    def _stray(self) -> float:
        model = self.model
        factor = 1.0 + model.drift * self._now
        factor *= 1.0 + model.noise * abs(self._random.standard_normal())
        if int(self._now / model.slow_period) % 2:
            factor *= model.slow_ratio
        if self._random.random() < model.outlier_rate:
            factor *= model.outlier_ratio
        if self._now < model.warm_up_seconds:
            factor *= 1.0 + (model.warm_up_ratio - 1.0) * (1.0 - self._now / model.warm_up_seconds)
        if self._is_throttled():
            factor *= model.throttle_ratio
        return factor

    def _is_throttled(self) -> bool:
        return self.model.throttle_from <= self._now < self.model.throttle_to

    def clocks(self) -> Clocks:
        """The model's state now."""
        if self._is_throttled():
            return Clocks(1000, 2000, ("hardware thermal slowdown",))
        return Clocks(1500, 2000)

    def now(self) -> float:
        """Simulated seconds."""
        return self._now

    def close(self) -> None:
        """Nothing to give back."""

    def _check(self) -> None:
        if self._is_lost:
            raise LaunchFailed("the context was lost by an earlier failure")
