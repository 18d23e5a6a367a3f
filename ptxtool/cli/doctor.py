"""`ptxtool doctor`."""

from __future__ import annotations

from typing import Any

import click

from ptxtool.cli.options import format_option, tool_options


@click.command("doctor")
@format_option("console", "json")
@tool_options
def command(style: str, **tools: Any) -> int:
    """Say which CUDA tools and devices are found, from where, and what a missing one costs."""
    from ptxtool.app.doctor import doctor
    from ptxtool.app.session import Tools
    from ptxtool.render import doctor as view

    report = doctor(Tools(**tools))
    view.show(report, style=style)
    return 0
