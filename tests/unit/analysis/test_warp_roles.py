"""Register budgets of warp-specialised kernels."""

from __future__ import annotations

import pytest

from ptxtool import machine
from ptxtool.analysis.launch_bounds import LaunchBounds
from ptxtool.analysis.warp_roles import Budget, entry_count, register_budget, suggest_split
from ptxtool.core.errors import UsageError
from ptxtool.core.source import Source
from ptxtool.syntax import parse

HOPPER = machine.model("sm_90a")


def budget(directives: str, *sites: str, **known: int) -> Budget | None:
    body = "\n".join(f"    {site}" for site in sites)
    text = (
        ".version 8.7\n.target sm_90a\n.address_size 64\n"
        f".visible .entry k() {directives}\n{{\n{body}\n    ret;\n}}\n"
    )
    module = parse(Source("k.ptx", text))
    assert not module.diagnostics
    return register_budget(module, module.kernels[0], HOPPER, **known)


def down(count: int) -> str:
    return f"setmaxnreg.dec.sync.aligned.u32 {count};"


def up(count: int) -> str:
    return f"setmaxnreg.inc.sync.aligned.u32 {count};"


def codes(found: Budget | None) -> list[str]:
    assert found is not None
    return [each.code for each in found.findings]


def test_a_kernel_without_setmaxnreg_has_no_budget() -> None:
    assert budget(".maxntid 384") is None


def test_a_split_that_fits_exactly_is_silent() -> None:
    found = budget(".maxntid 384 .maxnreg 168", down(24), up(240))
    assert codes(found) == []
    assert found is not None
    assert (found.needed, found.pool, found.growing_groups) == (64512, 64512, 2)


def test_a_split_over_the_file_is_found() -> None:
    found = budget(".maxntid 384 .minnctapersm 1", down(40), up(240))
    assert codes(found) == ["PTX466"]
    assert found is not None
    assert (found.needed, found.entry_registers, found.growing_groups) == (66560, 168, 1)
    assert found.findings[0].line == 7


def test_one_role_may_give_back_at_several_places() -> None:
    found = budget(".maxntid 256 .maxnreg 168", down(24), down(24), down(24), up(240))
    assert codes(found) == []
    assert found is not None
    assert found.needed == (24 + 240) * 128


def test_an_increase_that_nobody_can_get_is_an_error() -> None:
    assert codes(budget(".maxntid 384 .maxnreg 56", down(48), up(240))) == ["PTX465"]


def test_an_increase_with_nothing_given_back_waits_for_ever() -> None:
    assert codes(budget(".maxntid 256 .maxnreg 128", up(160))) == ["PTX465"]


def test_without_a_count_at_entry_ptxas_ignores_it() -> None:
    assert codes(budget(".maxntid 384", down(24))) == ["PTX460"]
    assert codes(budget("", down(24), threads=384, entry_registers=168)) == ["PTX460"]


@pytest.mark.parametrize("count", [20, 28, 16, 264])
def test_illegal_counts(count: int) -> None:
    assert "PTX462" in codes(budget(".maxntid 256 .maxnreg 200", down(count)))


def test_directions_and_guards_and_partial_groups() -> None:
    assert "PTX463" in codes(budget(".maxntid 256 .maxnreg 128", up(64)))
    assert "PTX463" in codes(budget(".maxntid 256 .maxnreg 64", down(128)))
    guarded = [".reg .pred %p;", f"@%p {down(24)}"]
    assert codes(budget(".maxntid 256 .maxnreg 64", *guarded)) == ["PTX464"]
    assert codes(budget(".maxntid 200 .maxnreg 64", down(24))) == ["PTX461"]


@pytest.mark.parametrize(
    ("bounds", "count"),
    [
        (LaunchBounds(registers=168), 168),
        (LaunchBounds(registers=300), 255),
        (LaunchBounds(maximum_threads=384, minimum_blocks=1), 168),
        (LaunchBounds(required_threads=384, minimum_blocks=3), 56),
        (LaunchBounds(maximum_threads=384), None),
        (LaunchBounds(minimum_blocks=1), None),
    ],
)
def test_the_count_at_entry(bounds: LaunchBounds, count: int | None) -> None:
    assert entry_count(bounds, HOPPER) == count


def test_a_suggested_split_fills_the_file_and_passes_its_own_check() -> None:
    assert suggest_split(HOPPER, threads=384) == (24, 240)
    for threads, need in ((384, 40), (512, 56), (640, 33), (768, 24)):
        low, high = suggest_split(HOPPER, threads=threads, producer_registers=need)
        found = budget(f".maxntid {threads} .minnctapersm 1", down(low), up(high))
        assert codes(found) == []
        assert low >= need


@pytest.mark.parametrize(("threads", "producers"), [(128, 1), (200, 1), (384, 3), (384, 0)])
def test_no_split_without_consumers(threads: int, producers: int) -> None:
    with pytest.raises(UsageError):
        suggest_split(HOPPER, threads=threads, producers=producers)


@pytest.mark.parametrize(("threads", "need"), [(256, 24), (384, 168), (384, 255), (1024, 24)])
def test_no_split_that_gains_nothing(threads: int, need: int) -> None:
    with pytest.raises(UsageError, match="no split"):
        suggest_split(HOPPER, threads=threads, producer_registers=need)
