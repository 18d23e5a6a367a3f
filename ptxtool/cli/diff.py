"""`ptxtool diff`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ptxtool.cli.options import (
    arch_option,
    format_option,
    kernel_option,
    output_option,
    tool_options,
)


@click.command("diff")
@click.argument("before", metavar="A")
@click.argument("after", metavar="B")
@arch_option
@kernel_option
@click.option(
    "--context",
    type=click.IntRange(min=0),
    default=2,
    show_default=True,
    help="Unchanged instructions shown around a change.",
)
@click.option("--summary", is_flag=True, help="Verdicts and resources only, no instructions.")
@format_option("console", "json", "markdown")
@output_option
@tool_options
def command(
    before: str,
    after: str,
    arch: tuple[str, ...],
    kernel: str | None,
    context: int,
    summary: bool,
    style: str,
    output: Path | None,
    **tools: Any,
) -> int:
    """Compare the machine code of two .ptx, .cu or cubin files. Exit 1 when it differs."""
    from ptxtool.app.diff import diff
    from ptxtool.app.session import Tools
    from ptxtool.render import diff as view

    report = diff(before, after, tools=Tools(**tools), archs=arch, kernel=kernel)
    view.show(
        report, style=style, output=output, context=0 if summary else context, summary=summary
    )
    return 0 if report.identical else 1
