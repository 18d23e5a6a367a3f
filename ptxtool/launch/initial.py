"""Initial data: the bytes of a buffer from its initialiser, its name and the seed.

Every buffer draws from a stream of its own (PCG64 seeded by the spec's seed and a digest of the
buffer's name), so the same spec gives the same bytes everywhere.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ptxtool.launch.case import Buffer, Case
from ptxtool.launch.dtypes import DType, Element, Kind, edge_codes
from ptxtool.launch.encode import encode_number
from ptxtool.launch.floats import Array
from ptxtool.launch.layouts import Layout
from ptxtool.launch.model import FieldInitials, Initial
from ptxtool.launch.number import Sizes
from ptxtool.launch.problems import BAD_FILE, BAD_VALUE, OVER_LIMIT, KeyPath, SpecProblem

_CHUNK = 1 << 20  # values drawn at a time; part of what makes data reproducible


def initial_bytes(buffer: Buffer, case: Case) -> Array | None:
    """The initial bytes of a buffer; None if it starts poisoned. Raises SpecProblem."""
    if buffer.initial is None:
        return None
    if isinstance(buffer.type, DType):
        assert isinstance(buffer.initial, Initial)
        return fill(buffer.type, buffer.shape, buffer.initial, case, buffer.name)
    return _fill_structs(buffer, buffer.type, case)


def _fill_structs(buffer: Buffer, layout: Layout, case: Case) -> Array:
    rows = np.zeros((buffer.elements, layout.size), dtype=np.uint8)
    if isinstance(buffer.initial, FieldInitials):
        for field in layout.fields:
            initial = buffer.initial.fields.get(field.name)
            if initial is None:
                continue
            shape = (buffer.elements, field.count)
            data = fill(field.dtype, shape, initial, case, f"{buffer.name}.{field.name}")
            rows[:, field.offset : field.offset + field.size] = data.reshape(len(rows), -1)
    elif isinstance(buffer.initial, Initial) and buffer.initial.kind == "file":
        rows[...] = _raw_rows(buffer.initial, rows.shape)
    return rows.ravel()


def _raw_rows(initial: Initial, shape: tuple[int, ...]) -> Array:
    """Structs from a file: an array of bytes, one row for each struct."""
    data = load_array(initial.file, initial.path)
    if data.dtype != np.uint8 or data.size != shape[0] * shape[1]:
        message = (
            f"expected {shape[0]} x {shape[1]} values of uint8, found {data.shape} {data.dtype}"
        )
        raise SpecProblem(BAD_FILE, message, initial.path)
    return data.reshape(shape)


def fill(dtype: DType, shape: tuple[int, ...], initial: Initial, case: Case, name: str) -> Array:
    """The bytes of an array of a type. Raises SpecProblem."""
    lanes = dtype.lanes
    for extent in shape:
        lanes *= extent
    if initial.kind == "file":
        return dtype.pack(
            encode_array(dtype, load_array(initial.file, initial.path), shape, initial.path)
        )
    if dtype.element.kind is Kind.ADDRESS:
        raise SpecProblem(BAD_VALUE, "addresses cannot be initialised", initial.path)
    draw = _Draw(dtype.element, initial, case.sizes, _generator(case.seed, name), lanes)
    data = np.empty(dtype.size * (lanes // dtype.lanes), dtype=np.uint8)
    per_chunk = _CHUNK * dtype.element.bits // 8
    for number, start in enumerate(range(0, data.nbytes, per_chunk)):
        count = min(_CHUNK, lanes - number * _CHUNK)
        data[start : start + per_chunk] = dtype.pack(draw.codes(number * _CHUNK, count))
    return data


def _generator(seed: int, name: str) -> np.random.Generator:
    digest = hashlib.sha256(name.encode()).digest()
    entropy = [seed & 0xFFFFFFFF, seed >> 32, int.from_bytes(digest[:8], "little")]
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(entropy)))


@dataclass
class _Draw:
    """Draws the codes of one array, chunk by chunk."""

    element: Element
    initial: Initial
    sizes: Sizes
    generator: np.random.Generator
    lanes: int
    _order: Array | None = None

    def codes(self, start: int, count: int) -> Array:
        """Codes of the lanes start .. start + count."""
        return _DRAWERS[self.initial.kind](self, start, count)

    def real(self, key: str) -> float:
        value = self.initial.numbers[key].real(self.sizes)
        if not np.isfinite(value):
            raise SpecProblem(BAD_VALUE, f"`{key}` must be finite", self.initial.numbers[key].path)
        return value

    def zeros(self, start: int, count: int) -> Array:
        return np.zeros(count, self.element.storage)

    def ones(self, start: int, count: int) -> Array:
        return np.repeat(self.element.encode(np.array([1])), count)

    def constant(self, start: int, count: int) -> Array:
        code = encode_number(self.element, self.initial.numbers["value"], self.sizes)
        return np.repeat(code, count)

    def range(self, start: int, count: int) -> Array:
        index = np.arange(start, start + count, dtype=np.uint64)
        numbers = self.initial.numbers
        if self.element.kind is Kind.FLOAT:
            values = self.real("start") + index.astype(np.float64) * self.real("step")
            return self.element.encode(
                np.mod(values, self._modulo()) if "modulo" in numbers else values
            )
        first, step = (numbers[key].integer(self.sizes) for key in ("start", "step"))
        wrap = (1 << 64) - 1
        values64 = index * np.uint64(step & wrap) + np.uint64(first & wrap)
        if "modulo" in numbers:
            modulo = numbers["modulo"].integer(self.sizes, low=1, high=1 << 63)
            values64 = values64 % np.uint64(modulo)
        return self.element.encode(values64)

    def _modulo(self) -> float:
        modulo = self.real("modulo")
        if modulo <= 0:
            path = self.initial.numbers["modulo"].path
            raise SpecProblem(BAD_VALUE, "`modulo` must be above zero", path)
        return modulo

    def values(self, start: int, count: int) -> Array:
        codes = [encode_number(self.element, value, self.sizes) for value in self.initial.values]
        return np.resize(np.roll(np.concatenate(codes), -(start % len(codes))), count)

    def uniform(self, start: int, count: int) -> Array:
        low, high = self.real("low"), self.real("high")
        if self.element.kind is not Kind.FLOAT and np.ceil(high) - np.floor(low) <= 1:
            help = "use `integers` or `bits`, or a wider range"
            message = f"every {self.element.name} in [{low:g}, {high:g}) is {np.floor(low):g}"
            raise SpecProblem(BAD_VALUE, message, self.initial.path, help=help)
        return self._rounded(low + self.generator.random(count) * (high - low))

    def normal(self, start: int, count: int) -> Array:
        mean, deviation = self.real("mean"), self.real("deviation")
        return self._rounded(mean + self.generator.standard_normal(count) * deviation)

    def _rounded(self, values: Array) -> Array:
        """Integers take the floor, clipped to their range."""
        if self.element.kind is Kind.FLOAT:
            return self.element.encode(values)
        low, high = self.element.range
        top = float(high) if self.element.bits < 64 else np.nextafter(float(high), 0)
        kept = np.clip(np.floor(values), float(low), top)
        return self.element.encode(kept.astype(np.int64 if low else np.uint64))

    def integers(self, start: int, count: int) -> Array:
        numbers = self.initial.numbers
        low, high = (numbers[key].integer(self.sizes) for key in ("low", "high"))
        bottom, top = (-(1 << 53), 1 << 53)
        if self.element.kind is not Kind.FLOAT:
            bottom, top = self.element.range
        if not bottom <= low <= high <= top:
            message = f"{low} to {high} is no range of {self.element.name}"
            raise SpecProblem(OVER_LIMIT, message, self.initial.path)
        kind = np.uint64 if low >= 0 else np.int64
        return self.element.encode(
            self.generator.integers(low, high, count, dtype=kind, endpoint=True)
        )

    def permutation(self, start: int, count: int) -> Array:
        if self._order is None:
            self._order = self.generator.permutation(self.lanes)
        return self.element.encode(self._order[start : start + count])

    def bits(self, start: int, count: int) -> Array:
        top = (1 << self.element.bits) - 1
        drawn = self.generator.integers(0, top, count, dtype=np.uint64, endpoint=True)
        return drawn.astype(self.element.storage)

    def edge(self, start: int, count: int) -> Array:
        codes = edge_codes(self.element)
        return np.resize(np.roll(codes, -(start % len(codes))), count)


_DRAWERS: dict[str, Callable[[_Draw, int, int], Array]] = {
    "zeros": _Draw.zeros,
    "ones": _Draw.ones,
    "constant": _Draw.constant,
    "range": _Draw.range,
    "values": _Draw.values,
    "uniform": _Draw.uniform,
    "normal": _Draw.normal,
    "integers": _Draw.integers,
    "permutation": _Draw.permutation,
    "bits": _Draw.bits,
    "edge": _Draw.edge,
}


def load_array(path: Path | None, at: KeyPath) -> Array:
    """The array of a .npy file; pickled objects are refused. Raises SpecProblem."""
    if path is None:
        raise SpecProblem(BAD_FILE, "no file is named", at)
    try:
        data = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError, MemoryError, SyntaxError) as error:
        raise SpecProblem(BAD_FILE, f"cannot read `{path.name}`: {error}", at) from None
    if not isinstance(data, np.ndarray) or data.dtype.kind not in "biuf":
        raise SpecProblem(BAD_FILE, f"`{path.name}` is not an array of numbers", at)
    return data


def encode_array(dtype: DType, data: Array, shape: tuple[int, ...], at: KeyPath) -> Array:
    """Codes of an array of values, or of raw codes where its dtype is the storage type.

    A file of unsigned integers as wide as a float type holds its bits (NumPy has no bf16).
    """
    lanes = dtype.lanes
    for extent in shape:
        lanes *= extent
    if data.size != lanes:
        message = f"the file holds {data.size} values, the buffer {lanes}"
        raise SpecProblem(BAD_FILE, message, at)
    flat = np.ascontiguousarray(data).ravel()
    element = dtype.element
    if flat.dtype == element.storage and element.bits >= 8:
        return flat
    if element.kind is not Kind.FLOAT:
        low, high = element.range
        if flat.dtype.kind == "f" or (
            flat.size and not low <= int(flat.min()) <= int(flat.max()) <= high
        ):
            message = f"the file's {flat.dtype} values do not fit {element.name}"
            raise SpecProblem(BAD_FILE, message, at)
    return element.encode(flat.astype(np.float64) if element.kind is Kind.FLOAT else flat)
