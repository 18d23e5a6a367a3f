"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

files_argument = click.argument("files", nargs=-1, required=True, metavar="FILE...")
arch_option = click.option(
    "--arch",
    multiple=True,
    metavar="sm_NN",
    help="Target; may be repeated. Default: the .target of the file.",
)
kernel_option = click.option(
    "--kernel", "kernel", metavar="GLOB", help="Only kernels whose name matches."
)
output_option = click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    help="Write here instead of standard output.",
)


def format_option(*formats: str) -> Callable[[F], F]:
    """`--format` with the formats that the command can draw."""
    return click.option(
        "--format",
        "style",
        type=click.Choice(formats),
        default=formats[0],
        show_default=True,
        help="How to draw the report.",
    )


def tool_options(command: F) -> F:
    """Where the CUDA tools are, how long they may run, and where results are kept."""
    for option in reversed(
        [
            click.option("--ptxas", metavar="PATH", help="This ptxas instead of the one found."),
            click.option("--nvdisasm", metavar="PATH", help="This nvdisasm."),
            click.option("--cuobjdump", metavar="PATH", help="This cuobjdump."),
            click.option("--nvcc", metavar="PATH", help="This nvcc for .cu files."),
            click.option(
                "--timeout",
                type=click.FloatRange(min=0.1),
                default=300.0,
                show_default=True,
                help="Seconds that one tool run may take.",
            ),
            click.option("--no-cache", is_flag=True, help="Do not keep or reuse tool results."),
        ]
    ):
        command = option(command)
    return command
