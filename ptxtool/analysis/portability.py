"""Where a module assembles, what it costs there, and what keeps it from older targets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from ptxtool import machine, sass
from ptxtool.analysis.decisions import decisions
from ptxtool.analysis.finding import Finding
from ptxtool.analysis.launch_bounds import launch_bounds
from ptxtool.analysis.occupancy import Occupancy, occupancy
from ptxtool.core.diagnostics import Diagnostic
from ptxtool.core.errors import ToolCrashed, ToolRefused, ToolTimeout
from ptxtool.syntax import nodes
from ptxtool.toolchain import Assembly, Toolchain


class Verdict(StrEnum):
    """Whether a module assembles for a target."""

    ASSEMBLES = "assembles"
    RETARGETED = "assembles with another .target"
    REFUSED = "refused"
    CRASHED = "ptxas crashed"
    TIMED_OUT = "ptxas timed out"


@dataclass(frozen=True)
class KernelOnTarget:
    """One kernel's figures on one target; bytes and cycles per thread and warp, None is unknown.

    Cycles are sums of stall counts: a lower bound that leaves out waiting for memory.
    """

    kernel: str
    registers: int | None
    spill_store_bytes: int | None
    spill_load_bytes: int | None
    stack_bytes: int | None
    shared_bytes: int | None
    occupancy: Occupancy | None  # None: the block size is not known
    sass_instructions: int | None
    cycles_path: int | None
    cycles_weighted: int | None


@dataclass(frozen=True)
class TargetReport:
    """One target. `offence` is the first error in file order, `errors` how many there are."""

    target: str
    verdict: Verdict
    offence: Diagnostic | None
    errors: int
    kernels: tuple[KernelOnTarget, ...]
    findings: tuple[Finding, ...]

    @property
    def assembles(self) -> bool:
        """As written."""
        return self.verdict is Verdict.ASSEMBLES


@dataclass(frozen=True)
class Portability:
    """A module over a list of targets."""

    name: str
    version: str | None
    target: tuple[str, ...]
    reports: tuple[TargetReport, ...]
    ptxas_version: str
    driver: int | None  # oldest branch that loads `version`; None is unknown

    @property
    def minimum_target(self) -> str | None:
        """The oldest of the targets where the code assembles, .target adapted if need be."""
        fits = (Verdict.ASSEMBLES, Verdict.RETARGETED)
        names = [each.target for each in self.reports if each.verdict in fits]
        return min(names, key=_age, default=None)

    @property
    def is_locked(self) -> bool:
        """Whether the written target is of one architecture or family only."""
        return bool(self.target) and self.target[0][-1:] in ("a", "f")


def portability(
    module: nodes.Module,
    targets: Iterable[str],
    toolchain: Toolchain,
    *,
    threads: int | None = None,
) -> Portability:
    """Assemble a module for each target; `threads` per block where a kernel does not say.

    Where ptxas refuses the module as written, it is asked again with the target (and, if that
    needs it, a later .version) in the file, so that the first line that truly needs more is found.
    Raises UsageError for an unknown target and ToolMissing.
    """
    names = tuple(dict.fromkeys(targets))
    for name in names:
        machine.model(name)
    version = module.version
    return Portability(
        module.source.name,
        version,
        module.target,
        tuple(_on(module, name, toolchain, threads) for name in names),
        toolchain.ptxas_version,
        machine.driver_for(version) if version else None,
    )


def minimum_version(module: nodes.Module, toolchain: Toolchain) -> str | None:
    """The oldest `.version` with which the module still assembles for its own target.

    None when it does not assemble as it is, or says neither version nor target.
    """
    if module.version is None or not module.target:
        return None
    target = module.target[0]
    written = _order(module.version)
    texts = [each.version for each in machine.ptx_versions() if _order(each.version) <= written]
    if not texts or not _takes(module, texts[-1], target, toolchain):
        return None
    low, high = 0, len(texts) - 1
    while low < high:
        middle = (low + high) // 2
        if _takes(module, texts[middle], target, toolchain):
            high = middle
        else:
            low = middle + 1
    return texts[low]


def locked_features(module: nodes.Module, toolchain: Toolchain) -> tuple[Diagnostic, ...]:
    """What ties a module of an "a" or "f" target to it, in file order.

    ptxas is asked for the bare target of the same capability: each error is one such use. Empty
    for a module without a suffix, and for one that needs none.
    """
    written = module.target[0] if module.target else ""
    bare = written.rstrip("af")
    if bare == written or bare not in machine.known():
        return ()
    try:
        toolchain.assemble(retarget(module, bare), bare, name=module.source.name)
    except ToolRefused as refused:
        return tuple(sorted(refused.diagnostics, key=_line_of))
    return ()


def retarget(module: nodes.Module, target: str) -> bytes:
    """The module's bytes for another target: `.target`, and `.version` if it is too old for it."""
    version = module.version
    since = machine.ptx_since(target)
    later = version is not None and _order(version) < _order(since)
    return _edited(module, since if later else None, target)


