"""`ptxtool check`."""

from __future__ import annotations

from pathlib import Path

import click

from ptxtool.cli.options import files_argument, format_option, output_option


@click.command("check")
@files_argument
@click.option("--select", multiple=True, metavar="CODE", help="Only these codes (prefixes).")
@click.option("--ignore", multiple=True, metavar="CODE", help="Not these codes (prefixes).")
@format_option("console", "json", "github", "sarif")
@output_option
def command(
    files: tuple[str, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    style: str,
    output: Path | None,
) -> int:
    """List every syntax error and undeclared name; needs no NVIDIA software. Exit 1 on an error."""
    from ptxtool.app.check import check
    from ptxtool.render import check as view

    report = check(files, select=select, ignore=ignore)
    view.show(report, style=style, output=output)
    return 1 if report.errors else 0
