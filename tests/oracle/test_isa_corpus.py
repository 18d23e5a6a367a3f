"""Over everything ptxas accepts: no unknown form, no false alarm, no address as a destination."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from ptxtool import ir
from ptxtool.core.source import Source
from ptxtool.syntax import nodes, parse

pytestmark = [pytest.mark.oracle, pytest.mark.slow]


def check(paths: list[Path]) -> tuple[int, Counter[str]]:
    wrong: Counter[str] = Counter()
    count = 0
    for path in paths:
        module = parse(Source.read(path))
        for function in (ir.build(item, module) for item in module.functions):
            count += len(function.instructions)
            wrong.update(f"{path.name}: {d.message}" for d in function.diagnostics)
            wrong.update(
                f"{path.name}: {i.node.mnemonic} writes an address"
                for i in function.instructions
                if i.form and i.form.destinations and isinstance(i.node.operands[0], nodes.Address)
            )
    return count, wrong


def test_corpus(corpus_files: list[Path]) -> None:
    count, wrong = check(corpus_files)
    assert not wrong, wrong.most_common(5)
    assert count > 100_000


def test_accepted_corners(corners: Path) -> None:
    count, wrong = check(sorted((corners / "accept").rglob("*.ptx")))
    assert not wrong, wrong.most_common(5)
    assert count > 100