def _takes(module: nodes.Module, version: str, target: str, toolchain: Toolchain) -> bool:
    try:
        toolchain.assemble(_edited(module, version, None), target, lineinfo=False)
    except (ToolRefused, ToolCrashed, ToolTimeout):
        return False
    return True


def _edited(module: nodes.Module, version: str | None, target: str | None) -> bytes:
    """The text with another version or target; line numbers stay as they are."""
    text = module.source.text
    for statement in reversed(module.statements):
        if not isinstance(statement, nodes.Directive) or not statement.values:
            continue
        new = {"version": version, "target": target}.get(statement.name)
        if new is None:
            continue
        old = statement.values[0]
        at = text.index(old, statement.start)
        text = text[:at] + new + text[at + len(old) :]
    return text.encode("latin-1")


def _on(
    module: nodes.Module, target: str, toolchain: Toolchain, threads: int | None
) -> TargetReport:
    name = module.source.name
    verdict, attempt = Verdict.ASSEMBLES, module.source.to_bytes()
    try:
        try:
            assembly = toolchain.assemble(attempt, target, name=name)
        except ToolRefused:
            verdict = Verdict.RETARGETED
            assembly = toolchain.assemble(retarget(module, target), target, name=name)
    except ToolRefused as refused:
        found = sorted(refused.diagnostics, key=_line_of)
        first = found[0] if found else None
        return TargetReport(target, Verdict.REFUSED, first, len(found), (), ())
    except ToolCrashed:
        return TargetReport(target, Verdict.CRASHED, None, 0, (), ())
    except ToolTimeout:
        return TargetReport(target, Verdict.TIMED_OUT, None, 0, (), ())
    kernels = _kernels(module, target, assembly, toolchain, threads)
    return TargetReport(target, verdict, None, 0, kernels, decisions(assembly.messages))


def _kernels(
    module: nodes.Module,
    target: str,
    assembly: Assembly,
    toolchain: Toolchain,
    threads: int | None,
) -> tuple[KernelOnTarget, ...]:
    shown = toolchain.disassemble(assembly.cubin)
    code = sass.read(assembly.cubin, shown.listing, None)
    return tuple(
        _kernel(kernel, target, assembly, code, threads)
        for kernel in module.kernels
        if kernel.name in assembly.functions
    )


def _kernel(
    kernel: nodes.Function,
    target: str,
    assembly: Assembly,
    code: Mapping[str, sass.Function],
    threads: int | None,
) -> KernelOnTarget:
    figures = assembly.functions[kernel.name]
    function = code.get(kernel.name)
    block = launch_bounds(kernel).threads or threads
    fit = None
    if block is not None and figures.registers is not None:
        fit = occupancy(
            machine.model(target),
            registers=figures.registers,
            threads=block,
            shared_bytes=figures.shared_bytes or 0,
            barriers=figures.barriers or 0,
        )
    return KernelOnTarget(
        kernel.name,
        figures.registers,
        figures.spill_store_bytes,
        figures.spill_load_bytes,
        figures.stack_bytes,
        figures.shared_bytes,
        fit,
        len(function.instructions) if function else None,
        function.cycles_path if function else None,
        function.cycles_weighted if function else None,
    )


def _line_of(diagnostic: Diagnostic) -> int:
    """File order; messages without a line come last."""
    line = diagnostic.span.line if diagnostic.span is not None else diagnostic.line
    return line if line is not None else 1 << 60


def _age(target: str) -> tuple[tuple[int, int], str]:
    return machine.model(target).capability, target


def _order(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())
