"""`ptxtool assemble`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ptxtool.cli.options import arch_option, format_option, kernel_option, tool_options


@click.command("assemble")
@click.argument("file", metavar="FILE")
@arch_option
@kernel_option
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The cubin. Default: the input's name with .cubin; with several targets, .sm_NN.cubin.",
)
@click.option(
    "--ptxas-option",
    "options",
    multiple=True,
    metavar="OPTION",
    help="Passed on to ptxas, such as -O1 or --maxrregcount=64; may be repeated.",
)
@format_option("console", "json", "markdown")
@tool_options
def command(
    file: str,
    arch: tuple[str, ...],
    kernel: str | None,
    output: Path | None,
    options: tuple[str, ...],
    style: str,
    **tools: Any,
) -> int:
    """Assemble PTX (or compile CUDA) to a cubin and show what each kernel uses."""
    from ptxtool.app.assemble import assemble
    from ptxtool.app.session import Tools
    from ptxtool.render import assemble as view

    report = assemble(
        file, tools=Tools(**tools), archs=arch, kernel=kernel, output=output, options=options
    )
    view.show(report, style=style)
    return 0
