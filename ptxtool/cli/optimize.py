"""`ptxtool optimize`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ptxtool.cli.options import arch_option, format_option, kernel_option, tool_options


@click.command("optimize")
@click.argument("files", nargs=-1, metavar="FILE")
@arch_option
@kernel_option
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    help="Write the PTX here (`-`: standard output).",
)
@click.option("--diff", "show_diff", is_flag=True, help="Show the change as a unified diff.")
@click.option(
    "--report",
    "show_report",
    is_flag=True,
    help="Show per kernel what was tried, applied and refused, and why.",
)
@click.option(
    "--rule", "rules", multiple=True, metavar="NAME", help="Only this rule; may be repeated."
)
@click.option("--list-rules", is_flag=True, help="List the rules and exit.")
@format_option("console", "json", "markdown")
@tool_options
def command(
    files: tuple[str, ...],
    arch: tuple[str, ...],
    kernel: str | None,
    output: Path | None,
    show_diff: bool,
    show_report: bool,
    rules: tuple[str, ...],
    list_rules: bool,
    style: str,
    **tools: Any,
) -> int:
    """Rewrite PTX with proved rules, and keep a rewrite only when ptxas makes better code of it."""
    from ptxtool.app import optimize as use_case
    from ptxtool.app.session import Tools
    from ptxtool.render import optimize as view

    if list_rules:
        view.show_rules(use_case.rules(), style=style)
        return 0
    if len(files) != 1:
        raise click.UsageError("optimize takes one FILE (or --list-rules)")
    result = use_case.optimize_file(
        files[0], tools=Tools(**tools), archs=arch, kernel=kernel, rules=rules
    )
    use_case.write(result, output)
    view.show(result, style=style, output=output, diff=show_diff, report=show_report)
    return 0
