"""Where rendered text goes: a file, written whole, or a console as wide as its reader."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TextIO

from rich.console import Console

from ptxtool.core.files import write_atomically

# Wide enough for our tables when nobody says how wide the reader is.
DEFAULT_WIDTH = 100


def console(stream: TextIO | None = None) -> Console:
    """A console on a stream; plain and of a fixed width when it is no terminal."""
    out = stream or sys.stdout
    if out.isatty():
        return Console(file=out, highlight=False)
    width = int(os.environ.get("COLUMNS", "") or DEFAULT_WIDTH)
    return Console(file=out, highlight=False, width=width, no_color=True, soft_wrap=False)


def write_text(text: str, output: Path | None) -> None:
    """Text to a file, or to standard output when there is none (or it is `-`)."""
    if output is None or str(output) == "-":
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
        return
    write_atomically(output, (text if text.endswith("\n") else text + "\n").encode("utf-8"))
