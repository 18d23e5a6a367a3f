"""From a LaunchSpec and an edge to a Case. Everything here raises SpecProblem."""

from __future__ import annotations

from collections.abc import Mapping

from ptxtool.launch.case import Argument, Buffer, Case, Dimensions, Launch
from ptxtool.launch.encode import encode_address, encode_scalar
from ptxtool.launch.expressions import ExpressionError, names_in
from ptxtool.launch.model import (
    AddressSpec,
    ArgumentSpec,
    BufferSpec,
    Edge,
    LaunchSpec,
    LaunchTemplate,
)
from ptxtool.launch.number import Number, Sizes
from ptxtool.launch.problems import BAD_EXPRESSION, BAD_VALUE, OVER_LIMIT, SpecProblem

DEFAULT_MAX_BYTES = 8 << 30
MAX_THREADS = 1024
MAX_CLUSTER = 16
GRID_LIMITS = ((1 << 31) - 1, 65535, 65535)
BLOCK_LIMITS = (1024, 1024, 64)
MAX_SHARED = 1 << 20  # far above any device; the device's own limit is checked at the launch


def resolve(spec: LaunchSpec, edge: Edge | None, label: str, seed: int, max_bytes: int) -> Case:
    """Evaluate everything of one run. Raises SpecProblem."""
    sizes = resolve_sizes({**spec.sizes, **(edge.sizes if edge else {})})
    buffers = {
        name: _buffer(buffer, edge, sizes, max_bytes) for name, buffer in spec.buffers.items()
    }
    _check_total(buffers, max_bytes)
    return Case(
        label=label,
        seed=seed,
        sizes=sizes,
        launches=tuple(_launch(launch, edge, sizes, buffers) for launch in spec.launches),
        buffers=buffers,
        rates={key: rate.integer(sizes, low=0) for key, rate in spec.rates.items()},
    )


def resolve_sizes(numbers: Mapping[str, Number]) -> dict[str, int]:
    """Values of all sizes, in any order of definition. Raises SpecProblem on a cycle."""
    done: dict[str, int] = {}
    waiting = dict(numbers)
    while waiting:
        ready = [name for name, number in waiting.items() if not _needs(number) & waiting.keys()]
        if not ready:
            name, number = next(iter(waiting.items()))
            message = f"`{name}` is defined by itself (through {', '.join(waiting)})"
            raise SpecProblem(BAD_EXPRESSION, message, number.path)
        for name in ready:
            done[name] = waiting.pop(name).integer(done)
    return {name: done[name] for name in numbers}


def _needs(number: Number) -> frozenset[str]:
    if not isinstance(number.value, str):
        return frozenset()
    try:
        return names_in(number.value)
    except ExpressionError:
        return frozenset()  # evaluating it gives the message


def _buffer(spec: BufferSpec, edge: Edge | None, sizes: Sizes, max_bytes: int) -> Buffer:
    buffer = Buffer(
        name=spec.name,
        type=spec.type,
        shape=tuple(extent.integer(sizes, low=0) for extent in spec.shape),
        initial=edge.initials.get(spec.name, spec.initial) if edge else spec.initial,
        is_output=spec.output is not None,
        tolerance=spec.output.tolerance if spec.output else None,
        expect=spec.output.expect if spec.output and edge is None else None,
        partial=spec.output.partial if spec.output else False,
        alignment=spec.alignment,
        offset=spec.offset.integer(sizes, low=0, high=4096),
    )
    if buffer.size > max_bytes:
        message = f"`{spec.name}` takes {buffer.size} bytes ({_shape(buffer)}), over the limit"
        raise SpecProblem(OVER_LIMIT, message, (*spec.path, "shape"), help=_limit_help(max_bytes))
    return buffer


def _check_total(buffers: Mapping[str, Buffer], max_bytes: int) -> None:
    total = sum(buffer.size for buffer in buffers.values())
    if total <= max_bytes:
        return
    largest = sorted(buffers.values(), key=lambda buffer: -buffer.size)[:5]
    shown = ", ".join(f"{buffer.name} {buffer.size}" for buffer in largest)
    message = f"all buffers take {total} bytes together ({shown}), over the limit"
    raise SpecProblem(OVER_LIMIT, message, ("buffer",), help=_limit_help(max_bytes))


def _shape(buffer: Buffer) -> str:
    return " x ".join(str(extent) for extent in buffer.shape)


def _limit_help(max_bytes: int) -> str:
    return f"use smaller sizes, or raise the limit of {max_bytes} bytes"


def _launch(
    spec: LaunchTemplate, edge: Edge | None, sizes: Sizes, buffers: Mapping[str, Buffer]
) -> Launch:
    grid = _dimensions(spec.grid, sizes, GRID_LIMITS)
    launch = Launch(
        kernel=spec.kernel,
        grid=grid,
        block=_dimensions(spec.block, sizes, BLOCK_LIMITS),
        cluster=_dimensions(spec.cluster, sizes, grid) if spec.cluster else None,
        shared=spec.shared.integer(sizes, low=0, high=MAX_SHARED),
        static_shared=spec.static_shared.integer(sizes, low=0) if spec.static_shared else None,
        cooperative=spec.cooperative,
        arguments=tuple(_argument(item, edge, sizes, buffers) for item in spec.arguments),
    )
    if launch.threads > MAX_THREADS:
        message = f"a block of {launch.threads} threads: at most {MAX_THREADS} are allowed"
        raise SpecProblem(OVER_LIMIT, message, (*spec.path, "block"))
    _check_cluster(launch, spec)
    return launch


def _dimensions(numbers: tuple[Number, ...], sizes: Sizes, limits: Dimensions) -> Dimensions:
    values = [
        number.integer(sizes, low=1, high=limit)
        for number, limit in zip(numbers, limits, strict=False)
    ]
    values += [1] * (3 - len(values))
    return values[0], values[1], values[2]


def _check_cluster(launch: Launch, spec: LaunchTemplate) -> None:
    if launch.cluster is None:
        return
    path = (*spec.path, "cluster")
    if any(blocks % part for blocks, part in zip(launch.grid, launch.cluster, strict=True)):
        message = f"the cluster {launch.cluster} does not divide the grid {launch.grid}"
        raise SpecProblem(BAD_VALUE, message, path)
    x, y, z = launch.cluster
    if x * y * z > MAX_CLUSTER:
        message = f"a cluster of {x * y * z} blocks: at most {MAX_CLUSTER} are allowed"
        raise SpecProblem(OVER_LIMIT, message, path)


def _argument(
    spec: ArgumentSpec, edge: Edge | None, sizes: Sizes, buffers: Mapping[str, Buffer]
) -> Argument:
    if isinstance(spec, AddressSpec):
        limit = buffers[spec.buffer].size
        offset = spec.offset.integer(sizes, low=0, high=limit)
        return encode_address(spec.buffer, offset)
    value = edge.scalars.get(spec.name, spec.value) if edge else spec.value
    return encode_scalar(spec, value, sizes, frozenset(buffers))
