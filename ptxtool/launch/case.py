"""One run made concrete: every expression evaluated, every limit checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ptxtool.launch.layouts import Type
from ptxtool.launch.model import FieldInitials, Initial
from ptxtool.launch.tolerance import Tolerance

Dimensions = tuple[int, int, int]


@dataclass(frozen=True)
class Patch:
    """Where an address goes into the bytes of an argument: buffer's address + offset at `at`."""

    at: int
    buffer: str
    offset: int = 0


@dataclass(frozen=True)
class Argument:
    """One kernel argument: its bytes, and the addresses to put into them."""

    name: str
    data: bytes
    alignment: int
    patches: tuple[Patch, ...] = ()

    def packed(self, addresses: Mapping[str, int]) -> bytes:
        """The bytes to pass, with the device addresses of the buffers filled in."""
        packed = bytearray(self.data)
        for patch in self.patches:
            address = addresses[patch.buffer] + patch.offset
            packed[patch.at : patch.at + 8] = (address & (1 << 64) - 1).to_bytes(8, "little")
        return bytes(packed)


@dataclass(frozen=True)
class Launch:
    """One launch. Shared memory in bytes."""

    kernel: str
    grid: Dimensions
    block: Dimensions
    cluster: Dimensions | None
    shared: int
    static_shared: int | None
    cooperative: bool
    arguments: tuple[Argument, ...]

    @property
    def threads(self) -> int:
        """Threads of one block."""
        return self.block[0] * self.block[1] * self.block[2]

    @property
    def blocks(self) -> int:
        """Blocks of the grid."""
        return self.grid[0] * self.grid[1] * self.grid[2]


@dataclass(frozen=True)
class Buffer:
    """Device memory of one run. Sizes in bytes."""

    name: str
    type: Type
    shape: tuple[int, ...]
    initial: Initial | FieldInitials | None
    is_output: bool
    tolerance: Tolerance | None
    expect: Path | None
    partial: bool
    alignment: int
    offset: int

    @property
    def elements(self) -> int:
        """Number of elements."""
        count = 1
        for extent in self.shape:
            count *= extent
        return count

    @property
    def size(self) -> int:
        """Bytes of the buffer."""
        return self.elements * self.type.size


@dataclass(frozen=True)
class Case:
    """One run: what is launched, on which data."""

    label: str
    seed: int
    sizes: Mapping[str, int]
    launches: tuple[Launch, ...]
    buffers: Mapping[str, Buffer]
    rates: Mapping[str, int] = field(default_factory=dict)

    @property
    def total_bytes(self) -> int:
        """Bytes of all buffers together, guard zones left out."""
        return sum(buffer.size for buffer in self.buffers.values())

    @property
    def outputs(self) -> tuple[Buffer, ...]:
        """The buffers that are compared."""
        return tuple(buffer for buffer in self.buffers.values() if buffer.is_output)
