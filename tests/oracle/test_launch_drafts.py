"""Every kernel that real compilers made gets a draft that is a valid spec and fits it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxtool.core.source import Source
from ptxtool.launch import (
    block_threads,
    check_parameters,
    draft_spec,
    parameters_of,
    parse_spec,
    spec_cases,
)
from ptxtool.syntax import parse

pytestmark = pytest.mark.oracle

LARGEST = 100_000  # bytes of a file; larger ones only repeat the same parameter lists


def test_drafts_fit(corpus_files: list[Path]) -> None:
    kernels = 0
    for path in corpus_files:
        if path.stat().st_size > LARGEST:
            continue
        for kernel in parse(Source.read(path)).kernels:
            parameters = parameters_of(kernel)
            threads = min(block_threads(kernel) or 256, 1024)
            text = draft_spec(kernel.name, parameters, threads=threads)
            spec = parse_spec(Source.from_bytes(path.name, text.encode()), Path("."))
            complaints = check_parameters(spec, spec_cases(spec)[0], kernel.name, parameters)
            assert not complaints, str(complaints[0])
            kernels += 1
    assert kernels > 200
