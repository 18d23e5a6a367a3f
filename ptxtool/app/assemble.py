"""The use case `assemble`: PTX or CUDA to a cubin, and what each kernel uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ptxtool.app.session import Tools, load_all, targets_for, wanted
from ptxtool.core.diagnostics import Diagnostic
from ptxtool.core.errors import InputError, UsageError
from ptxtool.core.files import write_atomically
from ptxtool.core.source import Source
from ptxtool.inputs import only_ptx
from ptxtool.toolchain import Assembly, FunctionResources, Toolchain, diagnostics_of

SCHEMA_VERSION = 1


@dataclass(frozen=True)
class AssembledFile:
    """One cubin that was written."""

    arch: str
    output: str
    size_bytes: int
    ptxas_version: str
    seconds: float
    from_cache: bool
    functions: tuple[FunctionResources, ...]
    messages: tuple[Diagnostic, ...]


@dataclass(frozen=True)
class AssembleReport:
    """All cubins of one input."""

    file: str
    cubins: tuple[AssembledFile, ...]


def assemble(
    path: str,
    *,
    tools: Tools | None = None,
    archs: Sequence[str] = (),
    kernel: str | None = None,
    output: Path | None = None,
    options: Sequence[str] = (),
) -> AssembleReport:
    """Assemble one module for each target. Raises InputError, UsageError, ToolError."""
    toolchain = (tools or Tools()).toolchain()
    inputs = load_all([path], toolchain, archs)
    if len(inputs) != 1:
        raise UsageError(f"{path} holds {len(inputs)} modules", help="assemble one file at a time")
    source = only_ptx(inputs[0])
    targets = targets_for(inputs[0], archs)
    made = [
        _one(source, arch, kernel, output, len(targets) > 1, options, toolchain) for arch in targets
    ]
    return AssembleReport(inputs[0].name, tuple(made))


def _one(
    source: Source,
    arch: str,
    kernel: str | None,
    output: Path | None,
    several: bool,
    options: Sequence[str],
    toolchain: Toolchain,
) -> AssembledFile:
    assembly = toolchain.assemble(
        source.to_bytes(), arch, name=source.name, kernel=_only(source, kernel), options=options
    )
    target = _output(source, arch, output, several)
    write_atomically(target, assembly.cubin)
    return _file(assembly, source, target)


def _only(source: Source, pattern: str | None) -> str | None:
    """The one kernel that is asked for, None for all."""
    if pattern is None:
        return None
    from ptxtool.syntax import parse

    names = [function.name for function in parse(source).kernels if wanted(function.name, pattern)]
    if len(names) != 1:
        raise UsageError(
            f"--kernel {pattern} matches {len(names)} kernels of {source.name}",
            help="name exactly one, or leave it out to assemble all",
        )
    return names[0]


def _output(source: Source, arch: str, output: Path | None, several: bool) -> Path:
    if output is None:
        stem = Path("stdin" if source.name.startswith("<") else source.name.replace(":", "_"))
        output = stem.with_suffix(".cubin")
    if several:
        output = output.with_name(f"{output.stem}.{arch}{output.suffix}")
    if output.is_dir():
        raise InputError(f"{output} is a folder", help="name the cubin with -o")
    return output


def _file(assembly: Assembly, source: Source, target: Path) -> AssembledFile:
    return AssembledFile(
        assembly.arch,
        str(target),
        len(assembly.cubin),
        assembly.ptxas_version,
        assembly.seconds,
        assembly.from_cache,
        tuple(assembly.functions.values()),
        diagnostics_of(list(assembly.messages), source),
    )
