"""From what people name on a command line to modules: PTX, CUDA, cubins, what holds them."""

from __future__ import annotations

import glob
import re
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from ptxtool.core.errors import InputError, UsageError
from ptxtool.core.source import Source
from ptxtool.inputs.check_text import Kind, kind_of, ptx_source, split_dump
from ptxtool.sass import architecture
from ptxtool.toolchain import Toolchain

# The target for .cu files when nobody names one.
DEFAULT_ARCH = "sm_90"
CUDA_SUFFIXES = {".cu"}
MOST_BYTES = 2 << 30
SEARCHED_SUFFIXES = (".ptx", ".cu", ".cubin", ".fatbin")


@dataclass(frozen=True)
class LoadedInput:
    """One module: PTX text, or the machine code of a cubin."""

    name: str
    kind: str  # "ptx", "cuda" or "cubin"
    source: Source | None
    cubin: bytes | None = field(default=None, repr=False)
    arch: str | None = None  # of a cubin, or what a .cu was compiled for


def load(path: str, toolchain: Toolchain, *, arch: str | None = None) -> list[LoadedInput]:
    """Every module behind a path, `-`, a folder or a glob. Raises InputError, UsageError."""
    if path == "-":
        return _from_bytes("<stdin>", sys.stdin.buffer.read(), None, toolchain, arch)
    place = Path(path)
    if place.is_dir():
        return _from_folder(place, toolchain, arch)
    if not place.exists() and any(mark in path for mark in "*?["):
        names = sorted(glob.glob(path, recursive=True))
        if not names:
            raise InputError(f"nothing matches {path}")
        return [item for name in names for item in load(name, toolchain, arch=arch)]
    data = _read(place)
    if place.suffix in CUDA_SUFFIXES:
        return [_from_cuda(place, toolchain, arch)]
    return _from_bytes(path, data, place, toolchain, arch)


def _read(place: Path) -> bytes:
    """The bytes of a file or pipe. Raises InputError for devices and what is too large."""
    try:
        if place.is_char_device() or place.is_block_device():
            raise InputError(f"{place} is a device, not a file")
        with place.open("rb") as stream:
            data = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise InputError(f"{place}: {error.strerror or error}") from error
    if len(data) > MOST_BYTES:
        raise InputError(f"{place} is larger than {MOST_BYTES >> 30} GiB", help="split it")
    return data


def _from_folder(folder: Path, toolchain: Toolchain, arch: str | None) -> list[LoadedInput]:
    """Every file of a known kind below a folder, such as a Triton cache."""
    names = sorted(
        path
        for suffix in SEARCHED_SUFFIXES
        for path in folder.rglob(f"*{suffix}")
        if path.is_file()
    )
    if not names:
        raise InputError(
            f"{folder} holds no {', '.join(SEARCHED_SUFFIXES)} file", help="name a file instead"
        )
    return [item for name in names for item in load(str(name), toolchain, arch=arch)]


def _from_cuda(path: Path, toolchain: Toolchain, arch: str | None) -> LoadedInput:
    target = arch or DEFAULT_ARCH
    ptx = toolchain.compile_cuda(path, target)
    return LoadedInput(str(path), "cuda", Source.from_bytes(str(path), ptx), arch=target)


def _from_bytes(
    name: str, data: bytes, path: Path | None, toolchain: Toolchain, arch: str | None
) -> list[LoadedInput]:
    kind = kind_of(data)
    if kind is Kind.PTX:
        return [LoadedInput(name, "ptx", ptx_source(name, data))]
    if kind is Kind.DUMP:
        return [LoadedInput(source.name, "ptx", source) for source in split_dump(name, data)]
    if kind is Kind.UNKNOWN:
        if not data.strip(b"\0 \t\r\n"):
            raise InputError(f"{name} is empty", help="give a PTX file with .version and .target")
        raise InputError(
            f"{name} is neither text nor a known binary",
            help="ptxtool takes .ptx, .cu, cubin, fatbin, and files that hold them",
        )
    if kind is Kind.ELF and _is_cubin(data):
        return [LoadedInput(name, "cubin", None, data, architecture(data))]
    return _from_container(name, data, path, toolchain, arch)


def _is_cubin(data: bytes) -> bool:
    return len(data) > 20 and int.from_bytes(data[18:20], "little") == 190


def _from_container(
    name: str, data: bytes, path: Path | None, toolchain: Toolchain, arch: str | None
) -> list[LoadedInput]:
    """Fatbins, objects, libraries and executables, through cuobjdump."""
    with tempfile.TemporaryDirectory(prefix="ptxtool-") as folder:
        place = Path(folder)
        held = place / ("input" + (path.suffix if path else ".bin"))
        held.write_bytes(data)
        for what in ("-xptx", "-xelf"):
            toolchain.cuobjdump(held, what, "all", cwd=place)
        found = [*_extracted(name, place, "*.ptx", arch), *_extracted(name, place, "*.cubin", arch)]
    if not found:
        wanted = f" for {arch}" if arch else ""
        raise InputError(
            f"{name} holds no device code{wanted}", help="check with cuobjdump -lelf -lptx"
        )
    # The PTX says more; a cubin of the same target repeats it.
    ptx_targets = {item.arch for item in found if item.kind == "ptx"}
    return [item for item in found if item.kind == "ptx" or item.arch not in ptx_targets]


def _extracted(name: str, folder: Path, pattern: str, arch: str | None) -> list[LoadedInput]:
    found = []
    for path in sorted(folder.glob(pattern)):
        target = re.search(r"sm_\d+[af]?", path.name)
        own = target.group() if target else None
        if arch and own and not _serves(own, arch):
            continue
        label, data = f"{name}:{path.name}", path.read_bytes()
        if path.suffix == ".ptx":
            source = ptx_source(label, data.rstrip(b"\0"))
            found.append(LoadedInput(label, "ptx", source, arch=own))
        else:
            found.append(LoadedInput(label, "cubin", None, data, own or architecture(data)))
    return found


def _serves(own: str, arch: str) -> bool:
    """Code for a plain target serves its `a` and `f` variants, not the other way round."""
    return own == arch or (own[-1].isdigit() and own == arch.rstrip("af"))


def only_ptx(loaded: LoadedInput) -> Source:
    """The PTX of an input. Raises UsageError for a cubin."""
    if loaded.source is None:
        raise UsageError(f"{loaded.name} is machine code", help="give the PTX or the .cu")
    return loaded.source
