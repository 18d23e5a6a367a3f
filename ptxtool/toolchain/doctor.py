"""What is found here, from where, and what a missing piece costs."""

from __future__ import annotations

import shutil
from dataclasses import dataclass

from ptxtool.core.errors import PtxtoolError
from ptxtool.toolchain.compile_cuda import HOST_COMPILER, has_host_compiler
from ptxtool.toolchain.find import TOOLS, others_on_path
from ptxtool.toolchain.toolchain import Toolchain

COSTS = {
    "ptxas": "no registers, spills, cubins, diff or optimize; PTX-only analysis still works",
    "nvdisasm": "no machine code: no cycles, PTX lines, diff or optimize",
    "cuobjdump": "no PTX or cubins out of executables and libraries",
    "nvcc": ".cu files go through NVRTC",
}


@dataclass(frozen=True)
class ToolStatus:
    """One tool: found or not, and what follows from it."""

    name: str
    path: str | None
    version: str | None
    found_by: str | None
    note: str | None = None
    help: str | None = None


def doctor(toolchain: Toolchain) -> list[ToolStatus]:
    """The state of every tool; never raises for a missing one."""
    return [*(_status(toolchain, name) for name in TOOLS), _host_compiler()]


def _status(toolchain: Toolchain, name: str) -> ToolStatus:
    try:
        tool = toolchain.tool(name)
    except PtxtoolError as missing:
        return ToolStatus(name, None, None, None, f"missing: {COSTS[name]}", missing.help)
    others = others_on_path(tool)
    note = f"another version is on PATH: {', '.join(others)}" if others else None
    return ToolStatus(name, tool.path, tool.version, tool.found_by, note)


def _host_compiler() -> ToolStatus:
    if has_host_compiler():
        path = shutil.which(HOST_COMPILER)
        return ToolStatus(
            HOST_COMPILER, path, None, "PATH", "found: nvcc compiles .cu files with it"
        )
    return ToolStatus(HOST_COMPILER, None, None, None, "missing: .cu files go through NVRTC")
