"""The registers that an instruction writes and reads, against nvdisasm's life ranges."""

import re
import subprocess
from collections import Counter

import pytest

from ptxtool import sass
from ptxtool.sass import effects

pytestmark = [pytest.mark.oracle, pytest.mark.slow]

FILES = {"GPR": "R", "PRED": "P", "UGPR": "UR", "UPRED": "UP"}
SECTION = re.compile(r"\s*\.section\s+\.text\.([^,\s]+)")
OFFSET = re.compile(r"\s*/\*([0-9a-f]{4,})\*/")


def life_ranges(text):
    """(section, offset) -> registers written, registers read."""
    found, section, names, columns = {}, "", [], []
    for line in text.splitlines():
        if match := SECTION.match(line):
            section = match[1]
        if "// |" not in line:
            continue
        table = line[line.index("// |") :]
        if "GPR" in table:
            names = [FILES.get(cell.strip()) for cell in table[4:].split("|")[:-1]]
        elif "#" in table:
            columns = columns_of(table, names)
        elif match := OFFSET.match(line):
            marks = [(table[a:b].strip(), unit) for a, b, unit in columns]
            found[section, int(match[1], 16)] = (
                {unit for mark, unit in marks if mark in ("^", "x")},
                {unit for mark, unit in marks if mark in ("v", "x")},
            )
    return found


def columns_of(table, names):
    columns, at = [], table.index("|") + 1
    for cell, name in zip(table[at:].split("|"), names, strict=False):
        if name is not None:
            columns += [
                (at + m.start(), at + m.end(), (name, int(m[0]))) for m in re.finditer(r"\d+", cell)
            ]
        at += len(cell) + 1
    return columns


@pytest.fixture(scope="module")
def compared(toolchain, corpus_files, tmp_path_factory):
    """Instructions compared, and those that differ, over a spread of the corpus."""
    place = tmp_path_factory.mktemp("cubins") / "k.cubin"
    known, unknown, wrong = 0, 0, Counter()
    small = [path for path in corpus_files if path.stat().st_size < 150_000]
    for path in small[::12]:
        ptx = path.read_bytes()
        arch = re.search(rb"^\.target\s+(sm_\w+)", ptx, re.M)[1].decode()
        cubin = toolchain.assemble(ptx, arch, name=path.name).cubin
        place.write_bytes(cubin)
        command = [str(toolchain.nvdisasm.path), "-c", "-plr", str(place)]
        text = subprocess.run(command, capture_output=True, text=True, timeout=120).stdout
        ranges = life_ranges(text)
        for function in sass.read(cubin, toolchain.listing(cubin)).values():
            for instruction in function.instructions:
                effect = effects.effect(instruction)
                if (function.name, instruction.offset) not in ranges:
                    continue
                if effect is None:
                    unknown += 1
                    continue
                known += 1
                written, read = ranges[function.name, instruction.offset]
                mine = {unit for unit in effect.writes if unit[0] != "B"}
                if mine != written or not read <= set(effect.reads):
                    wrong[f"{arch} {instruction.text}"] += 1
    return known, unknown, wrong


def test_writes_are_exact_and_reads_complete(compared):
    known, _, wrong = compared
    assert known > 5000
    assert not wrong, wrong.most_common(10)


def test_most_instructions_are_known(compared):
    known, unknown, _ = compared
    assert known / (known + unknown) > 0.9
