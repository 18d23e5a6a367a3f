"""CUDA C++ to PTX: nvcc where a host compiler is there, else NVRTC, which needs none."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ptxtool.core.diagnostics import Diagnostic, Severity
from ptxtool.core.errors import ToolMissing, ToolRefused
from ptxtool.core.source import Source
from ptxtool.toolchain.find import Tool
from ptxtool.toolchain.nvrtc import MISSING as NVRTC_MISSING
from ptxtool.toolchain.run import run_tool

HOST_COMPILER = "cl" if os.name == "nt" else "gcc"
_MESSAGE = re.compile(
    r"^(?P<file>.*?)\((?P<line>\d+)\): "
    r"(?P<severity>error|warning|catastrophic error)[^:]*: (?P<text>.*)$",
    re.M,
)
_GET_NVRTC = "pip install 'ptxtool[toolchain]', or install gcc so that nvcc can be used"


def virtual_arch(arch: str) -> str:
    """`sm_90a` -> `compute_90a`."""
    return arch.replace("sm_", "compute_", 1)


def with_nvcc(nvcc: Tool, path: Path, arch: str, options: Sequence[str], timeout: float) -> bytes:
    """PTX from nvcc. Raises ToolRefused with the errors at their .cu lines."""
    with tempfile.TemporaryDirectory(prefix="ptxtool-") as folder:
        out = Path(folder) / "out.ptx"
        command = [nvcc.path, "-ptx", f"-arch={virtual_arch(arch)}", *options]
        done = run_tool([*command, "-o", str(out), str(path)], timeout=timeout, name="nvcc")
        if done.code != 0:
            raise refused("nvcc", path, done.text)
        return out.read_bytes()


def with_nvrtc(path: Path, arch: str, options: Sequence[str], timeout: float) -> bytes:
    """PTX from NVRTC, in a process of its own: a compiler that dies takes nothing along.

    Raises ToolMissing, ToolRefused, ToolTimeout, ToolCrashed.
    """
    with tempfile.TemporaryDirectory(prefix="ptxtool-") as folder:
        out = Path(folder) / "out.ptx"
        script = Path(__file__).with_name("nvrtc.py")
        words = [sys.executable, str(script), str(path), virtual_arch(arch), str(out)]
        done = run_tool([*words, *options], timeout=timeout, name="nvrtc")
        if done.code == NVRTC_MISSING:
            message = "neither a host compiler for nvcc nor NVRTC is there"
            raise ToolMissing(message, help=_GET_NVRTC)
        if done.code != 0:
            raise refused("nvrtc", path, done.text)
        return out.read_bytes()


def refused(tool: str, path: Path, log: str) -> ToolRefused:
    """The compiler's errors as diagnostics at the lines of the .cu file."""
    source = Source.read(path)
    found = tuple(_diagnostic(match, source) for match in _MESSAGE.finditer(log))
    message = f"{tool} refuses {path}"
    if not found:
        message += ": " + (log.strip().splitlines() or ["without a message"])[-1]
    return ToolRefused(message, diagnostics=found, help="mend the CUDA source and try again")


def _diagnostic(match: re.Match[str], source: Source) -> Diagnostic:
    severity = Severity.WARNING if match["severity"] == "warning" else Severity.ERROR
    line = int(match["line"])
    own = Path(match["file"]).name == Path(source.name).name
    if not own or line > len(source.line_starts):
        return Diagnostic("PTX310", severity, match["text"], file=match["file"], line=line)
    start = source.line_starts[line - 1]
    text = source.line_text(line)
    first = start + len(text) - len(text.lstrip())
    return Diagnostic(
        "PTX310", severity, match["text"], source.span(first, max(start + len(text), first + 1))
    )


def has_host_compiler() -> bool:
    """Whether nvcc could work here."""
    return shutil.which(HOST_COMPILER) is not None
