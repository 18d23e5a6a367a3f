"""Spill bytes read off the SASS against ptxas -v, function by function."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from ptxtool import sass
from ptxtool.analysis.spills import LocalMemory, LocalUse, local_memories
from ptxtool.toolchain import Toolchain

pytestmark = [pytest.mark.oracle, pytest.mark.slow]

MESSAGES = Path(__file__).resolve().parent.parent / "support" / "messages"


def memories(toolchain: Toolchain, ptx: bytes, arch: str) -> list[tuple[str, LocalMemory]]:
    """Each function with the name that ptxas -v knows it by."""
    assembly = toolchain.assemble(ptx, arch)
    shown = toolchain.disassemble(assembly.cubin)
    lines = ptx.decode("latin-1").split("\n")

    def opcode_at(line: int) -> str | None:
        words = lines[line - 1].split() if line <= len(lines) else []
        rest = words[1:] if words and words[0].startswith("@") else words
        return rest[0] if rest else None

    found = []
    for name, function in sass.read(assembly.cubin, shown.listing, None).items():
        for each in local_memories(
            name,
            function.instructions,
            function.labels,
            assembly.functions,
            opcode_at=opcode_at,
        ):
            found.append((each.function.removeprefix(f"${name}$"), each))
    return found


def test_a_kernel_that_spills(toolchain: Toolchain) -> None:
    ((name, memory),) = memories(toolchain, (MESSAGES / "spilled.ptx").read_bytes(), "sm_80")
    assert name == "k"
    assert memory.agrees
    assert memory.spills.store_bytes > 100
    assert memory.total(LocalUse.SAVED).store_bytes == 0
    lines = memory.by_line(LocalUse.SPILL)
    assert None not in lines
    assert len(lines) > 20


def test_a_local_array_is_no_spill(toolchain: Toolchain) -> None:
    ((_, memory),) = memories(toolchain, (MESSAGES / "local_array.ptx").read_bytes(), "sm_80")
    assert memory.agrees
    assert memory.spills.store_bytes == 0
    assert memory.total(LocalUse.ARRAY).store_bytes > 0


def test_a_recursive_function_saves_registers_and_spills_none(toolchain: Toolchain) -> None:
    found = dict(memories(toolchain, (MESSAGES / "recursion.ptx").read_bytes(), "sm_80"))
    memory = found["again"]
    assert memory.agrees
    assert memory.total(LocalUse.SAVED).store_bytes > 0
    assert memory.total(LocalUse.SPILL).store_bytes == 0


def spilling_files(corpus: Path) -> list[tuple[Path, str]]:
    with (corpus / "manifest.csv").open(newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["accepted"] == "yes"]
    names = ("calls", "spill", "local")
    return [
        (corpus / row["file"], row["arch"])
        for row in rows
        if "debug" not in row["file"]
        and (row["spill_store_bytes"] not in ("", "0") or any(n in row["file"] for n in names))
    ]


def test_the_corpus_adds_up(toolchain: Toolchain, corpus: Path) -> None:
    compared = 0
    different = []
    for path, arch in spilling_files(corpus):
        for name, memory in memories(toolchain, path.read_bytes(), arch):
            if memory.stated is None:
                continue
            compared += 1
            if not memory.agrees:
                different.append((path.name, name, memory.spills, memory.stated))
    assert not different, f"{len(different)} of {compared} differ: {different[:5]}"
    assert compared > 50
