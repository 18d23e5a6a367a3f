"""CUDA C++ to PTX: nvcc where a host compiler is there, else NVRTC, which needs none."""

from __future__ import annotations

import ctypes
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


def with_nvrtc(path: Path, arch: str, options: Sequence[str]) -> bytes:
    """PTX from NVRTC. Raises ToolMissing, ToolRefused."""
    library = _load_nvrtc()
    program = ctypes.c_void_p()
    text = path.read_bytes()
    library.nvrtcCreateProgram(ctypes.byref(program), text, path.name.encode(), 0, None, None)
    try:
        words = [
            f"--gpu-architecture={virtual_arch(arch)}",
            *_includes(),
            f"-I{path.parent}",
            *options,
        ]
        array = (ctypes.c_char_p * len(words))(*[word.encode() for word in words])
        failed = library.nvrtcCompileProgram(program, len(words), array)
        if failed:
            raise refused(
                "nvrtc", path, _string(library, program, "ProgramLog").decode("utf-8", "replace")
            )
        return _string(library, program, "PTX").rstrip(b"\0")
    finally:
        library.nvrtcDestroyProgram(ctypes.byref(program))


def _string(library: ctypes.CDLL, program: ctypes.c_void_p, what: str) -> bytes:
    size = ctypes.c_size_t()
    getattr(library, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    getattr(library, f"nvrtcGet{what}")(program, buffer)
    return buffer.raw.rstrip(b"\0")


def _load_nvrtc() -> ctypes.CDLL:
    for folder in _wheel_folders("lib", "bin"):
        for path in sorted(folder.glob("libnvrtc.so*")) + sorted(folder.glob("nvrtc64_*.dll")):
            if "builtins" not in path.name and "alt" not in path.name:
                return ctypes.CDLL(str(path))
    home = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH")
    for name in ([f"{home}/lib64/libnvrtc.so"] if home else []) + ["libnvrtc.so"]:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    raise ToolMissing("neither a host compiler for nvcc nor NVRTC is there", help=_GET_NVRTC)


def _wheel_folders(*names: str) -> list[Path]:
    """Folders of NVIDIA's wheels below every site-packages."""
    roots = [Path(place) / "nvidia" for place in sys.path if place]
    return [
        path
        for root in roots
        if root.is_dir()
        for name in names
        for path in (*root.glob(f"cu*/{name}"), *root.glob(f"cuda_*/{name}"))
    ]


def _includes() -> list[str]:
    return [f"-I{folder}" for folder in _wheel_folders("include")]


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
