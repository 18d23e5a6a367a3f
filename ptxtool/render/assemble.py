"""The views of `assemble`."""

from __future__ import annotations

from ptxtool.app.assemble import SCHEMA_VERSION, AssembledFile, AssembleReport
from ptxtool.render.json import to_json
from ptxtool.render.stream import console, write_text
from ptxtool.render.table import Table
from ptxtool.render.text import diagnostics, line, short_name

HEADERS = [
    "function",
    "kind",
    "regs",
    "spill st B",
    "spill ld B",
    "stack B",
    "smem B",
    "cmem B",
    "bars",
]


def show(report: AssembleReport, *, style: str) -> None:
    """Draw the report in one of its styles."""
    if style == "json":
        body = {"file": report.file, "cubins": report.cubins}
        write_text(to_json("assemble", body, schema=SCHEMA_VERSION), None)
        return
    out = console()
    for cubin in report.cubins:
        table = _table(cubin)
        if style == "markdown":
            write_text(f"{_title(cubin)}\n\n{table.to_markdown()}\n", None)
            continue
        line(out, _title(cubin))
        out.print(table.to_rich())
        diagnostics(out, cubin.messages)


def _title(cubin: AssembledFile) -> str:
    how = "from the cache" if cubin.from_cache else f"{cubin.seconds:.2f} s"
    return (
        f"{cubin.output}: {cubin.size_bytes} bytes for {cubin.arch}, "
        f"ptxas {cubin.ptxas_version}, {how}"
    )


def _table(cubin: AssembledFile) -> Table:
    table = Table(HEADERS)
    for item in cubin.functions:
        table.add(
            short_name(item.name, 40),
            item.kind,
            item.registers,
            item.spill_store_bytes,
            item.spill_load_bytes,
            item.stack_bytes,
            item.shared_bytes,
            item.constant_bytes,
            item.barriers,
        )
    return table
