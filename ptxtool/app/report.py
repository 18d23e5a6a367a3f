"""The report objects of the use cases: what `render/` draws and the Python API returns.

Units: registers are per thread; bytes are bytes per thread for stack and spills, per block for
shared memory; cycles are sums of stall counts, a lower bound that ignores scoreboard waits.
`None` means unknown or not applicable, never zero.
"""

from __future__ import annotations

from dataclasses import dataclass

from ptxtool.analysis.finding import Finding
from ptxtool.analysis.mix import InstructionMix
from ptxtool.analysis.occupancy import Occupancy, Point
from ptxtool.analysis.pressure import Pressure
from ptxtool.core.diagnostics import Diagnostic

SCHEMA_VERSION = 1


@dataclass(frozen=True)
class BlockReport:
    """One basic block of the machine code. `cycles` is its sum of stalls for one pass."""

    index: int
    first_offset: int
    instructions: int
    cycles: int
    loop_depth: int
    ptx_lines: tuple[int, ...]


@dataclass(frozen=True)
class HotLine:
    """A PTX line where many registers are live, and what became of it."""

    line: int
    live_registers: int
    text: str
    sass_instructions: int | None
    cycles: int | None


@dataclass(frozen=True)
class KernelReport:
    """Everything known of one kernel on one target."""

    kernel: str
    arch: str
    file: str
    line: int | None
    ptxas_version: str | None
    registers: int | None
    spill_store_bytes: int | None
    spill_load_bytes: int | None
    stack_bytes: int | None
    shared_bytes: int | None
    constant_bytes: int | None
    barriers: int | None
    block_threads: int | None
    block_threads_source: str | None
    occupancy: Occupancy | None
    occupancy_curve: tuple[Point, ...]
    pressure: Pressure | None
    hot_lines: tuple[HotLine, ...]
    mix: InstructionMix | None
    sass_instructions: int | None
    sass_blocks: tuple[BlockReport, ...]
    cycles_path: int | None
    cycles_weighted: int | None
    findings: tuple[Finding, ...]

    @property
    def limiter(self) -> str | None:
        """What keeps more blocks off the SM, or None when the block size is unknown."""
        return None if self.occupancy is None else self.occupancy.limiter


@dataclass(frozen=True)
class AnalyzeReport:
    """All kernels of all inputs, and what was wrong with the inputs."""

    kernels: tuple[KernelReport, ...]
    diagnostics: tuple[Diagnostic, ...]
    notes: tuple[str, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings of every kernel."""
        return tuple(finding for kernel in self.kernels for finding in kernel.findings)
