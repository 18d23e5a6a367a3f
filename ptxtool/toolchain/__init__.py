"""The external CUDA tools: found, run with limits, read and cached."""

from ptxtool.toolchain.doctor import ToolStatus, doctor
from ptxtool.toolchain.messages import FunctionResources, Message, diagnostics_of
from ptxtool.toolchain.toolchain import Assembly, Disassembly, Toolchain

__all__ = [
    "Assembly",
    "Disassembly",
    "FunctionResources",
    "Message",
    "ToolStatus",
    "Toolchain",
    "diagnostics_of",
    "doctor",
]
