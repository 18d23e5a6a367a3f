"""The use case `doctor`: what is found on this machine."""

from __future__ import annotations

import platform
from dataclasses import dataclass

from ptxtool import __version__
from ptxtool.app.session import Tools
from ptxtool.core.errors import PtxtoolError
from ptxtool.toolchain import ToolStatus
from ptxtool.toolchain import doctor as tool_states

SCHEMA_VERSION = 1


@dataclass(frozen=True)
class DoctorReport:
    """The tools, the device (None without one, with the reason), and versions."""

    ptxtool_version: str
    python_version: str
    tools: tuple[ToolStatus, ...]
    device: str | None
    device_note: str | None


def doctor(tools: Tools | None = None) -> DoctorReport:
    """Look for every tool and for a device; never raises for a missing one."""
    device, note = _device()
    states = tool_states((tools or Tools()).toolchain())
    return DoctorReport(__version__, platform.python_version(), tuple(states), device, note)


def _device() -> tuple[str | None, str | None]:
    from ptxtool.gpu import CudaDevice

    try:
        return CudaDevice.open().info.name, None
    except PtxtoolError as reason:
        return None, f"{reason}; bench only says what it would run"
