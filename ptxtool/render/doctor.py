"""The views of `doctor`."""

from __future__ import annotations

from ptxtool.app.doctor import SCHEMA_VERSION, DoctorReport
from ptxtool.render.json import to_json
from ptxtool.render.stream import console, write_text
from ptxtool.render.text import line


def show(report: DoctorReport, *, style: str) -> None:
    """Draw the report in one of its styles."""
    if style == "json":
        body = {"report": report}
        write_text(to_json("doctor", body, schema=SCHEMA_VERSION), None)
        return
    out = console()
    line(out, f"ptxtool {report.ptxtool_version}, Python {report.python_version}")
    for tool in report.tools:
        # A line each: a path that is folded cannot be copied.
        found = f"{tool.path} ({tool.found_by})" if tool.path else "not found"
        line(out, f"  {tool.name:<9} {tool.version or '':<8} {found}")
    for tool in report.tools:
        if tool.note:
            line(out, f"{tool.name}: {tool.note}")
        if tool.help:
            line(out, f"  help: {tool.help}")
    line(out, f"device: {report.device or report.device_note}")
