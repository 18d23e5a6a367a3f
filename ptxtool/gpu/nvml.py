"""Clocks and throttle reasons through NVML. Where it is missing, clocks are unknown."""

from __future__ import annotations

import importlib
from typing import Any

from ptxtool.gpu.device import Clocks

# Bits of nvmlDeviceGetCurrentClocksEventReasons (nvml.h) that mean a board slower than it could
# be. Idle, application clocks and the power cap are its normal life and are left out: under a
# power cap whole runs would be dropped, and interleaving shares its effect among all variants.
THROTTLE_BITS = {
    0x08: "hardware slowdown",
    0x20: "software thermal slowdown",
    0x40: "hardware thermal slowdown",
    0x80: "hardware power brake",
}
_SM_CLOCK = 1
_MEMORY_CLOCK = 2


class ClockReader:
    """Reads the clocks of one board."""

    def __init__(self, library: Any, handle: Any) -> None:
        self._library = library
        self._handle = handle

    @classmethod
    def open(cls, bus_id: str, library: Any = None) -> ClockReader | None:
        """A reader for the board at a PCI address; None if NVML cannot be used.

        NVML only serves the record, so whatever it fails with costs the clocks, not the run.
        """
        try:
            library = library or importlib.import_module("cuda.bindings.nvml")
            library.init_v2()
            return cls(library, library.device_get_handle_by_pci_bus_id_v2(bus_id))
        except Exception:
            return None

    def read(self) -> Clocks:
        """The clocks now; parts that the board does not tell are unknown."""
        reasons = self._ask("device_get_current_clocks_event_reasons") or 0
        names = tuple(name for bit, name in THROTTLE_BITS.items() if reasons & bit)
        return Clocks(
            self._ask("device_get_clock_info", _SM_CLOCK),
            self._ask("device_get_clock_info", _MEMORY_CLOCK),
            names,
        )

    def maximum(self) -> int | None:
        """The highest SM clock of the board, MHz."""
        return self._ask("device_get_max_clock_info", _SM_CLOCK)

    def _ask(self, function: str, *arguments: int) -> int | None:
        try:
            return int(getattr(self._library, function)(self._handle, *arguments))
        except Exception:
            return None
