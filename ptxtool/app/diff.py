"""The use case `diff`: the machine code of two files, kernel by kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ptxtool import sass
from ptxtool.app.assembled import Assembled, assemble_input, declared_threads, kernel_cost
from ptxtool.app.session import Tools, load_all, targets_for, wanted
from ptxtool.core.errors import InputError, UsageError
from ptxtool.cost import Judgement, KernelCost, judge
from ptxtool.inputs import LoadedInput
from ptxtool.sass import FunctionDiff, FunctionVerdict
from ptxtool.syntax import parse
from ptxtool.toolchain import Toolchain

SCHEMA_VERSION = 1


@dataclass(frozen=True)
class KernelDiff:
    """One kernel on one target. `code` is None when only one side has it."""

    kernel: str
    arch: str
    verdict: str
    code: FunctionDiff | None
    before: KernelCost | None
    after: KernelCost | None
    judgement: Judgement | None


@dataclass(frozen=True)
class DiffReport:
    """All kernels of both sides."""

    before: str
    after: str
    kernels: tuple[KernelDiff, ...]
    tool_versions: tuple[str, ...]

    @property
    def identical(self) -> bool:
        """Whether every kernel is there twice with the same machine code."""
        return all(item.verdict == FunctionVerdict.IDENTICAL for item in self.kernels)


def diff(
    before: str,
    after: str,
    *,
    tools: Tools | None = None,
    archs: Sequence[str] = (),
    kernel: str | None = None,
) -> DiffReport:
    """Compare two inputs. Raises UsageError when their targets differ, InputError without kernels.

    Both sides are assembled for the same targets: those asked for, else the one they both name.
    """
    toolchain = (tools or Tools()).toolchain()
    first, second = _one(before, toolchain, archs), _one(after, toolchain, archs)
    kernels = [
        item
        for arch in _targets(first, second, archs)
        for item in _on_target(first, second, arch, kernel, toolchain)
    ]
    versions = (f"ptxas {toolchain.ptxas_version}",) if first.source or second.source else ()
    return DiffReport(first.name, second.name, tuple(kernels), versions)


def _one(path: str, toolchain: Toolchain, archs: Sequence[str]) -> LoadedInput:
    inputs = load_all([path], toolchain, archs)
    if len(inputs) != 1:
        names = ", ".join(item.name for item in inputs[:4])
        raise UsageError(
            f"{path} holds {len(inputs)} modules ({names})", help="compare one at a time"
        )
    return inputs[0]


def _targets(first: LoadedInput, second: LoadedInput, archs: Sequence[str]) -> tuple[str, ...]:
    mine, theirs = targets_for(first, archs), targets_for(second, archs)
    if mine != theirs:
        raise UsageError(
            f"the targets differ: {first.name} is for {mine[0]}, {second.name} for {theirs[0]}",
            help="name one target for both with --arch",
        )
    return mine


def _on_target(
    first: LoadedInput, second: LoadedInput, arch: str, pattern: str | None, toolchain: Toolchain
) -> list[KernelDiff]:
    a = assemble_input(first, arch, toolchain)
    b = assemble_input(second, arch, toolchain)
    names = [name for name in dict.fromkeys([*a.entries, *b.entries]) if wanted(name, pattern)]
    for side, loaded in ((a, first), (b, second)):
        if not [name for name in side.entries if wanted(name, pattern)]:
            raise InputError(
                f"{loaded.name} has no kernel{f' that matches {pattern!r}' if pattern else ''}",
                help="nothing was compared; an empty file is never called identical",
            )
    threads = {**_threads(second), **_threads(first)}
    return [_kernel(name, a, b, threads.get(name)) for name in names]


def _kernel(name: str, a: Assembled, b: Assembled, threads: int | None) -> KernelDiff:
    before = kernel_cost(a, name, threads) if name in a.functions else None
    after = kernel_cost(b, name, threads) if name in b.functions else None
    if before is None or after is None:
        verdict = "added" if before is None else "removed"
        return KernelDiff(name, a.arch, verdict, None, before, after, None)
    code = sass.diff(a.functions[name], b.functions[name])
    return KernelDiff(name, a.arch, str(code.verdict), code, before, after, judge(before, after))


def _threads(loaded: LoadedInput) -> dict[str, int]:
    if loaded.source is None:
        return {}
    found = {f.name: declared_threads(f)[0] for f in parse(loaded.source).kernels}
    return {name: threads for name, threads in found.items() if threads is not None}
