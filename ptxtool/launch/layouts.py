"""Struct types by layout: fields, offsets, padding."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ptxtool.launch.dtypes import DType
from ptxtool.launch.floats import Array


@dataclass(frozen=True)
class Field:
    """One field; `offset` in bytes from the start of the struct."""

    name: str
    dtype: DType
    count: int
    offset: int

    @property
    def size(self) -> int:
        """Bytes of the field."""
        return self.dtype.size * self.count


@dataclass(frozen=True)
class Layout:
    """A struct type. Sizes in bytes."""

    name: str
    fields: tuple[Field, ...]
    size: int
    alignment: int

    def field_bytes(self, data: Array, field: Field) -> Array:
        """The bytes of one field of an array of structs, structs one behind the other."""
        rows = data.reshape(-1, self.size)
        return np.ascontiguousarray(rows[:, field.offset : field.offset + field.size]).ravel()


Type = DType | Layout


def align_up(value: int, alignment: int) -> int:
    """The least multiple of `alignment` that is not below `value`."""
    return -(-value // alignment) * alignment
