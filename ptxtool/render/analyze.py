"""The views of an analysis."""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console

from ptxtool.app.report import SCHEMA_VERSION, AnalyzeReport, KernelReport
from ptxtool.core.diagnostics import Diagnostic
from ptxtool.render.annotations import github, sarif
from ptxtool.render.json import plain, to_json
from ptxtool.render.stream import console, write_text
from ptxtool.render.table import Table, amount, percent
from ptxtool.render.text import diagnostics, heading, line, short_name


def show(report: AnalyzeReport, *, style: str, output: Path | None, blocks: bool) -> None:
    """Draw the report in one of its styles."""
    if style == "json":
        write_text(json_text(report), output)
    elif style == "markdown":
        write_text(markdown(report), output)
    elif style in ("github", "sarif"):
        write_text({"github": github, "sarif": sarif}[style](_found(report)), output)
    elif output is None:
        draw(report, console(), blocks=blocks)
    else:
        buffer = io.StringIO()
        draw(report, console(buffer), blocks=blocks)
        write_text(buffer.getvalue(), output)


def _found(report: AnalyzeReport) -> list[Diagnostic]:
    """Everything with a place: errors of the inputs, then the findings."""
    findings = [
        finding.diagnostic(kernel.file) for kernel in report.kernels for finding in kernel.findings
    ]
    return [*report.diagnostics, *findings]


def json_text(report: AnalyzeReport) -> str:
    """One object per kernel and target with plain names."""
    body = {
        "kernels": [_kernel_object(kernel) for kernel in report.kernels],
        "diagnostics": report.diagnostics,
        "notes": report.notes,
    }
    return to_json("analyze", body, schema=SCHEMA_VERSION)


def _kernel_object(kernel: KernelReport) -> dict[str, object]:
    found = dict(plain(kernel))
    found["limiter"] = kernel.limiter
    if kernel.occupancy is not None:
        occupancy = kernel.occupancy
        found["occupancy"] = {
            "fraction": occupancy.fraction,
            "blocks_per_sm": occupancy.blocks_per_sm,
            "warps_per_sm": occupancy.warps_per_sm,
            "limiters": plain(occupancy.limiters),
            "cliffs": plain(occupancy.cliffs),
        }
    return found


def draw(report: AnalyzeReport, out: Console, *, blocks: bool) -> None:
    """The console view."""
    diagnostics(out, report.diagnostics)
    for index, kernel in enumerate(report.kernels):
        if index:
            line(out, "")
        _kernel(out, kernel, blocks)
    for note in report.notes:
        line(out, f"note: {note}")


def _kernel(out: Console, kernel: KernelReport, blocks: bool) -> None:
    tool = f"  ptxas {kernel.ptxas_version}" if kernel.ptxas_version else ""
    place = f"{kernel.file}:{kernel.line}" if kernel.line else kernel.file
    heading(out, f"{short_name(kernel.kernel, 72)}  {kernel.arch}{tool}")
    line(out, f"  {place}")
    for text in (*_resources(kernel), *_occupancy(kernel), *_code(kernel), *_pressure(kernel)):
        line(out, f"  {text}")
    _hot_lines(out, kernel)
    _mix(out, kernel)
    if blocks:
        _blocks(out, kernel)
    for finding in kernel.findings:
        where = f" line {finding.line}" if finding.line else ""
        line(out, f"  {finding.severity}[{finding.code}]{where}: {finding.message}", "yellow")
        if finding.fix:
            line(out, f"    help: {finding.fix}")


def _resources(kernel: KernelReport) -> list[str]:
    if kernel.registers is None:
        return []
    spills = f"{amount(kernel.spill_store_bytes)} + {amount(kernel.spill_load_bytes)} B"
    parts = [
        f"registers {kernel.registers}",
        f"spill stores + loads {spills}",
        f"stack {amount(kernel.stack_bytes, 'B')}",
        f"shared {amount(kernel.shared_bytes, 'B')}",
        f"barriers {amount(kernel.barriers)}",
    ]
    if kernel.constant_bytes is not None:  # ptxas says nothing of it for newer targets
        parts.append(f"constant {kernel.constant_bytes} B")
    return ["   ".join(parts)]


