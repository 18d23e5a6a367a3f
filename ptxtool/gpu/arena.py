"""The buffers of one run on a device: guard zones around them, poison inside."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass

import numpy as np

from ptxtool.gpu.device import Bytes, Device
from ptxtool.launch import Buffer, Case

GUARD_BYTES = 64 * 1024
# Two patterns, because a kernel may by chance write what one of them holds. Neither is a number
# that a kernel is likely to compute: as f32, f16 and bf16 both are odd values of ordinary size.
POISONS = (0xA5, 0x5B)


@dataclass(frozen=True)
class GuardViolation:
    """A write outside a buffer. `first` and `last` in bytes from its start; below 0 is before."""

    buffer: str
    side: str  # "before" or "behind"
    first: int
    last: int
    bytes: int


@dataclass(frozen=True)
class _Slot:
    block: int
    address: int
    size: int
    pristine: int | None  # address of a copy of the initial data


class Arena:
    """Memory for one case. Use as a context manager."""

    def __init__(
        self,
        device: Device,
        case: Case,
        data: Mapping[str, Bytes | None],
        *,
        restored: Set[str] = frozenset(),
    ) -> None:
        """Allocate; the initial data of `restored` buffers is kept on the device too."""
        self._device = device
        self._case = case
        self._data = data
        self._poison = POISONS[0]
        self._slots: dict[str, _Slot] = {}
        self._blocks: list[int] = []
        try:
            for buffer in case.buffers.values():
                self._slots[buffer.name] = self._place(buffer, buffer.name in restored)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Arena:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def addresses(self) -> dict[str, int]:
        """Device address of each buffer."""
        return {name: slot.address for name, slot in self._slots.items()}

    @property
    def has_pristine(self) -> bool:
        """Whether any buffer must be restored between runs."""
        return any(slot.pristine is not None for slot in self._slots.values())

    def _place(self, buffer: Buffer, is_restored: bool) -> _Slot:
        block = self._allocate(buffer.size + 2 * GUARD_BYTES + buffer.alignment + buffer.offset)
        address = -(-(block + GUARD_BYTES) // buffer.alignment) * buffer.alignment + buffer.offset
        data, copy = self._data[buffer.name], None
        if is_restored and data is not None and buffer.size:
            copy = self._allocate(buffer.size)
            self._device.write(copy, data)
        return _Slot(block, address, buffer.size, copy)

    def _allocate(self, size: int) -> int:
        self._blocks.append(self._device.allocate(size))
        return self._blocks[-1]

    def prepare(self, turn: int) -> None:
        """Write guards, initial data and poison; even and odd turns differ in their patterns."""
        self._poison = POISONS[turn % 2]
        for name, slot in self._slots.items():
            guard = self._guard()
            self._device.write(slot.address - GUARD_BYTES, guard)
            self._device.write(slot.address + slot.size, guard)
            data = self._data[name]
            if data is None:
                data = np.full(slot.size, self._poison, dtype=np.uint8)
            if slot.size:
                self._device.write(slot.address, data)

    def restore(self) -> None:
        """Bring buffers with initial data back to it, by copies inside the device."""
        for slot in self._slots.values():
            if slot.pristine is not None:
                self._device.copy(slot.address, slot.pristine, slot.size)

    def _guard(self) -> Bytes:
        """A pattern that differs from byte to byte, so that shifted copies of it show too."""
        pattern = np.arange(GUARD_BYTES, dtype=np.uint32) * np.uint32(167) + self._poison
        return (pattern ^ (pattern >> np.uint32(8))).astype(np.uint8)

    def read(self, name: str) -> Bytes:
        """The bytes of a buffer."""
        slot = self._slots[name]
        return self._device.read(slot.address, slot.size) if slot.size else np.empty(0, np.uint8)

    def violations(self) -> tuple[GuardViolation, ...]:
        """The guard zones that are no longer as they were prepared."""
        found = []
        for name, slot in self._slots.items():
            for side, start in (("before", -GUARD_BYTES), ("behind", slot.size)):
                zone = self._device.read(slot.address + start, GUARD_BYTES)
                changed = np.flatnonzero(zone != self._guard())
                if changed.size:
                    first, last = start + int(changed[0]), start + int(changed[-1])
                    found.append(GuardViolation(name, side, first, last, int(changed.size)))
        return tuple(found)

    def untouched(self, name: str) -> Bytes:
        """For each byte of a buffer, whether it still holds this turn's poison."""
        still: Bytes = (self.read(name) == self._poison).astype(np.uint8)
        return still

    def close(self) -> None:
        """Give the memory back."""
        for block in self._blocks:
            self._device.free(block)
        self._blocks.clear()
