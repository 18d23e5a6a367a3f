"""A launch spec as written: immutable, with expressions not yet evaluated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ptxtool.core.source import Source
from ptxtool.launch.layouts import Type
from ptxtool.launch.locate import Locator
from ptxtool.launch.number import Number
from ptxtool.launch.problems import KeyPath
from ptxtool.launch.tolerance import Tolerance

# A value in a spec: a number, a list of them, or a table of them for a layout.
Value = Number | tuple["Value", ...] | Mapping[str, "Value"]


@dataclass(frozen=True)
class Initial:
    """How a buffer, or one field of a buffer of structs, is filled."""

    kind: str
    numbers: Mapping[str, Number] = field(default_factory=dict)
    values: tuple[Number, ...] = ()
    file: Path | None = None
    path: KeyPath = ()


@dataclass(frozen=True)
class FieldInitials:
    """How each field of a buffer of structs is filled; a field left out is zero."""

    fields: Mapping[str, Initial]
    path: KeyPath = ()


@dataclass(frozen=True)
class Output:
    """How an output is judged; without a tolerance of its own the type's default holds."""

    tolerance: Tolerance | None = None
    expect: Path | None = None
    partial: bool = False
    path: KeyPath = ()


@dataclass(frozen=True)
class BufferSpec:
    """`[buffer.NAME]`. Alignment in bytes."""

    name: str
    type: Type
    shape: tuple[Number, ...]
    initial: Initial | FieldInitials | None
    output: Output | None
    alignment: int
    offset: Number
    path: KeyPath


@dataclass(frozen=True)
class ScalarSpec:
    """`[scalar.NAME]`, or an argument without a name."""

    name: str
    type: Type
    value: Value
    path: KeyPath


@dataclass(frozen=True)
class AddressSpec:
    """An argument that is an address: a buffer and an offset in bytes."""

    buffer: str
    offset: Number
    path: KeyPath


ArgumentSpec = ScalarSpec | AddressSpec


@dataclass(frozen=True)
class LaunchTemplate:
    """`[[launch]]`. Shared memory in bytes."""

    kernel: str
    grid: tuple[Number, ...]
    block: tuple[Number, ...]
    cluster: tuple[Number, ...]
    shared: Number
    static_shared: Number | None
    cooperative: bool
    arguments: tuple[ArgumentSpec, ...]
    path: KeyPath


@dataclass(frozen=True)
class Edge:
    """`[[edge]]`: what differs from the spec in one further correctness run."""

    sizes: Mapping[str, Number]
    initials: Mapping[str, Initial | FieldInitials]
    scalars: Mapping[str, Value]
    seed: int | None
    path: KeyPath


@dataclass(frozen=True)
class LaunchSpec:
    """A whole spec. `folder` is where its files must lie."""

    source: Source = field(repr=False)
    locator: Locator = field(repr=False)
    folder: Path
    description: str
    seed: int
    baseline: Path | None
    sizes: Mapping[str, Number]
    scalars: Mapping[str, ScalarSpec]
    buffers: Mapping[str, BufferSpec]
    launches: tuple[LaunchTemplate, ...]
    rates: Mapping[str, Number]
    edges: tuple[Edge, ...]

    @property
    def kernels(self) -> tuple[str, ...]:
        """Names of the kernels it launches, in order, each once."""
        return tuple(dict.fromkeys(launch.kernel for launch in self.launches))
