"""From a cubin and nvdisasm's texts to functions."""

from __future__ import annotations

import re

from ptxtool.sass.control import decode
from ptxtool.sass.elf import CodeSection, code_sections
from ptxtool.sass.flow import build_flow
from ptxtool.sass.listing import Listed, read_listing, read_live_counts
from ptxtool.sass.model import Function, Instruction, LiveCounts

INSTRUCTION_BYTES = 16
_PREDICATE = re.compile(r"^@(!?U?P[T\d]+)\s+")


def read(cubin: bytes, listing: str, live_counts: str | None = None) -> dict[str, Function]:
    """Every function of a cubin, by section name. Raises InputError for what is no cubin."""
    listed = read_listing(listing)
    live = read_live_counts(live_counts) if live_counts else {}
    functions = {}
    for section in code_sections(cubin):
        if section.name in listed:
            function = _function(section, listed[section.name], live.get(section.name, {}))
            functions[section.name] = function
    return functions


def _function(section: CodeSection, listed: Listed, live: dict[int, LiveCounts]) -> Function:
    instructions = [
        _instruction(section, offset, text, listed.ptx_lines.get(offset), live.get(offset))
        for offset, text in sorted(listed.texts.items())
        if offset + INSTRUCTION_BYTES <= len(section.data)
    ]
    kept = _without_padding(instructions, listed.labels)
    function = Function(
        section.name,
        kept,
        dict(listed.labels),
        padding=len(instructions) - len(kept),
        is_entry=listed.is_entry,
    )
    build_flow(function)
    return function


def _instruction(
    section: CodeSection, offset: int, text: str, line: int | None, live: LiveCounts | None
) -> Instruction:
    encoding = int.from_bytes(section.data[offset : offset + INSTRUCTION_BYTES], "little")
    predicate, opcode, operands = split(text)
    return Instruction(
        offset, text, predicate, opcode, operands, encoding, decode(encoding), line, live
    )


def split(text: str) -> tuple[str | None, str, tuple[str, ...]]:
    """Predicate, opcode and operands of an instruction's text."""
    found = _PREDICATE.match(text)
    predicate = found.group(1) if found else None
    rest = text[found.end() :] if found else text
    opcode, _, operands = rest.partition(" ")
    parts = [part.strip() for part in re.split(r",(?![^\[({]*[\])}])", operands) if part.strip()]
    return predicate, opcode, tuple(parts)


def _without_padding(code: list[Instruction], labels: dict[str, int]) -> list[Instruction]:
    """Cut the NOPs and the branch to itself that fill the end of a section."""
    stop = len(code)
    while stop and code[stop - 1].base == "NOP":
        stop -= 1
    last = code[stop - 1] if stop else None
    if last is None or last.predicate is not None:
        return code
    if last.base == "BRA":
        names = [operand.strip("`()") for operand in last.operands]
        if any(labels.get(name) == last.offset for name in names):
            return code[: stop - 1]
    return code[:stop] if last.base in ("EXIT", "RET", "BRA") else code
