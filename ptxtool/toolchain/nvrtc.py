"""A small program of its own: CUDA C++ to PTX with NVRTC. `nvrtc.py SOURCE ARCH OUT [OPTION...]`

It imports nothing of the package, so that it runs as a plain script. Exit code 0 with PTX in OUT, 1
with the compiler's log on standard error, 3 when there is no NVRTC.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Sequence
from pathlib import Path

REFUSED = 1
MISSING = 3


def main(arguments: Sequence[str]) -> int:
    """Compile one file."""
    source, arch, out, *options = arguments
    library = load()
    if library is None:
        return MISSING
    ptx, log = compile_source(library, Path(source), arch, options)
    if ptx is None:
        sys.stderr.write(log)
        return REFUSED
    Path(out).write_bytes(ptx)
    return 0


def compile_source(
    library: ctypes.CDLL, source: Path, arch: str, options: Sequence[str]
) -> tuple[bytes | None, str]:
    """PTX, or None with the log."""
    program = ctypes.c_void_p()
    failed = library.nvrtcCreateProgram(
        ctypes.byref(program), source.read_bytes(), source.name.encode(), 0, None, None
    )
    if failed:
        return None, f"nvrtc cannot create a program: error {failed}"
    words = [f"--gpu-architecture={arch}", *includes(), f"-I{source.parent}", *options]
    array = (ctypes.c_char_p * len(words))(*[word.encode() for word in words])
    failed = library.nvrtcCompileProgram(program, len(words), array)
    if failed:
        return None, text_of(library, program, "ProgramLog").decode("utf-8", "replace")
    return text_of(library, program, "PTX"), ""


def text_of(library: ctypes.CDLL, program: ctypes.c_void_p, what: str) -> bytes:
    """One of the texts that NVRTC keeps for a program."""
    size = ctypes.c_size_t()
    getattr(library, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    getattr(library, f"nvrtcGet{what}")(program, buffer)
    return buffer.raw.rstrip(b"\0")


def load() -> ctypes.CDLL | None:
    """NVRTC from NVIDIA's wheels, CUDA_HOME, or the system."""
    home = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH")
    paths = [
        str(path)
        for folder in wheel_folders("lib", "bin")
        for path in sorted([*folder.glob("libnvrtc.so*"), *folder.glob("nvrtc64_*.dll")])
        if "builtins" not in path.name and "alt" not in path.name
    ]
    for name in [*paths, *([f"{home}/lib64/libnvrtc.so"] if home else []), "libnvrtc.so"]:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


def wheel_folders(*names: str) -> list[Path]:
    """Folders of NVIDIA's wheels below every site-packages."""
    roots = [Path(place) / "nvidia" for place in sys.path if place]
    return [
        path
        for root in roots
        if root.is_dir()
        for name in names
        for path in (*root.glob(f"cu*/{name}"), *root.glob(f"cuda_*/{name}"))
    ]


def includes() -> list[str]:
    """Where CUDA's own headers are."""
    return [f"-I{folder}" for folder in wheel_folders("include")]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
