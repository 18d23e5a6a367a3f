"""Reading a launch spec from a file: the border where problems become diagnostics."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from ptxtool.core.diagnostics import Diagnostic, Severity
from ptxtool.core.errors import InputError
from ptxtool.core.source import Source
from ptxtool.launch.case import Buffer, Case
from ptxtool.launch.dtypes import DType
from ptxtool.launch.floats import Array
from ptxtool.launch.initial import encode_array, initial_bytes, load_array
from ptxtool.launch.locate import Locator
from ptxtool.launch.model import Edge, Initial, LaunchSpec
from ptxtool.launch.problems import NOT_TOML, OVER_LIMIT, SpecProblem
from ptxtool.launch.reader import Reader
from ptxtool.launch.resolve import DEFAULT_MAX_BYTES, resolve
from ptxtool.launch.table import Problems

MAX_SPEC_BYTES = 1 << 20
_TOML_PLACE = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)")


def find_spec(kernel_file: Path) -> Path | None:
    """The spec beside a kernel file: `NAME.launch.toml`, else `launch.toml`; None without one."""
    for name in (f"{kernel_file.stem}.launch.toml", "launch.toml"):
        candidate = kernel_file.parent / name
        if candidate.is_file():
            return candidate
    return None


def find_kernel(spec_file: Path) -> Path | None:
    """The PTX beside a spec: `NAME.ptx` for `NAME.launch.toml`, else the only .ptx; or None."""
    named = spec_file.with_name(spec_file.name.removesuffix(".launch.toml") + ".ptx")
    if named.is_file():
        return named
    found = sorted(spec_file.parent.glob("*.ptx"))
    return found[0] if len(found) == 1 else None


def load_spec(path: Path, *, max_bytes: int = DEFAULT_MAX_BYTES) -> LaunchSpec:
    """Read and check a launch spec. Raises InputError with diagnostics."""
    try:
        size = path.stat().st_size
        if size > MAX_SPEC_BYTES:
            message = f"the spec has {size} bytes: at most {MAX_SPEC_BYTES} are read"
            _refuse([Diagnostic(OVER_LIMIT, Severity.ERROR, message, file=str(path))])
        source = Source.read(path)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None
    return parse_spec(source, path.parent, max_bytes=max_bytes)


def parse_spec(source: Source, folder: Path, *, max_bytes: int = DEFAULT_MAX_BYTES) -> LaunchSpec:
    """Check a spec whose files lie in `folder`. Raises InputError with diagnostics."""
    content = _parse_toml(source)
    try:
        locator = Locator(source)
    except RecursionError:
        _refuse([_toml_problem(source, "nested too deeply", 0)])
    reader = Reader(source, locator, folder)
    spec = reader.read(content)
    if spec is None:
        _refuse(reader.problems.diagnostics)
    _check_initialisers(spec, spec_cases(spec, max_bytes=max_bytes))
    return spec


def _check_initialisers(spec: LaunchSpec, cases: tuple[Case, ...]) -> None:
    """Try every initialiser on one element, so that a bad one is told before the work starts."""
    problems = Problems(spec.locator)
    for case in cases:
        for buffer in case.buffers.values():
            if isinstance(buffer.initial, Initial) and buffer.initial.kind == "file":
                continue
            with problems.collect():
                initial_bytes(replace(buffer, shape=(1,)), case)
    if problems.diagnostics:
        _refuse(problems.diagnostics)


def spec_cases(spec: LaunchSpec, *, max_bytes: int = DEFAULT_MAX_BYTES) -> tuple[Case, ...]:
    """The runs of a spec: itself first, then with the next seed, then its edges.

    Raises InputError with diagnostics.
    """
    problems = Problems(spec.locator)
    wanted: list[tuple[Edge | None, str, int]] = [
        (None, "spec", spec.seed),
        (Edge({}, {}, {}, None, ()), f"seed {spec.seed + 1}", spec.seed + 1),
    ]
    wanted += [
        (edge, _edge_label(number, edge), spec.seed if edge.seed is None else edge.seed)
        for number, edge in enumerate(spec.edges, start=1)
    ]
    cases = []
    for edge, label, seed in wanted:
        with problems.collect():
            cases.append(resolve(spec, edge, label, seed, max_bytes))
    if problems.diagnostics:
        _refuse(problems.diagnostics)
    return tuple(cases)


def _edge_label(number: int, edge: Edge) -> str:
    changes = [f"{name}={value.value}" for name, value in edge.sizes.items()]
    changes += [f"{name}:{getattr(init, 'kind', 'fields')}" for name, init in edge.initials.items()]
    changes += list(edge.scalars) + ([f"seed={edge.seed}"] if edge.seed is not None else [])
    return f"edge {number} ({', '.join(changes) or 'no change'})"


def initial_data(spec: LaunchSpec, case: Case) -> Mapping[str, Array | None]:
    """The initial bytes of each buffer of a run; None for those that start poisoned.

    Raises InputError with diagnostics.
    """
    problems = Problems(spec.locator)
    data: dict[str, Array | None] = {}
    for name, buffer in case.buffers.items():
        with problems.collect():
            data[name] = initial_bytes(buffer, case)
    if problems.diagnostics:
        _refuse(problems.diagnostics)
    return data


def expected_data(spec: LaunchSpec, buffer: Buffer) -> Array | None:
    """The bytes that an output's `expect` file holds; None without one.

    Raises InputError with diagnostics.
    """
    if buffer.expect is None or not isinstance(buffer.type, DType):
        return None
    path = (*spec.buffers[buffer.name].path, "output", "expect")
    try:
        codes = encode_array(buffer.type, load_array(buffer.expect, path), buffer.shape, path)
    except SpecProblem as problem:
        problems = Problems(spec.locator)
        problems.add(problem)
        _refuse(problems.diagnostics)
    return buffer.type.pack(codes)


def _parse_toml(source: Source) -> dict[str, Any]:
    try:
        return tomllib.loads(source.to_bytes().decode("utf-8"))
    except UnicodeDecodeError as error:
        _refuse([_toml_problem(source, "not UTF-8", error.start)])
    except RecursionError:
        _refuse([_toml_problem(source, "nested too deeply", 0)])
    except ValueError as error:
        place = _TOML_PLACE.search(str(error))
        message = _TOML_PLACE.sub("", str(error))
        _refuse([_toml_problem(source, message, _offset(source, place))])


def _offset(source: Source, place: re.Match[str] | None) -> int:
    """The byte offset of tomllib's line and column, which count characters."""
    if place is None:
        return 0
    if place[1] is None:
        return max(len(source.text.rstrip()) - 1, 0)
    line, column = int(place[1]), int(place[2])
    start = source.line_starts[min(line, len(source.line_starts)) - 1]
    text = source.text[start:].encode("latin-1").decode("utf-8", "replace")
    return min(start + len(text[: column - 1].encode("utf-8")), len(source.text))


def _toml_problem(source: Source, message: str, offset: int) -> Diagnostic:
    help = "the format is described in docs/launch-spec.md"
    span = source.span(offset, offset + 1)
    return Diagnostic(NOT_TOML, Severity.ERROR, f"not TOML: {message}", span, help)


def _refuse(diagnostics: list[Diagnostic]) -> NoReturn:
    count = len(diagnostics)
    message = f"the launch spec has {count} error{'s' if count > 1 else ''}"
    raise InputError(message, diagnostics=diagnostics)
