"""The views of `explain`."""

from __future__ import annotations

from ptxtool.app.explain import SCHEMA_VERSION, Explanation
from ptxtool.render.json import to_json
from ptxtool.render.stream import console, write_text
from ptxtool.render.text import heading, line


def show(explanation: Explanation, *, style: str) -> None:
    """Draw an explanation."""
    if style == "json":
        body = {"explanation": explanation}
        write_text(to_json("explain", body, schema=SCHEMA_VERSION), None)
        return
    out = console()
    heading(out, f"{explanation.topic} ({explanation.kind})")
    line(out, explanation.summary)
    width = max((len(name) for name, _ in explanation.facts), default=0)
    for name, text in explanation.facts:
        line(out, f"  {name:<{width}}  {text}")
