"""Scalar and struct arguments as bytes. Everything here raises SpecProblem."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ptxtool.launch.case import Argument, Patch
from ptxtool.launch.dtypes import DType, Element, Kind
from ptxtool.launch.floats import Array
from ptxtool.launch.layouts import Field, Layout
from ptxtool.launch.model import ScalarSpec, Value
from ptxtool.launch.number import Number, Sizes
from ptxtool.launch.problems import BAD_VALUE, OVER_LIMIT, UNKNOWN_NAME, KeyPath, SpecProblem


def encode_address(buffer: str, offset: int) -> Argument:
    """The address of a buffer as an argument."""
    return Argument(buffer, bytes(8), 8, (Patch(0, buffer, offset),))


def encode_scalar(
    spec: ScalarSpec, value: Value, sizes: Sizes, buffers: frozenset[str]
) -> Argument:
    """A scalar, vector or struct as an argument."""
    path = (*spec.path, "value")
    if isinstance(spec.type, Layout):
        return _encode_struct(spec, spec.type, value, sizes, buffers)
    data = _encode_lanes(spec.type, 1, value, sizes, path)
    return Argument(spec.name, data, spec.type.alignment)


def encode_number(element: Element, number: Number, sizes: Sizes) -> Array:
    """The code of one number, as an array of one."""
    if element.kind is Kind.FLOAT:
        return element.encode(np.array([number.real(sizes)]))
    low, high = element.range
    if element.kind is Kind.UNSIGNED:  # a bit pattern may be written as a negative number
        low = -(1 << (element.bits - 1))
    value = number.integer(sizes)
    if not low <= value <= high:
        message = f"{value} does not fit in {element.name} ({low} to {high})"
        raise SpecProblem(OVER_LIMIT, message, number.path)
    return element.encode(np.array([value], dtype=object))


def _encode_lanes(dtype: DType, count: int, value: Value, sizes: Sizes, path: KeyPath) -> bytes:
    lanes = dtype.lanes * count
    items = value if isinstance(value, tuple) else (value,) * (1 if lanes == 1 else 0)
    if len(items) != lanes:
        what = "one number" if lanes == 1 else f"a list of {lanes} numbers"
        raise SpecProblem(BAD_VALUE, f"expected {what}", path)
    codes = []
    for item in items:
        if not isinstance(item, Number):
            raise SpecProblem(BAD_VALUE, "expected numbers", path)
        codes.append(encode_number(dtype.element, item, sizes))
    return dtype.pack(np.concatenate(codes)).tobytes()


def _encode_struct(
    spec: ScalarSpec, layout: Layout, value: Value, sizes: Sizes, buffers: frozenset[str]
) -> Argument:
    path = (*spec.path, "value")
    if not isinstance(value, Mapping):
        raise SpecProblem(BAD_VALUE, f"expected a table with the fields of `{layout.name}`", path)
    fields = {field.name: field for field in layout.fields}
    data, patches = bytearray(layout.size), []
    for name, item in value.items():
        field, at = fields.get(name), (*path, name)
        if field is None:
            help = f"its fields: {', '.join(fields)}"
            message = f"`{layout.name}` has no field `{name}`"
            raise SpecProblem(UNKNOWN_NAME, message, at, help=help, on_key=True)
        if field.dtype.element.kind is Kind.ADDRESS:
            patches += _address_patches(field, item, buffers, at)
            continue
        encoded = _encode_lanes(field.dtype, field.count, item, sizes, at)
        data[field.offset : field.offset + field.size] = encoded
    return Argument(spec.name, bytes(data), layout.alignment, tuple(patches))


def _address_patches(
    field: Field, value: Value, buffers: frozenset[str], path: KeyPath
) -> list[Patch]:
    items = value if isinstance(value, tuple) else (value,)
    if len(items) != field.count:
        raise SpecProblem(BAD_VALUE, f"expected {field.count} buffers", path)
    patches = []
    for index, item in enumerate(items):
        if not isinstance(item, Number) or item.value not in {*buffers, 0}:
            help = f"known: {', '.join(sorted(buffers))}; 0 is the null pointer"
            raise SpecProblem(UNKNOWN_NAME, "expected the name of a buffer", path, help=help)
        if item.value != 0:
            patches.append(Patch(field.offset + 8 * index, str(item.value)))
    return patches
