"""`ptxtool analyze`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ptxtool.cli.options import (
    arch_option,
    files_argument,
    format_option,
    kernel_option,
    output_option,
    tool_options,
)


@click.command("analyze")
@files_argument
@arch_option
@kernel_option
@click.option("--block", metavar="N|X,Y,Z", help="Threads of a block, for occupancy.")
@click.option(
    "--lines",
    "hot_lines",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    help="How many of the hottest PTX lines to show.",
)
@click.option("--blocks", "show_blocks", is_flag=True, help="Show every basic block.")
@click.option(
    "--deny",
    multiple=True,
    metavar="CODE",
    help="Exit 1 when a finding has this code (a prefix will do); may be repeated.",
)
@format_option("console", "json", "markdown", "github", "sarif")
@output_option
@tool_options
def command(
    files: tuple[str, ...],
    arch: tuple[str, ...],
    kernel: str | None,
    block: str | None,
    hot_lines: int,
    show_blocks: bool,
    deny: tuple[str, ...],
    style: str,
    output: Path | None,
    **tools: Any,
) -> int:
    """Say what ptxas made of each kernel: registers, spills, occupancy, hot lines, mix, cycles."""
    from ptxtool.app.analyze import analyze, denied
    from ptxtool.app.session import Tools
    from ptxtool.render import analyze as view

    report = analyze(
        files, tools=Tools(**tools), archs=arch, kernel=kernel, block=block, hot_lines=hot_lines
    )
    view.show(report, style=style, output=output, blocks=show_blocks)
    if any(str(diagnostic.severity) == "error" for diagnostic in report.diagnostics):
        return 2
    return 1 if denied(report, deny) else 0
