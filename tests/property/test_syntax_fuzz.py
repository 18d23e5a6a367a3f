"""Mutated PTX never makes the front end raise: it answers with a tree and diagnostics.

`python tests/property/test_syntax_fuzz.py 1000000` runs a million inputs; the test runs a few.
Seeds are our own files and, when PTXTOOL_CORPUS is set, the corners beside it.
"""

from __future__ import annotations

import os
import random
import sys
import time
from pathlib import Path

from ptxtool.core.source import Source
from ptxtool.syntax import Edit, apply_edits, format_module, nodes, parse

ROOT = Path(__file__).resolve().parents[2]
# Pieces that the grammar gives a meaning to; random bytes alone rarely reach it.
TOKENS = [
    ";", ",", "{", "}", "[", "]", "(", ")", "@", "!", ":", "|", "+", "-", "~", "?", "<", ">", "=",
    "<<", "&&", "==", "%", "_", ".", "::", '"', "//", "/*", "*/", "#line 3\n", "\n", "\r", "\t",
    "\0", "\x1a", "\xff", "0x", "0f3F800000", "0d", "1e3", "08", "7U", "%r1", "%rd<4>", "$L", "L:",
    ".reg", ".b32", ".entry k()", ".func", ".global", ".align 4", ".ptr", ".version 8.0",
    ".target sm_80", ".section .x {", ".loc 1 2 3", ".pragma", ".maxntid 1", "mov.b32", "call",
    "WARP_SZ", ".callprototype", ".branchtargets", ".param", "bra",
]  # fmt: skip
LONGEST = 20_000


def seeds() -> list[str]:
    """Small PTX texts to mutate."""
    files = [
        *(ROOT / "samples").rglob("*.ptx"),
        *(ROOT / "tests" / "golden" / "cases").glob("*.ptx"),
    ]
    place = os.environ.get("PTXTOOL_CORPUS")
    if place:
        files += (Path(place).parent / "corners").rglob("*.ptx")
    texts = [path.read_bytes().decode("latin-1") for path in sorted(files)]
    return [text for text in texts if len(text) < LONGEST]


def mutate(text: str, other: str, generator: random.Random) -> str:
    """One to six changes: cut, repeat, swap, insert a token, splice another seed, flip a byte."""
    for _ in range(generator.randint(1, 6)):
        a, b = sorted(generator.choices(range(len(text) + 1), k=2))
        b = min(b, a + 60)
        kind = generator.randrange(6)
        if kind == 0:
            text = text[:a] + text[b:]
        elif kind == 1:
            text = text[:b] + text[a:b] * generator.choice((1, 2, 40)) + text[b:]
        elif kind == 2:
            text = text[:a] + generator.choice(TOKENS) + text[a:]
        elif kind == 3:
            start = generator.randrange(len(other) + 1)
            text = text[:a] + other[start : start + 80] + text[b:]
        elif kind == 4 and a < len(text):
            text = text[:a] + chr(generator.randrange(256)) + text[a + 1 :]
        else:
            text = text[:a] + " " + generator.choice(TOKENS) + " " + text[b:]
    return text[:LONGEST]


def check(text: str, generator: random.Random) -> None:
    """Parse, walk, print, edit; anything but a tree with diagnostics is a fault."""
    source = Source("fuzz.ptx", text)
    began = time.process_time()
    module = parse(source)
    assert time.process_time() - began < 5
    for diagnostic in module.diagnostics:
        str(diagnostic)
    spans = [
        (statement.start, statement.end)
        for statement in nodes.walk(module.statements)
        if isinstance(statement, nodes.Instruction)
    ]
    assert all(0 <= start < end <= len(text) for start, end in spans)
    if spans:
        start, end = generator.choice(spans)
        assert apply_edits(source, [Edit(start, end, text[start:end])]).text == text
    if not module.diagnostics:
        again = parse(Source("again.ptx", format_module(source)))
        assert not again.diagnostics
        assert len([*nodes.walk(again.statements)]) == len([*nodes.walk(module.statements)])


def fuzz(count: int, seed: int) -> None:
    """Run `count` mutated inputs. A failure prints the input that made it."""
    generator = random.Random(seed)
    texts = seeds()
    for number in range(count):
        text = mutate(generator.choice(texts), generator.choice(texts), generator)
        try:
            check(text, generator)
        except BaseException:
            print(f"seed {seed} input {number}:\n{text!r}")
            raise


def test_mutated_files_never_make_it_raise():
    fuzz(3_000, seed=20)


if __name__ == "__main__":
    began = time.time()
    fuzz(int(sys.argv[1]), seed=int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    print(f"{sys.argv[1]} inputs, no fault, {time.time() - began:.0f} s")
