"""Specs against a kernel's parameters, and drafts that are valid specs."""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxtool.core.source import Source
from ptxtool.launch import parse_spec, spec_cases
from ptxtool.launch.parameters import (
    KernelParameter,
    check_parameters,
    check_static_shared,
    draft_spec,
)

N = KernelParameter("n", "u32", 4, 4)
A = KernelParameter("a", "f32", 4, 4)
X = KernelParameter("x", "u64", 8, 8, is_pointer=True)
WIDE = KernelParameter("w", "u64", 8, 8)
STRUCT = KernelParameter("s", "b8", 40, 8)

SPEC = """\
schema = 1
[scalar.n]
dtype = "u32"
value = 4
[buffer.x]
dtype = "f32"
shape = 4
[[launch]]
kernel = "k"
grid = 1
block = 4
arguments = ["n", "x"]
"""


def complaints(*parameters: KernelParameter, text: str = SPEC) -> list[str]:
    spec = parse_spec(Source.from_bytes("s.toml", text.encode()), Path("."))
    return [str(item) for item in check_parameters(spec, spec_cases(spec)[0], "k", parameters)]


def test_a_fitting_spec() -> None:
    assert complaints(N, X) == []
    assert complaints(N, WIDE) == []


def test_count() -> None:
    (only,) = complaints(N, X, A)
    assert only.startswith("s.toml:12:13: error[PTX507]: `k` has 3 parameters, the spec passes 2")
    assert "n (.u32), x (.u64), a (.f32)" in only


def test_size() -> None:
    (only,) = complaints(WIDE, X)
    assert "s.toml:12:14: error[PTX507]: `n` has 4 bytes, parameter `w` (.u64) has 8" in only


def test_a_number_for_a_pointer() -> None:
    text = SPEC.replace('dtype = "u32"', 'dtype = "u64"')
    (only,) = complaints(X, X, text=text)
    assert "parameter `x` is a pointer, `n` is a plain value" in only
    assert complaints(X, X, text=text.replace("value = 4", "value = 0")) == []


def test_an_address_for_a_double() -> None:
    (only,) = complaints(N, KernelParameter("d", "f64", 8, 8))
    assert "`x` is an address, parameter `d` is .f64" in only


@pytest.mark.parametrize(
    "parameters",
    [(), (N,), (N, A, X), (WIDE, STRUCT, X), (KernelParameter("h", "f16", 2, 2),), (STRUCT,)],
    ids=lambda parameters: "-".join(item.name for item in parameters) or "none",
)
def test_a_draft_is_a_valid_spec_that_fits(parameters: tuple[KernelParameter, ...]) -> None:
    text = draft_spec('k"\\é', parameters, threads=128)
    spec = parse_spec(Source.from_bytes("d.toml", text.encode()), Path("."))
    case = spec_cases(spec)[0]
    assert case.launches[0].block == (128, 1, 1)
    assert case.launches[0].kernel == 'k"\\é'
    assert check_parameters(spec, case, 'k"\\é', parameters) == ()
    assert len(case.launches[0].arguments) == len(parameters)


def test_a_draft_marks_what_ptx_does_not_say() -> None:
    assert "address or number?" in draft_spec("k", [WIDE])
    assert "address or number?" not in draft_spec("k", [X])


def test_static_shared_memory_that_differs_is_a_warning() -> None:
    text = SPEC.replace("block = 4", "block = 4\nstatic_shared = 1024")
    spec = parse_spec(Source.from_bytes("s.toml", text.encode()), Path("."))
    case = spec_cases(spec)[0]
    (only,) = check_static_shared(spec, case, "k", 512)
    assert str(only).startswith("s.toml:12:17: warning[PTX507]: `k` has 512 bytes of static")
    assert check_static_shared(spec, case, "k", 1024) == ()
    assert check_static_shared(spec, case, "k", None) == ()
    assert check_static_shared(spec, case, "other", 512) == ()