def _occupancy(kernel: KernelReport) -> list[str]:
    found = kernel.occupancy
    if found is None:
        points = [
            f"{point.threads}: {percent(point.fraction)} ({point.limiters[0]})"
            for point in kernel.occupancy_curve
        ]
        return [f"occupancy by block size  {'   '.join(points)}"] if points else []
    head = (
        f"occupancy {percent(found.fraction)} at {kernel.block_threads} threads per block "
        f"({kernel.block_threads_source}): {found.blocks_per_sm} blocks, "
        f"{found.warps_per_sm} warps per SM; limited by {' and '.join(found.limiters)}"
    )
    steps = [
        f"{cliff.save} fewer {cliff.resource} would fit {cliff.blocks_above} blocks"
        for cliff in found.cliffs
        if cliff.save and cliff.resource in found.limiters
    ]
    return [head, *(f"  {step}" for step in steps)]


def _code(kernel: KernelReport) -> list[str]:
    if kernel.sass_instructions is None:
        return []
    return [
        f"SASS {kernel.sass_instructions} instructions in {len(kernel.sass_blocks)} blocks; "
        f"stall cycles of one warp, a lower bound: {kernel.cycles_path} along the longest path, "
        f"{kernel.cycles_weighted} with loops weighted"
    ]


def _pressure(kernel: KernelReport) -> list[str]:
    if kernel.pressure is None:
        return []
    return [
        f"PTX live registers peak at {kernel.pressure.peak_registers} "
        f"(and {kernel.pressure.peak_predicates} predicates); "
        "live in the PTX, not allocated by ptxas"
    ]


def _hot_lines(out: Console, kernel: KernelReport) -> None:
    if not kernel.hot_lines:
        return
    line(out, "  PTX lines with the most live registers")
    table = Table(["line", "live", "SASS", "stall cycles", "PTX"])
    for item in kernel.hot_lines:
        cells = (item.line, item.live_registers, item.sass_instructions, item.cycles)
        table.add(*cells, " ".join(item.text.split())[:60])
    out.print(table.to_rich())


def _mix(out: Console, kernel: KernelReport) -> None:
    if kernel.mix is None:
        return
    total = kernel.mix.total or 1
    parts = [f"{item.name} {percent(round(item.count / total, 2))}" for item in kernel.mix.classes]
    line(out, f"  mix of {kernel.mix.total} PTX instructions: {', '.join(parts[:8])}")


def _blocks(out: Console, kernel: KernelReport) -> None:
    table = Table(["block", "offset", "instructions", "stall cycles", "loop depth", "PTX lines"])
    for block in kernel.sass_blocks:
        lines = f"{block.ptx_lines[0]}-{block.ptx_lines[-1]}" if block.ptx_lines else "-"
        offset = f"{block.first_offset:#06x}"
        counts = (block.instructions, block.cycles, block.loop_depth)
        table.add(block.index, offset, *counts, lines)
    out.print(table.to_rich())


def markdown(report: AnalyzeReport) -> str:
    """One table over all kernels, for a pull request."""
    table = Table(
        ["kernel", "target", "registers", "spill B", "stack B", "shared B", "occupancy",
         "limiter", "SASS", "stall cycles (weighted)"]
    )  # fmt: skip
    for kernel in report.kernels:
        spills = (
            None
            if kernel.spill_store_bytes is None
            else kernel.spill_store_bytes + (kernel.spill_load_bytes or 0)
        )
        table.add(
            f"`{short_name(kernel.kernel)}`",
            kernel.arch,
            kernel.registers,
            spills,
            kernel.stack_bytes,
            kernel.shared_bytes,
            percent(kernel.occupancy.fraction) if kernel.occupancy else None,
            kernel.limiter,
            kernel.sass_instructions,
            kernel.cycles_weighted,
        )
    findings = [
        f"- `{kernel.file}:{finding.line or ''}` {finding.code}: {finding.message}"
        for kernel in report.kernels
        for finding in kernel.findings
    ]
    return "\n".join([table.to_markdown(), "", *findings])
