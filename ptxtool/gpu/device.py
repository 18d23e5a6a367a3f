"""What benchmarking needs of a device. CudaDevice and SimulatedDevice both offer it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ptxtool.core.errors import PtxtoolError

Bytes = npt.NDArray[np.uint8]
Kernel = Any  # a handle that only its device understands


class LaunchFailed(PtxtoolError):
    """A kernel could not be launched, or died: its context is lost until `recover`."""


@dataclass(frozen=True)
class DeviceInfo:
    """A device as reports name it. Sizes in bytes, clocks in MHz; None is unknown."""

    name: str
    kind: str  # "cuda" or "simulated"
    capability: str  # "9.0"
    multiprocessors: int | None = None
    memory_bytes: int | None = None
    l2_bytes: int | None = None
    driver: str | None = None
    maximum_clock: int | None = None


@dataclass(frozen=True)
class Clocks:
    """The state of the clocks at one moment. `throttle` names the reasons that slow the board."""

    sm_mhz: int | None = None
    memory_mhz: int | None = None
    throttle: tuple[str, ...] = ()


@dataclass(frozen=True)
class DeviceLaunch:
    """One launch, ready for the device; `arguments` holds the bytes of each parameter."""

    kernel: Kernel
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    cluster: tuple[int, int, int] | None
    shared: int
    cooperative: bool
    arguments: tuple[bytes, ...]


class Device(Protocol):
    """A device in one process. All work is done when a method returns."""

    @property
    def info(self) -> DeviceInfo:
        """What device this is."""

    def load(self, code: bytes, name: str) -> Kernel:
        """The kernel `name` of a cubin. Raises LaunchFailed."""

    def allocate(self, size: int) -> int:
        """Address of fresh memory, aligned to 256 bytes. Raises LaunchFailed."""

    def free(self, address: int) -> None:
        """Give memory back."""

    def write(self, address: int, data: Bytes) -> None:
        """Copy to the device."""

    def read(self, address: int, size: int) -> Bytes:
        """Copy from the device."""

    def copy(self, target: int, source: int, size: int) -> None:
        """Copy inside the device."""

    def run(self, launches: Sequence[DeviceLaunch]) -> None:
        """Run and wait. Raises LaunchFailed."""

    def time(self, launches: Sequence[DeviceLaunch], *, cold: bool, repeat: int = 1) -> float:
        """Seconds of one run of the launches, by the device's own clock, the mean of `repeat`.

        `cold` empties the L2 cache first, outside the measured time; it goes with repeat 1.
        Raises LaunchFailed.
        """

    def clocks(self) -> Clocks:
        """The clocks now."""

    def now(self) -> float:
        """Seconds since some moment, for time limits."""

    def recover(self) -> None:
        """Make the device usable after LaunchFailed; kernels and memory are gone."""

    def close(self) -> None:
        """Give everything back."""
