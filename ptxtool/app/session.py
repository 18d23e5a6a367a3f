"""What every use case starts from: the tools, the inputs, the kernels and targets asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from ptxtool.core.errors import UsageError
from ptxtool.inputs import LoadedInput, load, target_of
from ptxtool.toolchain import Toolchain


@dataclass(frozen=True)
class Tools:
    """Where the CUDA tools are; `None` leaves the search to the toolchain."""

    ptxas: str | None = None
    nvdisasm: str | None = None
    cuobjdump: str | None = None
    nvcc: str | None = None
    timeout: float = 300.0
    no_cache: bool = False

    def toolchain(self) -> Toolchain:
        """The toolchain; its tools are looked for when they are first needed."""
        return Toolchain.discover(
            ptxas=self.ptxas,
            nvdisasm=self.nvdisasm,
            cuobjdump=self.cuobjdump,
            nvcc=self.nvcc,
            cache=False if self.no_cache else None,
            timeout=self.timeout,
        )


def load_all(
    paths: Sequence[str], toolchain: Toolchain, archs: Sequence[str] = ()
) -> list[LoadedInput]:
    """Every input behind the paths. Raises InputError on the first that cannot be read."""
    arch = archs[0] if archs else None
    return [loaded for path in paths for loaded in load(path, toolchain, arch=arch)]


def targets_for(loaded: LoadedInput, archs: Sequence[str]) -> tuple[str, ...]:
    """The targets asked for, else the one that the file names. Raises UsageError without any."""
    if archs:
        return tuple(dict.fromkeys(archs))
    own = loaded.arch or (None if loaded.source is None else target_of(loaded.source))
    if own is None:
        raise UsageError(f"{loaded.name}: no target is known", help="name one with --arch sm_90")
    return (own,)


def wanted(name: str, pattern: str | None) -> bool:
    """Whether a kernel is asked for; a plain text without wildcards matches a part of the name."""
    if pattern is None:
        return True
    if any(mark in pattern for mark in "*?["):
        return fnmatchcase(name, pattern)
    return pattern in name
