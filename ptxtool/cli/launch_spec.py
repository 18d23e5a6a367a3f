"""`ptxtool launch-spec`."""

from __future__ import annotations

from pathlib import Path

import click

from ptxtool.cli.options import kernel_option, output_option


@click.command("launch-spec")
@click.argument("file", metavar="FILE")
@kernel_option
@output_option
def command(file: str, kernel: str | None, output: Path | None) -> int:
    """Draft a launch spec (TOML) from the parameters of a kernel."""
    from ptxtool.app.launch_spec import draft
    from ptxtool.render.stream import write_text

    write_text(draft(file, kernel), output)
    return 0
