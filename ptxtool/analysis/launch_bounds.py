"""What a kernel's directives promise about its launch."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from ptxtool.syntax import nodes


@dataclass(frozen=True)
class LaunchBounds:
    """Directives of one kernel; None where it does not say. Threads are per block."""

    required_threads: int | None = None
    maximum_threads: int | None = None
    minimum_blocks: int | None = None
    registers: int | None = None

    @property
    def threads(self) -> int | None:
        """The exact block size, else the largest one."""
        return self.required_threads or self.maximum_threads


def launch_bounds(kernel: nodes.Function) -> LaunchBounds:
    """Read .reqntid, .maxntid, .minnctapersm and .maxnreg."""
    return LaunchBounds(
        _product(kernel, "reqntid"),
        _product(kernel, "maxntid"),
        _product(kernel, "minnctapersm"),
        _product(kernel, "maxnreg"),
    )


def _product(kernel: nodes.Function, name: str) -> int | None:
    found = kernel.directive(name)
    if found is None or not found.values:
        return None
    try:
        return prod(int(value, 0) for value in found.values)
    except ValueError:
        return None
