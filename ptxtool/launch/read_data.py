"""The parts of a spec that describe data: types, layouts, values, initialisers, outputs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ptxtool.launch.dtypes import ELEMENTS, DType, Kind, parse_dtype
from ptxtool.launch.layouts import Field, Layout, Type, align_up
from ptxtool.launch.model import FieldInitials, Initial, Output, Value
from ptxtool.launch.number import Number
from ptxtool.launch.problems import (
    BAD_KEY,
    BAD_VALUE,
    OVER_LIMIT,
    UNKNOWN_NAME,
    KeyPath,
    SpecProblem,
)
from ptxtool.launch.table import Table, at_most, inside, number
from ptxtool.launch.tolerance import BITWISE, Tolerance

MAX_FIELDS = 256
MAX_LAYOUT_BYTES = 32764  # what PTX allows for all parameters of a kernel
MAX_VALUES = 65536
MAX_VALUE_DEPTH = 4

# Keys of each initialiser, with their defaults.
INITIALISERS: dict[str, dict[str, int]] = {
    "zeros": {},
    "ones": {},
    "range": {"start": 0, "step": 1},
    "uniform": {"low": 0, "high": 1},
    "normal": {"mean": 0, "deviation": 1},
    "integers": {"low": 0, "high": 100},
    "permutation": {},
    "bits": {},
    "edge": {},
    "constant": {},
    "values": {},
    "file": {},
}


def read_type(table: Table, layouts: Mapping[str, Layout]) -> Type:
    """The `dtype` of a table: an element type or a layout. Raises SpecProblem."""
    name: str = table.typed("dtype", str)
    if name in layouts:
        return layouts[name]
    dtype = parse_dtype(name)
    path = (*table.path, "dtype")
    if dtype is None:
        known = ", ".join([*ELEMENTS, *layouts])
        help = f"known: {known}, and x2, x4, x8, x16 of these"
        raise SpecProblem(UNKNOWN_NAME, f"`{name[:60]}` is no type", path, help=help)
    if dtype.element.kind is Kind.ADDRESS:
        help = "an address is passed by naming the buffer among the arguments"
        raise SpecProblem(BAD_VALUE, "`ptr` is for fields of a layout only", path, help=help)
    return dtype


def read_layout(name: str, content: object, path: KeyPath) -> Layout:
    """`[layout.NAME]`, with offsets by the rules of C where none is given."""
    table = Table(content, path, f"[layout.{name}]")
    if parse_dtype(name) is not None:
        raise SpecProblem(BAD_KEY, f"`{name}` is the name of a type already", path, on_key=True)
    items = table.typed("fields", list)
    at_most(items, MAX_FIELDS, "fields", (*path, "fields"))
    fields: list[Field] = []
    for index, item in enumerate(items):
        fields.append(_field(item, (*path, "fields", index), fields))
    if not fields:
        raise SpecProblem(BAD_VALUE, "a layout needs at least one field", (*path, "fields"))
    alignment = table.typed("align", int, max(field.dtype.alignment for field in fields))
    end = max(field.offset + field.size for field in fields)
    if not (0 < alignment <= 4096 and alignment & (alignment - 1) == 0):
        raise SpecProblem(BAD_VALUE, "`align` must be a power of two", (*path, "align"))
    size = table.typed("size", int, align_up(end, alignment))
    if not end <= size <= MAX_LAYOUT_BYTES:
        message = f"the size must be between {end} (the end of the fields) and {MAX_LAYOUT_BYTES}"
        raise SpecProblem(OVER_LIMIT, message, (*path, "size"))
    table.finish()
    return Layout(name, tuple(fields), size, alignment)


def _field(content: object, path: KeyPath, before: list[Field]) -> Field:
    table = Table(content, path, "a field")
    name: str = table.typed("name", str)
    dtype = parse_dtype(table.typed("dtype", str))
    if dtype is None:
        raise SpecProblem(UNKNOWN_NAME, f"field `{name}`: no such type", (*path, "dtype"))
    if name in {field.name for field in before}:
        raise SpecProblem(BAD_KEY, f"field `{name}` is there twice", (*path, "name"))
    count = table.typed("count", int, 1)
    if not 1 <= count <= MAX_LAYOUT_BYTES:
        raise SpecProblem(OVER_LIMIT, "`count` must be at least 1, and fit", (*path, "count"))
    end = before[-1].offset + before[-1].size if before else 0
    offset = table.typed("offset", int, align_up(end, dtype.alignment))
    if not 0 <= offset <= MAX_LAYOUT_BYTES:
        raise SpecProblem(OVER_LIMIT, f"offset {offset} is out of range", (*path, "offset"))
    table.finish()
    field = Field(name, dtype, count, offset)
    for other in before:
        if offset < other.offset + other.size and other.offset < offset + field.size:
            message = f"field `{name}` overlaps `{other.name}`"
            raise SpecProblem(BAD_VALUE, message, path)
    return field


def read_value(content: object, path: KeyPath, depth: int = 0) -> Value:
    """A number, a list or a table of them. Raises SpecProblem."""
    if depth > MAX_VALUE_DEPTH:
        raise SpecProblem(BAD_VALUE, "the value is nested too deeply", path)
    if isinstance(content, list):
        at_most(content, MAX_VALUES, "values", path)
        return tuple(
            read_value(item, (*path, index), depth + 1) for index, item in enumerate(content)
        )
    if isinstance(content, dict):
        return {key: read_value(item, (*path, key), depth + 1) for key, item in content.items()}
    return number(int(content) if isinstance(content, bool) else content, path)


def read_initial(
    content: object, type: Type, path: KeyPath, folder: Path
) -> Initial | FieldInitials:
    """An `init`: one initialiser, or one for each field of a layout."""
    if isinstance(type, DType):
        return _initial(content, path, folder)
    if isinstance(content, str) or (isinstance(content, dict) and "kind" in content):
        return _initial(content, path, folder, allowed=("zeros", "file"))
    table = Table(content, path, "`init` of a buffer of structs")
    known = {field.name for field in type.fields}
    fields = {
        name: _initial(table.raw(name), (*path, name), folder) for name in known if name in table
    }
    for name in known:
        table.raw(name, None)
    table.finish()
    return FieldInitials(fields, path)


def _initial(
    content: object, path: KeyPath, folder: Path, allowed: tuple[str, ...] = tuple(INITIALISERS)
) -> Initial:
    is_plain = isinstance(content, str)
    table = Table({"kind": content} if is_plain else content, path, "an initialiser")
    kind: str = table.typed("kind", str)
    if kind not in allowed:
        help = f"known: {', '.join(allowed)}"
        at = path if is_plain else (*path, "kind")
        raise SpecProblem(UNKNOWN_NAME, f"`{kind[:60]}` is no initialiser here", at, help=help)
    numbers = {key: table.number(key, value) for key, value in INITIALISERS[kind].items()}
    values: tuple[Number, ...] = ()
    file = None
    if kind == "constant":
        numbers["value"] = table.number("value")
    elif kind == "values":
        values = table.numbers("values", MAX_VALUES)
    elif kind == "file":
        file = inside(folder, table.raw("path"), (*path, "path"))
    elif kind == "range" and "modulo" in table:
        numbers["modulo"] = table.number("modulo")
    table.finish()
    return Initial(kind, numbers, values, file, path)


def read_output(content: object, type: Type, path: KeyPath, folder: Path) -> Output | None:
    """An `output`: true, "bitwise" or a table of limits; None if it is no output."""
    if content is False:
        return None
    if content is True:
        return Output(path=path)
    if content == "bitwise":
        return Output(BITWISE, path=path)
    table = Table(content, path, '`output` (true, "bitwise" or a table)')
    expect = table.raw("expect", None)
    output = Output(
        tolerance=_tolerance(table),
        expect=None if expect is None else inside(folder, expect, (*path, "expect")),
        partial=table.typed("partial", bool, False),
        path=path,
    )
    table.finish()
    if isinstance(type, Layout) and output.expect is not None:
        raise SpecProblem(BAD_VALUE, "`expect` is not for buffers of structs", path)
    return output


def _tolerance(table: Table) -> Tolerance | None:
    limits: dict[str, Any] = {}
    for key in ("absolute", "relative", "norm"):
        value = table.raw(key, None)
        if value is not None:
            limits[key] = _limit(value, (*table.path, key))
    if table.typed("bitwise", bool, False):
        limits["bitwise"] = True
    ulp = table.typed("ulp", int, None)
    if ulp is not None:
        limits["ulp"] = int(_limit(ulp, (*table.path, "ulp")))
    if limits.get("bitwise") and len(limits) > 1:
        raise SpecProblem(BAD_VALUE, "`bitwise` goes with no other limit", table.path)
    return Tolerance(**limits) if limits else None


def _limit(value: object, path: KeyPath) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 <= value < 1e300:  # type: ignore[operator]
        raise SpecProblem(BAD_VALUE, "a limit must be a number, 0 or more", path)
    return float(value)  # type: ignore[arg-type]
