"""What ptxas accepts parses without a diagnostic, by both parsers, to equal trees."""

from __future__ import annotations

import os

import pytest

from ptxtool.core.source import Source
from ptxtool.syntax import apply_edits, parse
from ptxtool.syntax.slow import parse_slow

pytestmark = pytest.mark.oracle

# The slow path takes minutes for the whole corpus; `make oracle` runs all of it.
FULL = os.environ.get("PTXTOOL_ORACLE_FULL") == "1"
SLOW_LIMIT_BYTES = 1 << 40 if FULL else 30_000


def test_the_corpus_parses(corpus_files):
    assert len(corpus_files) >= 285
    refused = {}
    for path in corpus_files:
        module = parse(Source.read(path))
        if module.diagnostics:
            refused[path.name] = str(module.diagnostics[0])
    assert not refused


def test_the_corners_that_ptxas_accepts_parse(corners):
    files = sorted((corners / "accept").glob("*.ptx"))
    assert len(files) >= 230
    refused = {}
    for path in files:
        module = parse(Source.read(path))
        if module.diagnostics:
            refused[path.name] = str(module.diagnostics[0])
    assert not refused


def test_both_parsers_agree_on_the_corners(corners):
    for path in sorted((corners / "accept").glob("*.ptx")):
        source = Source.read(path)
        assert parse(source) == parse_slow(source), path.name


def test_both_parsers_agree_on_the_corpus(corpus_files):
    small = [path for path in corpus_files if path.stat().st_size <= SLOW_LIMIT_BYTES]
    assert len(small) >= 80
    for path in small:
        source = Source.read(path)
        assert parse(source) == parse_slow(source), path.name


def test_both_parsers_agree_on_our_own_files(own_files):
    assert len(own_files) >= 10
    for path in own_files:
        source = Source.read(path)
        assert parse(source) == parse_slow(source), path.name


def test_offsets_are_those_of_the_file(corpus_files):
    """Spans cut the text of each statement out of the bytes, and no edit changes no byte."""
    for path in corpus_files[::20]:
        source = Source.read(path)
        module = parse(source)
        assert apply_edits(source, []).to_bytes() == path.read_bytes()
        for function in module.kernels:
            assert function.body is not None
            assert source.text[function.body.start] == "{"
            assert source.text[function.body.end - 1] == "}"
            for statement in function.body.statements:
                text = source.text[statement.start : statement.end]
                assert text == text.strip()
                if type(statement).__name__ == "Instruction":
                    assert text.endswith(";")
                    assert statement.opcode in text
