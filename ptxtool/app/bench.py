"""The use case `bench`: variants of a kernel, outputs first, then time."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ptxtool.app.assembled import assemble_input
from ptxtool.app.session import Tools, load_all
from ptxtool.core.diagnostics import Diagnostic
from ptxtool.core.errors import DeviceUnavailable, InputError, UsageError
from ptxtool.core.source import Source
from ptxtool.gpu import (
    BenchChange,
    BenchReport,
    CudaDevice,
    Device,
    Method,
    Plan,
    Variant,
    compare_reports,
    plan,
)
from ptxtool.gpu import bench as run_bench
from ptxtool.inputs import DEFAULT_ARCH, target_of
from ptxtool.launch import (
    DEFAULT_MAX_BYTES,
    LaunchSpec,
    check_parameters,
    find_spec,
    load_spec,
    parameters_of,
    spec_cases,
)
from ptxtool.syntax import parse
from ptxtool.toolchain import Toolchain

SCHEMA_VERSION = 1


@dataclass(frozen=True)
class BenchOutcome:
    """What ran, or what would run and why it did not."""

    plan: Plan
    report: BenchReport | None
    unavailable: str | None
    changes: tuple[BenchChange, ...] = ()

    @property
    def exit_code(self) -> int:
        """3 without a device, 1 for a wrong output or a regression, else 0."""
        if self.report is None:
            return 3
        regressed = any(change.is_regression for change in self.changes)
        return 1 if regressed or not self.report.all_correct else 0


def bench(
    path: Path,
    *,
    tools: Tools | None = None,
    baseline: Path | None = None,
    candidates: Sequence[Path] = (),
    archs: Sequence[str] = (),
    warm: bool = False,
    delta: float = 0.01,
    compare: Path | None = None,
    max_bytes: int = DEFAULT_MAX_BYTES,
    device: Device | None = None,
) -> BenchOutcome:
    """Compare and time variants. Raises InputError, UsageError, ToolError before any launch.

    Without a device everything up to the first driver call is done, and the outcome says what
    would have run.
    """
    spec = load_spec(_spec_path(path), max_bytes=max_bytes)
    toolchain = (tools or Tools()).toolchain()
    opened, reason = (device, None) if device else _open()
    files = _files(spec, path, baseline, candidates)
    arch = archs[0] if archs else _arch(opened, files, toolchain)
    variants = [_variant(name, file, arch, toolchain, spec) for name, file in files]
    method = Method(delta=delta, cold=not warm)
    intended = plan(spec, variants, method)
    if opened is None:
        return BenchOutcome(intended, None, reason)
    report = run_bench(opened, spec, variants, method)
    old = None if compare is None else _read_report(compare)
    changes = () if old is None else compare_reports(old, report.to_json(), delta=delta)
    return BenchOutcome(intended, report, None, changes)


def _open() -> tuple[Device | None, str | None]:
    try:
        return CudaDevice.open(), None
    except DeviceUnavailable as unavailable:
        return None, str(unavailable)


def _spec_path(path: Path) -> Path:
    """The spec itself, or the one beside a kernel file."""
    if path.suffix == ".toml":
        return path
    found = find_spec(path)
    if found is None:
        raise InputError(
            f"there is no launch spec beside {path}",
            help=f"draft one: ptxtool launch-spec {path} -o {path.stem}.launch.toml",
        )
    return found


def _files(
    spec: LaunchSpec, path: Path, baseline: Path | None, candidates: Sequence[Path]
) -> list[tuple[str, Path]]:
    """The baseline first, then every candidate, each under a name of its own."""
    first = baseline or spec.baseline
    others = list(candidates)
    if not others:
        beside = path if path.suffix == ".ptx" else _ptx_beside(path)
        others = [beside] if beside else []
    chosen = [*([first] if first else []), *others]
    if len(chosen) < 2:
        raise UsageError(
            f"{path}: nothing to compare",
            help="name a baseline (in the spec or with --baseline) and a --candidate",
        )
    return list(zip(_names(chosen), chosen, strict=True))


def _ptx_beside(path: Path) -> Path | None:
    stem = path.name.removesuffix(".launch.toml").removesuffix(".toml")
    found = path.with_name(f"{stem}.ptx")
    return found if found.is_file() else None


def _names(paths: Sequence[Path]) -> list[str]:
    names: list[str] = []
    for path in paths:
        name = path.name
        while name in names:
            name = f"{path.parent.name}/{name}" if path.parent.name not in name else name + "'"
        names.append(name)
    return names


def _arch(device: Device | None, files: Sequence[tuple[str, Path]], toolchain: Toolchain) -> str:
    """The device's own target, else that of the first PTX file."""
    if device is not None:
        return "sm_" + device.info.capability.replace(".", "")
    for _, file in files:
        if file.suffix == ".ptx":
            source = load_all([str(file)], toolchain)[0].source
            target = target_of(source) if source else None
            if target:
                return target
    return DEFAULT_ARCH


def _variant(name: str, path: Path, arch: str, toolchain: Toolchain, spec: LaunchSpec) -> Variant:
    (loaded, *more) = load_all([str(path)], toolchain, [arch])
    if more:
        raise UsageError(f"{path} holds several modules", help="bench compares single modules")
    if loaded.source is not None:
        _check_arguments(spec, loaded.source)
    made = assemble_input(loaded, arch, toolchain)
    version = made.assembly.ptxas_version if made.assembly else "given as a cubin"
    return Variant(name, made.cubin, tuple(made.entries), {"file": str(path), "ptxas": version})


def _check_arguments(spec: LaunchSpec, source: Source) -> None:
    """The spec's arguments must fit the kernel's parameters. Raises InputError."""
    kernels = {function.name: function for function in parse(source).kernels}
    case = spec_cases(spec)[0]
    found: list[Diagnostic] = []
    for name in spec.kernels:
        if name in kernels:
            found += check_parameters(spec, case, name, parameters_of(kernels[name]))
    if found:
        raise InputError(f"the launch spec does not fit {source.name}", diagnostics=found)


def _read_report(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path} is no benchmark report: {error}") from error
    report = found.get("report", found) if isinstance(found, dict) else None
    if not isinstance(report, dict):
        raise InputError(f"{path} is no benchmark report")
    return report
