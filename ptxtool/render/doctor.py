"""The views of `doctor`."""

from __future__ import annotations

from ptxtool.app.doctor import SCHEMA_VERSION, DoctorReport
from ptxtool.render.json import to_json
from ptxtool.render.stream import console, write_text
from ptxtool.render.table import Table
from ptxtool.render.text import line


def show(report: DoctorReport, *, style: str) -> None:
    """Draw the report in one of its styles."""
    if style == "json":
        body = {"report": report}
        write_text(to_json("doctor", body, schema=SCHEMA_VERSION), None)
        return
    out = console()
    line(out, f"ptxtool {report.ptxtool_version}, Python {report.python_version}")
    table = Table(["tool", "version", "found by", "path"])
    for tool in report.tools:
        table.add(tool.name, tool.version or "-", tool.found_by or "-", tool.path or "-")
    out.print(table.to_rich())
    for tool in report.tools:
        if tool.note:
            line(out, f"{tool.name}: {tool.note}")
        if tool.help:
            line(out, f"  help: {tool.help}")
    line(out, f"device: {report.device or report.device_note}")
