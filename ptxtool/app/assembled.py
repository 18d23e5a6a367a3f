"""One module assembled and disassembled for one target: what several use cases start from."""

from __future__ import annotations

from dataclasses import dataclass

from ptxtool import cost, sass
from ptxtool.analysis.launch_bounds import launch_bounds
from ptxtool.analysis.occupancy import occupancy
from ptxtool.core.errors import UsageError
from ptxtool.core.source import Source
from ptxtool.inputs import LoadedInput
from ptxtool.machine import model
from ptxtool.syntax import nodes
from ptxtool.toolchain import Assembly, FunctionResources, Toolchain


@dataclass(frozen=True)
class Assembled:
    """A cubin with its code and resources by function."""

    arch: str
    cubin: bytes
    functions: dict[str, sass.Function]
    resources: dict[str, FunctionResources]
    assembly: Assembly | None  # None for a cubin that was given as one

    @property
    def entries(self) -> list[str]:
        """Names of the kernels, in the order of the file."""
        return [name for name, found in self.resources.items() if found.kind == "entry"]


def assemble_input(loaded: LoadedInput, arch: str, toolchain: Toolchain) -> Assembled:
    """Assemble (or take) one input and disassemble it. Raises ToolError, InputError, UsageError."""
    if loaded.source is None:
        return _given(loaded, arch, toolchain)
    assembly = toolchain.assemble(loaded.source.to_bytes(), arch, name=loaded.name)
    return Assembled(
        arch,
        assembly.cubin,
        disassembled(assembly.cubin, toolchain),
        assembly.functions,
        assembly,
    )


def disassembled(cubin: bytes, toolchain: Toolchain) -> dict[str, sass.Function]:
    """The code of a cubin."""
    views = toolchain.disassemble(cubin)
    return sass.read(cubin, views.listing, views.live_counts)


def measure_kernel(
    source: Source, kernel: str, arch: str, threads: int | None, toolchain: Toolchain
) -> cost.KernelCost:
    """The cost of one kernel, assembled alone. Raises ToolError."""
    assembly = toolchain.assemble(source.to_bytes(), arch, name=source.name, kernel=kernel)
    functions = sass.read(assembly.cubin, toolchain.listing(assembly.cubin))
    made = Assembled(arch, assembly.cubin, functions, assembly.functions, assembly)
    return kernel_cost(made, kernel, threads)


def _given(loaded: LoadedInput, arch: str, toolchain: Toolchain) -> Assembled:
    assert loaded.cubin is not None
    own = loaded.arch or arch
    if own.rstrip("af") != arch.rstrip("af"):
        raise UsageError(
            f"{loaded.name} is machine code for {own}, not {arch}",
            help="machine code cannot change its target: give the PTX",
        )
    resources = {
        name: FunctionResources(
            name,
            "entry" if found.is_entry else "function",
            registers=found.registers,
            shared_bytes=found.shared_bytes,
        )
        for name, found in sass.resources(loaded.cubin).items()
    }
    code = disassembled(loaded.cubin, toolchain)
    return Assembled(own, loaded.cubin, code, resources, None)


def warps_per_sm(resources: FunctionResources, arch: str, threads: int | None) -> int | None:
    """Resident warps at a block size, None when it or the registers are unknown."""
    if threads is None or not resources.registers:
        return None
    found = occupancy(
        model(arch),
        registers=resources.registers,
        threads=threads,
        shared_bytes=resources.shared_bytes or 0,
        barriers=resources.barriers or 0,
    )
    return found.warps_per_sm


def kernel_cost(assembled: Assembled, kernel: str, threads: int | None) -> cost.KernelCost:
    """The cost of one kernel of an assembly."""
    resources = assembled.resources[kernel]
    stores, loads = resources.spill_store_bytes, resources.spill_load_bytes
    return cost.measure(
        assembled.functions[kernel],
        registers=resources.registers,
        spill_bytes=None if stores is None or loads is None else stores + loads,
        local_bytes=resources.stack_bytes,
        warps_per_sm=warps_per_sm(resources, assembled.arch, threads),
    )


def declared_threads(function: nodes.Function | None) -> tuple[int | None, str | None]:
    """Block size from the kernel's directives, and which of them said it."""
    if function is None:
        return None, None
    bounds = launch_bounds(function)
    if bounds.required_threads is not None:
        return bounds.required_threads, ".reqntid"
    return bounds.maximum_threads, None if bounds.maximum_threads is None else ".maxntid"
