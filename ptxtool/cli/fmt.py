"""`ptxtool fmt`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ptxtool.cli.options import output_option, tool_options


@click.command("fmt")
@click.argument("file", metavar="FILE")
@output_option
@click.option("--check", is_flag=True, help="Write nothing; exit 1 when the layout would change.")
@click.option("--no-verify", is_flag=True, help="Do not assemble before and after.")
@tool_options
def command(file: str, output: Path | None, check: bool, no_verify: bool, **tools: Any) -> int:
    """Print PTX in one layout, comments kept. ptxas must make the same code of both."""
    from ptxtool.app.fmt import fmt
    from ptxtool.app.session import Tools
    from ptxtool.render.stream import write_text

    result = fmt(file, tools=Tools(**tools), verify=not no_verify)
    for note in result.notes:
        click.echo(f"ptxtool: note: {note}", err=True)
    if check:
        return 1 if result.changed else 0
    write_text(result.text, output)
    return 0
