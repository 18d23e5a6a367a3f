"""The use case `analyze`: everything known of each kernel on each target."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from ptxtool import ir, sass
from ptxtool.analysis.decisions import decisions
from ptxtool.analysis.finding import Finding
from ptxtool.analysis.local_findings import local_findings
from ptxtool.analysis.mix import InstructionMix, instruction_mix
from ptxtool.analysis.occupancy import Occupancy, Point, Request, curve, occupancy_of
from ptxtool.analysis.pressure import Pressure, pressure
from ptxtool.analysis.spills import local_memories
from ptxtool.analysis.warp_roles import register_budget
from ptxtool.app.assembled import Assembled, assemble_input, declared_threads
from ptxtool.app.report import AnalyzeReport, BlockReport, HotLine, KernelReport
from ptxtool.app.session import Tools, load_all, targets_for, wanted
from ptxtool.core.diagnostics import Diagnostic, Severity
from ptxtool.core.errors import InputError, ToolMissing, ToolRefused, UsageError
from ptxtool.inputs import LoadedInput
from ptxtool.machine import model
from ptxtool.syntax import nodes, parse
from ptxtool.toolchain import FunctionResources, Toolchain

# Block sizes shown when nobody says which one is launched.
CURVE_THREADS = (64, 128, 256, 512, 1024)


def analyze(
    paths: Sequence[str],
    *,
    tools: Tools | None = None,
    archs: Sequence[str] = (),
    kernel: str | None = None,
    block: str | None = None,
    hot_lines: int = 5,
) -> AnalyzeReport:
    """Analyze every kernel of every input. Raises InputError, UsageError, ToolError.

    Without ptxas or nvdisasm the report holds what the PTX alone tells, and a note says so.
    """
    toolchain = (tools or Tools()).toolchain()
    threads = block_size(block)
    session = _Session(toolchain, kernel, threads, hot_lines)
    for loaded in load_all(paths, toolchain, archs):
        session.add(loaded, archs)
    if not session.kernels and not session.diagnostics:
        raise InputError(
            f"no kernel {f'matches {kernel!r}' if kernel else 'is there'}",
            help="a kernel is an .entry with a body; --kernel takes a part of its name or a glob",
        )
    return AnalyzeReport(
        tuple(session.kernels), tuple(session.diagnostics), tuple(dict.fromkeys(session.notes))
    )


def block_size(text: str | None) -> int | None:
    """Threads of `256` or `16,16,1`. Raises UsageError."""
    if text is None:
        return None
    try:
        sizes = [int(part) for part in text.split(",")]
    except ValueError:
        sizes = []
    if not 1 <= len(sizes) <= 3 or min(sizes) < 1:
        raise UsageError(f"--block {text} is no block size", help="write --block 256 or 16,16,1")
    threads = 1
    for size in sizes:
        threads *= size
    return threads


def denied(report: AnalyzeReport, codes: Sequence[str]) -> tuple[Finding, ...]:
    """The findings that a `--deny` prefix names."""
    return tuple(
        finding
        for finding in report.findings
        if any(finding.code.startswith(code) or finding.name == code for code in codes)
    )


class _Session:
    """Collects reports over inputs and targets."""

    def __init__(
        self, toolchain: Toolchain, kernel: str | None, threads: int | None, hot_lines: int
    ) -> None:
        self.toolchain = toolchain
        self.pattern, self.threads, self.hot_lines = kernel, threads, hot_lines
        self.kernels: list[KernelReport] = []
        self.diagnostics: list[Diagnostic] = []
        self.notes: list[str] = []

    def add(self, loaded: LoadedInput, archs: Sequence[str]) -> None:
        module = None if loaded.source is None else parse(loaded.source)
        if module is not None and module.diagnostics:
            self.diagnostics.extend(module.diagnostics)
            return
        functions = {f.name: f for f in module.kernels} if module else {}
        views = {
            name: _PtxView(ir.build(function, module), self.hot_lines)
            for name, function in functions.items()
            if module and wanted(name, self.pattern)
        }
        for arch in targets_for(loaded, archs):
            self._target(loaded, arch, module, functions, views)

    def _target(
        self,
        loaded: LoadedInput,
        arch: str,
        module: nodes.Module | None,
        functions: dict[str, nodes.Function],
        views: dict[str, _PtxView],
    ) -> None:
        model(arch)  # an unknown target is a usage error before any tool runs
        try:
            assembled = assemble_input(loaded, arch, self.toolchain)
        except ToolMissing as missing:
            self.notes.append(f"{missing}: only the PTX was analyzed ({missing.help})")
            assembled = None
        except ToolRefused as refused:
            self.diagnostics.extend(refused.diagnostics)
            return
        names = list(functions) if assembled is None else assembled.entries
        for name in names:
            if wanted(name, self.pattern):
                function = functions.get(name)
                self.kernels.append(
                    self._kernel(loaded, arch, module, function, name, assembled, views)
                )

    def _kernel(
        self,
        loaded: LoadedInput,
        arch: str,
        module: nodes.Module | None,
        function: nodes.Function | None,
        name: str,
        assembled: Assembled | None,
        views: dict[str, _PtxView],
    ) -> KernelReport:
        view = views.get(name)
        resources = assembled.resources[name] if assembled else FunctionResources(name, "entry")
        code = assembled.functions.get(name) if assembled else None
        threads, source = self._threads(function)
        place = (
            None
            if function is None or loaded.source is None
            else loaded.source.line(function.start)
        )
        return KernelReport(
            kernel=name,
            arch=arch,
            file=loaded.name,
            line=place,
            ptxas_version=assembled.assembly.ptxas_version
            if assembled and assembled.assembly
            else None,
            registers=resources.registers,
            spill_store_bytes=resources.spill_store_bytes,
            spill_load_bytes=resources.spill_load_bytes,
            stack_bytes=resources.stack_bytes,
            shared_bytes=resources.shared_bytes,
            constant_bytes=resources.constant_bytes,
            barriers=resources.barriers,
            block_threads=threads,
            block_threads_source=source,
            occupancy=_occupancy(arch, resources, threads),
            occupancy_curve=() if threads else _curve(arch, resources),
            pressure=view.pressure if view else None,
            hot_lines=view.hottest(code) if view else (),
            mix=view.mix if view else None,
            sass_instructions=len(code.instructions) if code else None,
            sass_blocks=_blocks(code) if code else (),
            cycles_path=code.cycles_path if code else None,
            cycles_weighted=code.cycles_weighted if code else None,
            findings=_findings(assembled, name, module, function, threads),
        )

    def _threads(self, function: nodes.Function | None) -> tuple[int | None, str | None]:
        if self.threads is not None:
            return self.threads, "--block"
        return declared_threads(function)


class _PtxView:
    """What the PTX alone tells of a kernel: the same on every target."""

    def __init__(self, function: ir.Function, hot_lines: int) -> None:
        self.pressure: Pressure = pressure(function, hottest=hot_lines)
        self.mix: InstructionMix = instruction_mix(function)

    def hottest(self, code: sass.Function | None) -> tuple[HotLine, ...]:
        """The lines where most registers are live, with the SASS that they became."""
        made: dict[int, int] = defaultdict(int)
        cycles: dict[int, int] = defaultdict(int)
        for instruction in code.instructions if code else ():
            if instruction.ptx_line is not None:
                made[instruction.ptx_line] += 1
                cycles[instruction.ptx_line] += instruction.control.stall
        return tuple(
            HotLine(
                item.line,
                item.registers,
                item.text,
                made.get(item.line, 0) if code else None,
                cycles.get(item.line, 0) if code else None,
            )
            for item in self.pressure.hottest
        )


def _request(resources: FunctionResources, threads: int) -> Request | None:
    if not resources.registers:
        return None
    return Request(
        resources.registers,
        threads,
        resources.shared_bytes or 0,
        barriers=resources.barriers or 0,
    )


def _occupancy(arch: str, resources: FunctionResources, threads: int | None) -> Occupancy | None:
    request = _request(resources, threads) if threads else None
    return None if request is None else occupancy_of(model(arch), request)


def _curve(arch: str, resources: FunctionResources) -> tuple[Point, ...]:
    request = _request(resources, CURVE_THREADS[0])
    if request is None:
        return ()
    return tuple(point for point in curve(model(arch), request) if point.threads in CURVE_THREADS)


def _blocks(code: sass.Function) -> tuple[BlockReport, ...]:
    return tuple(
        BlockReport(
            block.index,
            code.instructions[block.start].offset,
            block.stop - block.start,
            block.cycles,
            block.loop_depth,
            _lines(code, block),
        )
        for block in code.blocks
    )


def _lines(code: sass.Function, block: sass.Block) -> tuple[int, ...]:
    found = {item.ptx_line for item in code.instructions[block.start : block.stop]}
    return tuple(sorted(line for line in found if line is not None))


def _findings(
    assembled: Assembled | None,
    name: str,
    module: nodes.Module | None,
    function: nodes.Function | None,
    threads: int | None,
) -> tuple[Finding, ...]:
    """What ptxas said and did to this kernel, and its register budget."""
    found: list[Finding] = []
    if assembled is not None and assembled.assembly is not None:
        said = decisions(assembled.assembly.messages)
        found += [item for item in said if item.function in (None, name)]
        found += local_memory_findings(assembled, name, module)
    if module is not None and function is not None and assembled is not None:
        budget = register_budget(
            module,
            function,
            model(assembled.arch),
            threads=threads,
            entry_registers=assembled.resources[name].registers,
        )
        found += budget.findings if budget else ()
    return tuple(found)


def local_memory_findings(
    assembled: Assembled, name: str, module: nodes.Module | None
) -> list[Finding]:
    """Spills, arrays, frames and slow paths of one section, told apart."""
    code = assembled.functions.get(name)
    if code is None:
        return []
    opcodes = _opcodes(module)
    memories = local_memories(
        name, code.instructions, code.labels, assembled.resources, opcode_at=opcodes.get
    )
    return [finding for memory in memories for finding in local_findings(memory)]


def _opcodes(module: nodes.Module | None) -> dict[int, str]:
    """PTX line -> dotted opcode."""
    if module is None:
        return {}
    return {
        module.source.line(item.start): item.mnemonic
        for item in nodes.walk(module.statements)
        if isinstance(item, nodes.Instruction)
    }


def has_errors(report: AnalyzeReport) -> bool:
    """Whether an input could not be analyzed."""
    return any(item.severity is Severity.ERROR for item in report.diagnostics)
