"""Occupancy: how many blocks of a kernel live on one SM, what limits them, what a step costs.

The rules are those that NVIDIA's occupancy calculator documents; the oracle test compares this
module with that header, compiled, on random configurations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from ptxtool.core.errors import UsageError
from ptxtool.machine import Model

_MOST_BYTES = 1 << 30  # far above any SM; keeps arithmetic on nonsense input small


class Resource(StrEnum):
    """What a block takes from an SM."""

    WARPS = "warps"
    REGISTERS = "registers"
    SHARED_MEMORY = "shared memory"
    BLOCKS = "blocks"
    BARRIERS = "barriers"
    VIRTUAL_RESOURCES = "virtual resources"


@dataclass(frozen=True)
class Request:
    """What one block of a launch asks of the SM.

    `registers` are per thread, `shared_bytes` static and `dynamic_shared_bytes` per block.
    `carveout` is the preferred shared share of the L1 in percent (None: no preference).
    `dynamic_limit_bytes` is what the host set as the kernel's dynamic maximum (None: just what
    the launch asks for); `opt_in` False leaves the kernel at the default of 48 KiB.
    """

    registers: int
    threads: int
    shared_bytes: int = 0
    dynamic_shared_bytes: int = 0
    barriers: int = 0
    virtual_resources: int = 0
    carveout: int | None = None
    dynamic_limit_bytes: int | None = None
    opt_in: bool = True


@dataclass(frozen=True)
class Limit:
    """Blocks per SM that one resource allows; None when the kernel takes none of it."""

    resource: Resource
    blocks: int | None


@dataclass(frozen=True)
class Cliff:
    """The steps on both sides of one resource, everything else as it is.

    `save` registers (or bytes) less give `blocks_above`; up to `room` more cost nothing, one
    more than that leaves `blocks_below`. None: no such step exists.
    """

    resource: Resource
    current: int
    save: int | None
    blocks_above: int | None
    room: int | None
    blocks_below: int | None


@dataclass(frozen=True)
class Occupancy:
    """Residency of one kernel on one SM of one target."""

    target: str
    request: Request
    warps_per_block: int
    blocks_per_sm: int
    warps_per_sm: int
    fraction: float  # of the warps that the SM can hold
    limits: tuple[Limit, ...]
    limiters: tuple[Resource, ...]
    registers_per_block: int  # as allocated
    shared_bytes_per_block: int  # as allocated, with the driver's reserve
    cliffs: tuple[Cliff, ...]

    @property
    def limiter(self) -> Resource:
        """The first of the limiting resources."""
        return self.limiters[0]

    @property
    def launchable(self) -> bool:
        """Whether even one block fits."""
        return self.blocks_per_sm > 0

    def cliff(self, resource: Resource) -> Cliff | None:
        """The cliff of a resource, if the kernel has one there."""
        return next((each for each in self.cliffs if each.resource is resource), None)


@dataclass(frozen=True)
class Point:
    """One block size of an occupancy curve."""

    threads: int
    blocks_per_sm: int
    warps_per_sm: int
    fraction: float
    limiters: tuple[Resource, ...]


def occupancy(
    model: Model,
    *,
    registers: int,
    threads: int,
    shared_bytes: int = 0,
    dynamic_shared_bytes: int = 0,
    barriers: int = 0,
    virtual_resources: int = 0,
    carveout: int | None = None,
    dynamic_limit_bytes: int | None = None,
    opt_in: bool = True,
) -> Occupancy:
    """Occupancy of a launch; see `Request` for the parameters and their units.

    Raises UsageError for a request that makes no sense (no threads, negative sizes).
    """
    return occupancy_of(
        model,
        Request(
            registers,
            threads,
            shared_bytes,
            dynamic_shared_bytes,
            barriers,
            virtual_resources,
            carveout,
            dynamic_limit_bytes,
            opt_in,
        ),
    )


def occupancy_of(model: Model, request: Request, *, with_cliffs: bool = True) -> Occupancy:
    """Occupancy of a request. Raises UsageError for one that makes no sense.

    The cliffs cost several times the rest: leave them out in a search.
    """
    _check(request)
    limits = limits_of(model, request)
    blocks = _least(limits)
    warps = warps_per_block(model, request.threads)
    return Occupancy(
        target=model.target,
        request=request,
        warps_per_block=warps,
        blocks_per_sm=blocks,
        warps_per_sm=blocks * warps,
        fraction=blocks * warps / model.warps_per_sm,
        limits=limits,
        limiters=tuple(each.resource for each in limits if each.blocks == blocks),
        registers_per_block=_registers_per_warp(model, request.registers) * warps,
        shared_bytes_per_block=_shared_allocated(model, request),
        cliffs=_cliffs(model, request, blocks) if with_cliffs else (),
    )


def blocks_per_sm(model: Model, request: Request) -> int:
    """Resident blocks alone: what the cliffs and curves are made of."""
    return _least(limits_of(model, request))


def limits_of(model: Model, request: Request) -> tuple[Limit, ...]:
    """Each resource's limit, in the order in which they are reported."""
    return (
        Limit(Resource.WARPS, _limit_warps(model, request)),
        Limit(Resource.REGISTERS, _limit_registers(model, request)),
        Limit(Resource.SHARED_MEMORY, _limit_shared(model, request)),
        Limit(Resource.BLOCKS, model.blocks_per_sm),
        Limit(Resource.BARRIERS, _share(model.barriers_per_sm, request.barriers)),
        Limit(
            Resource.VIRTUAL_RESOURCES,
            _share(model.virtual_resources_per_sm, request.virtual_resources),
        ),
    )


