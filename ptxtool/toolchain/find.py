"""Where the CUDA tools are.

Order: the option, PTXTOOL_<TOOL>, NVIDIA's own search (wheels, conda, CUDA_HOME), CUDA_HOME, PATH.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ptxtool.core.errors import ToolMissing, UsageError
from ptxtool.toolchain.run import run_tool

TOOLS = ("ptxas", "nvdisasm", "cuobjdump", "nvcc")
_VERSION = re.compile(r"\bV(\d+\.\d+\.\d+)\b")
GET_IT = "pip install 'ptxtool[toolchain]', or set CUDA_HOME or {variable}"


@dataclass(frozen=True)
class Tool:
    """One tool: where, of what version, and who found it."""

    name: str
    path: str
    version: str
    found_by: str

    @property
    def identity(self) -> str:
        """Tells this very program from another of the same version: part of cache keys."""
        facts = os.stat(self.path)
        return (
            f"{os.path.realpath(self.path)}\0{facts.st_mtime_ns}\0{facts.st_size}\0{self.version}"
        )


def find_tool(name: str, explicit: str | None = None) -> Tool:
    """Find one tool. Raises ToolMissing with how to get it, UsageError for a wrong path."""
    path, found_by = _locate(name, explicit)
    if path is None:
        raise ToolMissing(
            f"{name} is not installed", help=GET_IT.format(variable=f"PTXTOOL_{name.upper()}")
        )
    return Tool(name, path, tool_version(path), found_by)


def _locate(name: str, explicit: str | None) -> tuple[str | None, str]:
    variable = f"PTXTOOL_{name.upper()}"
    for given, found_by in ((explicit, "option"), (os.environ.get(variable), variable)):
        if given:
            resolved = shutil.which(given)
            if resolved is None:
                raise UsageError(f"{found_by} names {given}, which is no program")
            return resolved, found_by
    for search, found_by in ((_by_pathfinder, "cuda-pathfinder"), (_by_cuda_home, "CUDA_HOME")):
        path = search(name)
        if path:
            return path, found_by
    return shutil.which(name), "PATH"


@lru_cache
def _by_pathfinder(name: str) -> str | None:
    # find_spec first: importing a missing package costs more than looking for it.
    if importlib.util.find_spec("cuda") is None:
        return None
    try:
        from cuda.pathfinder import find_nvidia_binary_utility
    except ImportError:
        return None
    try:
        found: str | None = find_nvidia_binary_utility(name)
        return found
    except Exception:
        return None  # its errors differ by version; the search goes on


def _by_cuda_home(name: str) -> str | None:
    home = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH")
    return shutil.which(name, path=str(Path(home) / "bin")) if home else None


def tool_version(path: str) -> str:
    """The version of a program, such as "13.5.37", remembered by path, time and size."""
    try:
        facts = os.stat(path)
    except OSError as error:
        raise ToolMissing(f"{path}: {error.strerror}") from error
    return _version_of(path, facts.st_mtime_ns, facts.st_size)


@lru_cache
def _version_of(path: str, mtime: int, size: int) -> str:
    from ptxtool.toolchain.cache import cached_version

    return cached_version(f"{path}\0{mtime}\0{size}", lambda: _ask_version(path))


def _ask_version(path: str) -> str:
    done = run_tool([path, "--version"], timeout=60)
    found = _VERSION.search(done.text)
    if found is None:
        raise UsageError(f"{path} does not say a CUDA version")
    return found.group(1)


def others_on_path(tool: Tool) -> list[str]:
    """Programs of the same name on PATH with another version, as `path (version)`."""
    found = []
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        path = shutil.which(tool.name, path=folder) if folder else None
        if path and os.path.realpath(path) != os.path.realpath(tool.path):
            try:
                version = tool_version(path)
            except Exception:
                continue  # a wrapper that cannot say its version is not worth a warning
            if version != tool.version:
                found.append(f"{path} ({version})")
    return list(dict.fromkeys(found))
