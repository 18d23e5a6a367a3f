"""The limits of one compute capability. Numbers are data: behaviour lives in the analyses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum


class Kind(StrEnum):
    """How a figure was come by, from the strongest evidence to the weakest."""

    MEASURED = "measured"  # a run on a device, or a tool asked directly
    MINED = "mined"  # read off what the tools emit
    DOCUMENTED = "documented"  # published by the vendor
    INFERRED = "inferred"  # carried over from a relative; may be wrong


@dataclass(frozen=True)
class Provenance:
    """Where a figure comes from and how far to trust it ("high", "medium", "low")."""

    kind: Kind
    source: str
    confidence: str
    note: str | None = None

    @property
    def is_certain(self) -> bool:
        """Whether a report may show the figure without a mark."""
        return self.kind is not Kind.INFERRED and self.confidence == "high"


@dataclass(frozen=True)
class Model:
    """SM limits of one compute capability; registers are 32 bits wide, sizes are bytes.

    An optional figure that nobody knows, or that the capability does not have, is None. Each
    figure's source is `provenance["field_name"]`.
    """

    target: str  # "sm_90"
    capability: tuple[int, int]
    name: str
    ptx_since: Mapping[str, str] = field(repr=False, hash=False)  # suffix -> oldest .version
    provenance: Mapping[str, Provenance] = field(repr=False, hash=False, compare=False)

    warp_size: int
    sub_partitions: int
    threads_per_block: int
    threads_per_sm: int
    blocks_per_sm: int

    registers_per_sm: int
    registers_per_block: int
    registers_per_thread: int  # what an instruction can name
    registers_per_thread_allocatable: int  # what a launch may ask for
    register_unit: int  # registers per warp are rounded up to this

    shared_bytes_per_sm: int
    shared_bytes_per_block: int  # without opting in
    shared_bytes_per_block_optin: int
    shared_bytes_reserved: int  # by the driver, in each block
    shared_unit_bytes: int
    shared_carveouts: tuple[int, ...]  # the sizes that the L1/shared split can take

    barriers_per_block: int
    barriers_per_sm: int | None = None  # None: no such limit below 9.0
    virtual_resources_per_sm: int | None = None
    l1_shared_bytes_per_sm: int | None = None
    cluster_blocks_portable: int | None = None
    cluster_blocks: int | None = None  # with the non-portable attribute
    tensor_memory_bytes: int | None = None

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Suffixes beside the bare name: "a" is this target alone, "f" its family."""
        return tuple(suffix for suffix in self.ptx_since if suffix)

    @property
    def warps_per_sm(self) -> int:
        """Resident warps when nothing else limits."""
        return self.threads_per_sm // self.warp_size

    @property
    def registers_per_sub_partition(self) -> int:
        """Registers that the warps of one scheduler share."""
        return self.registers_per_sm // self.sub_partitions

    @property
    def uncertain(self) -> tuple[str, ...]:
        """Names of the figures that a report should mark."""
        return tuple(name for name, source in self.provenance.items() if not source.is_certain)


IDENTITY = ("target", "capability", "name", "ptx_since", "provenance")
FIGURES = tuple(item.name for item in fields(Model) if item.name not in IDENTITY)
