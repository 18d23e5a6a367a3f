"""What a file is, and what keeps it from being PTX."""

from __future__ import annotations

import re
from enum import StrEnum

from ptxtool.core.diagnostics import Diagnostic, Severity
from ptxtool.core.errors import InputError
from ptxtool.core.source import Source

_PREAMBLE = re.compile(
    r"^(?:Fatbin (?:ptx|elf) code:\s*\n=+\s*\n(?:[a-z_ ]+ = .*\n|[a-z]+\s*\n)*\s*)", re.MULTILINE
)
_VERSION = re.compile(r"^[ \t]*\.version[ \t]+(\d+)\.(\d+)", re.MULTILINE)
_TARGET = re.compile(r"^[ \t]*\.target[ \t]+(sm_\d+[af]?|compute_\d+[af]?)", re.MULTILINE)


class Kind(StrEnum):
    """What a file holds, told by its first bytes."""

    PTX = "ptx"
    DUMP = "cuobjdump dump"
    ELF = "elf"
    FATBIN = "fatbin"
    ARCHIVE = "archive"
    UNKNOWN = "unknown"


FATBIN_MAGIC = b"\x50\xed\x55\xba"


def kind_of(data: bytes) -> Kind:
    """The kind of a file's bytes."""
    if data.startswith(b"\x7fELF"):
        return Kind.ELF
    if data.startswith(FATBIN_MAGIC):
        return Kind.FATBIN
    if data.startswith(b"!<arch>\n"):
        return Kind.ARCHIVE
    head = data[: 1 << 16]
    if b"Fatbin ptx code" in head or b"Fatbin elf code" in head:
        return Kind.DUMP
    if b"\0" in head.rstrip(b"\0") or not head:
        return Kind.UNKNOWN
    return Kind.PTX


def ptx_source(name: str, data: bytes) -> Source:
    """The bytes of a file as PTX text. Raises InputError when it cannot be PTX."""
    if not data.strip(b"\0 \t\r\n"):
        raise InputError(f"{name} is empty", help="give a PTX file with .version and .target")
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise InputError(f"{name} is UTF-16 text", help="save it as ASCII")
    source = Source.from_bytes(name, data)
    if data.endswith(b"\0"):
        offset = len(data.rstrip(b"\0"))
        raise InputError(
            f"{name} ends with NUL bytes",
            help="ptxas stops at a NUL; cut the file, for example with `tr -d '\\000'`",
            diagnostics=[_at(source, offset, "a NUL byte", "cut the file here")],
        )
    return source


def split_dump(name: str, data: bytes) -> list[Source]:
    """The modules of a `cuobjdump -ptx` dump, preambles blanked so that lines stay."""
    text = data.decode("latin-1").replace("\r\n", "\n")
    starts = [match.start() for match in re.finditer(r"^Fatbin (?:ptx|elf) code", text, re.M)]
    modules = []
    for index, start in enumerate(starts):
        end = starts[index + 1] if index + 1 < len(starts) else len(text)
        piece = text[start:end]
        at = _VERSION.search(piece)
        if at is None:
            continue
        blanked = re.sub(r"[^\n]", " ", text[: start + at.start()])
        modules.append(
            Source(name if len(starts) == 1 else f"{name}[{index}]", blanked + piece[at.start() :])
        )
    if not modules:
        raise InputError(
            f"{name} is a cuobjdump dump without PTX",
            help="dump the PTX with `cuobjdump -ptx`, or give the binary itself",
        )
    return modules


def target_of(source: Source) -> str | None:
    """The `.target` of a module, such as "sm_90a"."""
    found = _TARGET.search(source.text)
    return found.group(1).replace("compute_", "sm_") if found else None


def version_of(source: Source) -> tuple[int, int] | None:
    """The `.version` of a module."""
    found = _VERSION.search(source.text)
    return (int(found.group(1)), int(found.group(2))) if found else None


def _at(source: Source, offset: int, message: str, help: str) -> Diagnostic:
    span = source.span(offset, offset + 1)
    return Diagnostic("PTX010", Severity.ERROR, message, span, help)
