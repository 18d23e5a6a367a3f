"""The use case `fmt`: one layout, and the same machine code."""

from __future__ import annotations

from dataclasses import dataclass

from ptxtool.app.session import Tools, load_all, targets_for
from ptxtool.core.errors import InputError, ToolMissing, ToolRefused
from ptxtool.core.source import Source
from ptxtool.inputs import LoadedInput, only_ptx
from ptxtool.syntax import format_module, parse
from ptxtool.toolchain import Toolchain


@dataclass(frozen=True)
class FormatResult:
    """The formatted text, whether it differs, and what could not be verified."""

    text: str
    changed: bool
    notes: tuple[str, ...] = ()


def fmt(path: str, *, tools: Tools | None = None, verify: bool = True) -> FormatResult:
    """Format one file. Raises InputError for syntax errors and for any change of machine code."""
    toolchain = (tools or Tools()).toolchain()
    (loaded,) = load_all([path], toolchain)
    source = only_ptx(loaded)
    module = parse(source)
    if module.diagnostics:
        raise InputError(f"{path} has syntax errors", diagnostics=module.diagnostics)
    text = format_module(source)
    notes = _verify(loaded, source, text, toolchain) if verify and text != source.text else ()
    return FormatResult(text, text != source.text, notes)


def _verify(
    loaded: LoadedInput, source: Source, text: str, toolchain: Toolchain
) -> tuple[str, ...]:
    """Both texts must assemble to the same bytes; line tables are left out."""
    (arch,) = targets_for(loaded, ())
    try:
        before = toolchain.assemble(source.to_bytes(), arch, name=source.name, lineinfo=False)
    except ToolMissing as missing:
        return (f"not verified: {missing}",)
    except ToolRefused:
        return ("not verified: ptxas refuses the file as it is",)
    after = toolchain.assemble(text.encode("latin-1"), arch, name=source.name, lineinfo=False)
    views = [toolchain.listing(made.cubin) for made in (before, after)]
    if _code(views[0]) != _code(views[1]):
        raise InputError(
            "internal fault: formatting would change the machine code; nothing was written"
        )
    return ()


def _code(listing: str) -> list[str]:
    return [line for line in listing.splitlines() if "//##" not in line]