def curve(model: Model, request: Request) -> tuple[Point, ...]:
    """Occupancy at every whole number of warps per block, registers and bytes per block fixed."""
    sizes = range(model.warp_size, model.threads_per_block + 1, model.warp_size)
    return tuple(_point(model, replace(request, threads=threads)) for threads in sizes)


def best_threads(model: Model, request: Request) -> int | None:
    """The smallest block size of the most resident warps; None when no size can be launched."""
    points = [point for point in curve(model, request) if point.blocks_per_sm]
    return (
        max(points, key=lambda each: (each.warps_per_sm, -each.threads)).threads if points else None
    )


def warps_per_block(model: Model, threads: int) -> int:
    """Warps of a block; the last may be partly empty."""
    return -(-threads // model.warp_size)


def _point(model: Model, request: Request) -> Point:
    limits = limits_of(model, request)
    blocks = _least(limits)
    warps = blocks * warps_per_block(model, request.threads)
    limiters = tuple(each.resource for each in limits if each.blocks == blocks)
    return Point(request.threads, blocks, warps, warps / model.warps_per_sm, limiters)


def _check(request: Request) -> None:
    if request.threads <= 0:
        raise UsageError(f"a block of {request.threads} threads cannot be launched")
    sizes = {
        "registers": request.registers,
        "shared bytes": request.shared_bytes,
        "dynamic shared bytes": request.dynamic_shared_bytes,
        "barriers": request.barriers,
        "virtual resources": request.virtual_resources,
        "dynamic limit": request.dynamic_limit_bytes or 0,
    }
    for name, value in sizes.items():
        if not 0 <= value <= _MOST_BYTES:
            raise UsageError(f"{name} must lie between 0 and {_MOST_BYTES}, not {value}")
    if request.carveout is not None and not 0 <= request.carveout <= 100:
        raise UsageError(f"a carve-out is a percentage, not {request.carveout}")


def _least(limits: tuple[Limit, ...]) -> int:
    return min(each.blocks for each in limits if each.blocks is not None)


def _round_up(value: int, unit: int) -> int:
    return -(-value // unit) * unit


def _share(available: int | None, used: int) -> int | None:
    return None if available is None or used == 0 else available // used


def _limit_warps(model: Model, request: Request) -> int:
    if request.threads > model.threads_per_block:
        return 0
    return model.warps_per_sm // warps_per_block(model, request.threads)


def _registers_per_warp(model: Model, registers: int) -> int:
    return _round_up(registers * model.warp_size, model.register_unit)


def _limit_registers(model: Model, request: Request) -> int | None:
    per_warp = _registers_per_warp(model, request.registers)
    warps = warps_per_block(model, request.threads)
    # The launch check counts whole rounds of sub-partitions, even when the last is not full.
    checked = per_warp * _round_up(warps, model.sub_partitions)
    if checked > model.registers_per_block:
        return 0
    if request.registers > model.registers_per_thread_allocatable:
        return 0
    if per_warp == 0:
        return None
    # A warp's registers lie in one sub-partition, so each of them rounds down by itself.
    resident = model.registers_per_sub_partition // per_warp * model.sub_partitions
    return resident // warps


def _shared_allocated(model: Model, request: Request) -> int:
    used = request.shared_bytes + request.dynamic_shared_bytes + model.shared_bytes_reserved
    return _round_up(used, model.shared_unit_bytes)


def _shared_limit_per_block(model: Model, request: Request, dynamic_limit: int) -> int:
    most = request.shared_bytes + model.shared_bytes_reserved + dynamic_limit
    opted_in = request.opt_in and most > model.shared_bytes_per_block
    limit = model.shared_bytes_per_block_optin if opted_in else model.shared_bytes_per_block
    return limit + model.shared_bytes_reserved


def _limit_shared(model: Model, request: Request) -> int | None:
    dynamic = request.dynamic_shared_bytes
    limit = dynamic if request.dynamic_limit_bytes is None else request.dynamic_limit_bytes
    allocated = _shared_allocated(model, request)
    if request.opt_in and dynamic > limit:
        return 0
    if allocated > _shared_limit_per_block(model, request, limit):
        return 0
    if allocated == 0:
        return None
    # A block that does not fit the preferred split gets the next split that holds it.
    return max(_preferred_split(model, request.carveout), _split(model, allocated)) // allocated


def _preferred_split(model: Model, carveout: int | None) -> int:
    if carveout is None:
        return model.shared_bytes_per_sm
    return _split(model, carveout * model.shared_bytes_per_sm // 100)


def _split(model: Model, size: int) -> int:
    """The smallest L1/shared split with at least `size` bytes of shared memory."""
    return min(each for each in model.shared_carveouts if each >= size)


def _cliffs(model: Model, request: Request, blocks: int) -> tuple[Cliff, ...]:
    return (
        _cliff(
            Resource.REGISTERS,
            request.registers,
            model.registers_per_thread_allocatable,
            lambda value: blocks_per_sm(model, replace(request, registers=value)),
            blocks,
        ),
        _cliff(
            Resource.SHARED_MEMORY,
            request.shared_bytes + request.dynamic_shared_bytes,
            model.shared_bytes_per_block_optin,
            lambda value: blocks_per_sm(model, _with_shared(request, value)),
            blocks,
        ),
    )


def _with_shared(request: Request, total: int) -> Request:
    """The request with another total, taken from the dynamic part first; its limit follows."""
    static = min(request.shared_bytes, total)
    return replace(
        request,
        shared_bytes=static,
        dynamic_shared_bytes=total - static,
        dynamic_limit_bytes=None,
    )


def _cliff(
    resource: Resource, current: int, most: int, blocks_at: Callable[[int], int], blocks: int
) -> Cliff:
    """Find the steps by bisection: more of a resource never gives more blocks."""
    best = blocks_at(0)
    save = above = room = below = None
    if best > blocks:
        value = _last(0, current, lambda each: blocks_at(each) > blocks)
        save, above = current - value, blocks_at(value)
    if blocks > 0 and current < most:
        value = _last(current, most, lambda each: blocks_at(each) >= blocks)
        room = value - current
        below = blocks_at(value + 1)
    return Cliff(resource, current, save, above, room, below)


def _last(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """The largest value in [low, high] at which a condition holds that holds at `low`."""
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low
