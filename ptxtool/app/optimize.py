"""The use case `optimize`: rewrite, measure, keep what pays."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ptxtool import rewrite
from ptxtool.app.assembled import declared_threads, measure_kernel
from ptxtool.app.session import Tools, load_all, targets_for, wanted
from ptxtool.core.errors import InputError, UsageError
from ptxtool.core.files import write_atomically
from ptxtool.core.source import Source
from ptxtool.cost import KernelCost
from ptxtool.inputs import only_ptx
from ptxtool.rewrite import RewriteReport, Rule
from ptxtool.syntax import nodes, parse
from ptxtool.toolchain import Toolchain

SCHEMA_VERSION = 1


@dataclass(frozen=True)
class OptimizeResult:
    """The report with the name of its file and the assembler that judged."""

    file: str
    report: RewriteReport
    ptxas_version: str

    def unified_diff(self) -> str:
        """The change as a unified diff, empty without one."""
        before = self.report.before.text.splitlines(keepends=True)
        after = self.report.after.text.splitlines(keepends=True)
        return "".join(difflib.unified_diff(before, after, self.file, f"{self.file} (optimized)"))


def rules(names: Sequence[str] = ()) -> tuple[Rule, ...]:
    """The rules of these names, all safe ones without a name. Raises UsageError."""
    known = {rule.name: rule for rule in rewrite.all_rules()}
    unknown = [name for name in names if name not in known]
    if unknown:
        near = difflib.get_close_matches(unknown[0], known, n=1)
        hint = f"did you mean {near[0]}?" if near else "`ptxtool optimize --list-rules` lists them"
        raise UsageError(f"there is no rule {unknown[0]}", help=hint)
    return tuple(known[name] for name in names) if names else tuple(known.values())


def optimize_file(
    path: str,
    *,
    tools: Tools | None = None,
    archs: Sequence[str] = (),
    kernel: str | None = None,
    rules: Sequence[str] = (),
) -> OptimizeResult:
    """Optimize one module. Raises InputError with syntax errors, UsageError, ToolError."""
    chosen = globals()["rules"](rules)
    toolchain = (tools or Tools()).toolchain()
    inputs = load_all([path], toolchain, archs)
    if len(inputs) != 1:
        raise UsageError(f"{path} holds {len(inputs)} modules", help="optimize one file at a time")
    source = only_ptx(inputs[0])
    targets = targets_for(inputs[0], archs)
    threads = _threads(source, kernel)
    report = rewrite.optimize(
        source,
        archs=targets,
        kernels=list(threads),
        rules=chosen,
        measure=_Measure(threads, toolchain),
    )
    _check_whole(report, toolchain)
    return OptimizeResult(inputs[0].name, report, toolchain.ptxas_version)


class _Measure:
    """The gate's measurement, with the block size of each kernel."""

    def __init__(self, threads: dict[str, int | None], toolchain: Toolchain) -> None:
        self.threads, self.toolchain = threads, toolchain

    def __call__(self, source: Source, kernel: str, arch: str) -> KernelCost:
        return measure_kernel(source, kernel, arch, self.threads[kernel], self.toolchain)


def _threads(source: Source, pattern: str | None) -> dict[str, int | None]:
    """The kernels asked for, with their declared block sizes."""
    module = parse(source)
    if module.diagnostics:
        raise InputError(
            f"{source.name} has syntax errors",
            diagnostics=module.diagnostics,
            help="nothing was written; mend them first",
        )
    found = {f.name: declared_threads(f)[0] for f in module.kernels if wanted(f.name, pattern)}
    if not found:
        raise InputError(f"{source.name} has no kernel to optimize", help="check --kernel")
    return found


def _check_whole(report: RewriteReport, toolchain: Toolchain) -> None:
    """The result parses and assembles as a whole, or the tool says that it failed."""
    if not report.changed:
        return
    module: nodes.Module = parse(report.after)
    if module.diagnostics:
        raise InputError(
            "internal fault: the rewritten module does not parse; nothing was written",
            diagnostics=module.diagnostics,
        )
    for arch in report.archs:
        toolchain.assemble(report.after.to_bytes(), arch, name=f"{report.after.name} (optimized)")


def write(result: OptimizeResult, output: Path | None) -> None:
    """Write the rewritten (or unchanged) bytes; nothing without an output."""
    if output is None:
        return
    data = result.report.after.to_bytes()
    if str(output) == "-":
        import sys

        sys.stdout.buffer.write(data)
    else:
        write_atomically(output, data)
