"""From the tables of a TOML document to a LaunchSpec."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ptxtool.core.source import Source
from ptxtool.launch.expressions import RESERVED
from ptxtool.launch.layouts import Layout, Type
from ptxtool.launch.locate import Locator
from ptxtool.launch.model import (
    AddressSpec,
    ArgumentSpec,
    BufferSpec,
    Edge,
    LaunchSpec,
    LaunchTemplate,
    ScalarSpec,
    Value,
)
from ptxtool.launch.number import Number
from ptxtool.launch.problems import (
    BAD_KEY,
    BAD_VALUE,
    OVER_LIMIT,
    UNKNOWN_NAME,
    KeyPath,
    SpecProblem,
)
from ptxtool.launch.read_data import read_initial, read_layout, read_output, read_type, read_value
from ptxtool.launch.table import Problems, Table, at_most, inside, number

MAX_BUFFERS = 64
MAX_ARGUMENTS = 256
MAX_LAUNCHES = 64
MAX_EDGES = 64
MAX_ALIGNMENT = 4096
_BASELINES = (".cu", ".ptx", ".cubin")


class Reader:
    """Reads one document, noting every problem it can find."""

    def __init__(self, source: Source, locator: Locator, folder: Path) -> None:
        self.problems = Problems(locator)
        self._source = source
        self._locator = locator
        self._folder = folder
        self._layouts: dict[str, Layout] = {}
        self._sizes: dict[str, Number] = {}
        self._scalars: dict[str, ScalarSpec] = {}
        self._buffers: dict[str, BufferSpec] = {}
        self._declared: set[str] = set()  # also those with a problem, noted once where they stand

    def read(self, content: Mapping[str, Any]) -> LaunchSpec | None:
        """The spec, or None when a problem was noted."""
        table = Table(content, (), "a launch spec")
        top: dict[str, Any] = {"description": "", "seed": 0, "baseline": None}
        with self.problems.collect():
            _check_schema(table)
        with self.problems.collect():
            top["description"] = table.typed("description", str, "")
        with self.problems.collect():
            top["seed"] = _seed(table)
        with self.problems.collect():
            top["baseline"] = self._baseline(table)
        self._read_names(table)
        launches = self._read_list(table, "launch", MAX_LAUNCHES, self._launch)
        edges = self._read_list(table, "edge", MAX_EDGES, self._edge)
        rates = self._rates(table)
        with self.problems.collect():
            table.finish()
        if self.problems.diagnostics:
            return None
        return LaunchSpec(
            source=self._source,
            locator=self._locator,
            folder=self._folder,
            sizes=self._sizes,
            scalars=self._scalars,
            buffers=self._buffers,
            launches=tuple(launches),
            rates=rates,
            edges=tuple(edges),
            **top,
        )

    def _baseline(self, table: Table) -> Path | None:
        name = table.raw("baseline", None)
        if name is None:
            return None
        found = inside(self._folder, name, ("baseline",))
        if found.suffix not in _BASELINES:
            message = f"the baseline must be one of {', '.join(_BASELINES)}"
            raise SpecProblem(BAD_VALUE, message, ("baseline",))
        return found

    def _read_names(self, table: Table) -> None:
        with self.problems.collect():
            for name, value, path in table.named("sizes"):
                if name in RESERVED:
                    message = f"`{name}` has a meaning in expressions already"
                    raise SpecProblem(BAD_KEY, message, path, on_key=True)
                self._sizes[name] = number(value, path)
        with self.problems.collect():
            for name, value, path in table.named("layout"):
                with self.problems.collect():
                    self._layouts[name] = read_layout(name, value, path)
        with self.problems.collect():
            for name, value, path in table.named("scalar"):
                self._declared.add(name)
                with self.problems.collect():
                    self._scalars[name] = self._scalar(name, value, path)
        with self.problems.collect():
            buffers = list(table.named("buffer"))
            at_most(buffers, MAX_BUFFERS, "buffers", ("buffer",))
            for name, value, path in buffers:
                self._declared.add(name)
                with self.problems.collect():
                    self._buffers[name] = self._buffer(name, value, path)

    def _read_list(self, table: Table, key: str, most: int, read: Any) -> list[Any]:
        found: list[Any] = []
        with self.problems.collect():
            items = table.typed(key, list, []) if key == "edge" else table.typed(key, list)
            at_most(items, most, f"[[{key}]] tables", (key,))
            if key == "launch" and not items:
                raise SpecProblem(BAD_KEY, "at least one [[launch]] is needed", (key,))
            for index, item in enumerate(items):
                with self.problems.collect():
                    found.append(read(item, (key, index)))
        return found

    def _rates(self, table: Table) -> dict[str, Number]:
        rates: dict[str, Number] = {}
        with self.problems.collect():
            inner = Table(table.typed("rates", dict, {}), ("rates",), "[rates]")
            for key in ("bytes", "flops", "items"):
                if key in inner:
                    rates[key] = inner.number(key)
            inner.raw("bytes", None), inner.raw("flops", None), inner.raw("items", None)
            inner.finish()
        return rates

    def _scalar(self, name: str, content: object, path: KeyPath) -> ScalarSpec:
        table = Table(content, path, f"[scalar.{name}]")
        type = read_type(table, self._layouts)
        value = read_value(table.raw("value"), (*path, "value"))
        table.finish()
        return ScalarSpec(name, type, value, path)

    def _buffer(self, name: str, content: object, path: KeyPath) -> BufferSpec:
        if name in self._scalars:
            message = f"`{name}` is a scalar already"
            raise SpecProblem(BAD_KEY, message, path, on_key=True)
        table = Table(content, path, f"[buffer.{name}]")
        type = read_type(table, self._layouts)
        raw_initial = table.raw("init", None)
        buffer = BufferSpec(
            name=name,
            type=type,
            shape=table.numbers("shape", 8),
            initial=self._initial(raw_initial, type, (*path, "init")),
            output=read_output(table.raw("output", False), type, (*path, "output"), self._folder),
            alignment=_alignment(table),
            offset=table.number("offset", 0),
            path=path,
        )
        table.finish()
        return buffer

    def _initial(self, content: object, type: Type, path: KeyPath) -> Any:
        return None if content is None else read_initial(content, type, path, self._folder)

    def _launch(self, content: object, path: KeyPath) -> LaunchTemplate:
        table = Table(content, path, "[[launch]]")
        arguments = table.typed("arguments", list, [])
        at_most(arguments, MAX_ARGUMENTS, "arguments", (*path, "arguments"))
        has_static = "static_shared" in table
        launch = LaunchTemplate(
            kernel=_kernel(table),
            grid=table.numbers("grid", 3),
            block=table.numbers("block", 3),
            cluster=table.numbers("cluster", 3, []),
            shared=table.number("shared", 0),
            static_shared=table.number("static_shared") if has_static else None,
            cooperative=table.typed("cooperative", bool, False),
            arguments=tuple(
                self._argument(item, (*path, "arguments", index))
                for index, item in enumerate(arguments)
            ),
            path=path,
        )
        table.raw("static_shared", None)
        table.finish()
        return launch

    def _argument(self, content: object, path: KeyPath) -> ArgumentSpec:
        if isinstance(content, str):
            return self._named_argument(content, Number(0, path), path)
        table = Table(content, path, "an argument (a name or a table)")
        if "buffer" in table:
            offset = table.number("offset", 0)
            name = table.typed("buffer", str)
            table.finish()
            return self._named_argument(name, offset, path, only_buffers=True)
        type = read_type(table, self._layouts)
        value = read_value(table.raw("value"), (*path, "value"))
        table.finish()
        return ScalarSpec("", type, value, path)

    def _named_argument(
        self, name: str, offset: Number, path: KeyPath, *, only_buffers: bool = False
    ) -> ArgumentSpec:
        has_failed = name in self._declared - {*self._buffers, *self._scalars}
        if name in self._buffers or has_failed:
            return AddressSpec(name, offset, path)
        if name in self._scalars and not only_buffers:
            return self._scalars[name]
        known = ", ".join([*self._buffers, *([] if only_buffers else self._scalars)])
        is_size = name in self._sizes and not only_buffers
        help = (
            f'write {{ dtype = "u32", value = "{name}" }}'
            if is_size
            else f"known: {known or 'none'}"
        )
        what = "buffer" if only_buffers else "scalar or buffer"
        raise SpecProblem(UNKNOWN_NAME, f"`{name}` is no {what}", path, help=help)

    def _edge(self, content: object, path: KeyPath) -> Edge:
        table = Table(content, path, "[[edge]]")
        edge = Edge(
            sizes={
                name: number(value, at)
                for name, value, at in self._known(table, "sizes", self._sizes)
            },
            initials={
                name: self._initial(value, self._buffers[name].type, at)
                for name, value, at in self._known(table, "init", self._buffers)
            },
            scalars=self._edge_scalars(table),
            seed=_seed(table) if "seed" in table else None,
            path=path,
        )
        table.raw("seed", None)
        table.finish()
        return edge

    def _edge_scalars(self, table: Table) -> dict[str, Value]:
        known = self._known(table, "scalars", self._scalars)
        return {name: read_value(value, at) for name, value, at in known}

    @staticmethod
    def _known(table: Table, key: str, names: Mapping[str, object]) -> Any:
        for name, value, path in table.named(key):
            if name not in names:
                help = f"known: {', '.join(names) or 'none'}"
                message = f"`{name}` is not defined above"
                raise SpecProblem(UNKNOWN_NAME, message, path, help=help, on_key=True)
            yield name, value, path


def _check_schema(table: Table) -> None:
    version = table.typed("schema", int)
    if version != 1:
        message = f"schema {version} is not known; this version reads schema 1"
        raise SpecProblem(BAD_VALUE, message, ("schema",))


def _seed(table: Table) -> int:
    seed: int = table.typed("seed", int, 0)
    if not 0 <= seed < 1 << 64:
        raise SpecProblem(
            OVER_LIMIT, "the seed must be between 0 and 2**64 - 1", (*table.path, "seed")
        )
    return seed


def _kernel(table: Table) -> str:
    name: str = table.typed("kernel", str)
    if not name:
        raise SpecProblem(BAD_VALUE, "`kernel` must name an entry", (*table.path, "kernel"))
    return name


def _alignment(table: Table) -> int:
    value: int = table.typed("align", int, 256)
    if not (0 < value <= MAX_ALIGNMENT and value & (value - 1) == 0):
        message = f"`align` must be a power of two up to {MAX_ALIGNMENT}"
        raise SpecProblem(BAD_VALUE, message, (*table.path, "align"))
    return value
