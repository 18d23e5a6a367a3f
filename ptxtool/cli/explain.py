"""`ptxtool explain`."""

from __future__ import annotations

import click

from ptxtool.cli.options import format_option


@click.command("explain")
@click.argument("topic", metavar="TOPIC")
@format_option("console", "json")
def command(topic: str, style: str) -> int:
    """Explain an opcode (mad.wide), a rewrite rule or a diagnostic code (PTX104)."""
    from ptxtool.app.explain import explain
    from ptxtool.render import explain as view

    view.show(explain(topic), style=style)
    return 0
