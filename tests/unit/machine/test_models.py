"""The machine models: complete, sourced, and strict about what they do not know."""

from __future__ import annotations

import pytest

from ptxtool import machine
from ptxtool.core.errors import UsageError
from ptxtool.machine import Kind
from ptxtool.machine.load import parse
from ptxtool.machine.model import FIGURES

MODELS = [machine.model(name) for name in machine.known()]

SMALLEST = """
target = "sm_99"
capability = "9.9"
name = "made up"
[ptx_since]
base = "9.0"
[[facts]]
kind = "inferred"
source = "this test"
confidence = "low"
"""


def whole(**changes: int) -> str:
    facts = {name: getattr(machine.model("sm_80"), name) for name in FIGURES}
    facts |= changes
    known = {name: value for name, value in facts.items() if value is not None}
    lines = [
        f"{name} = {list(value) if isinstance(value, tuple) else value}"
        for name, value in known.items()
    ]
    return SMALLEST + "\n".join(lines)


def test_every_capability_from_turing_to_blackwell_is_known() -> None:
    assert [model.capability for model in MODELS] == [
        (7, 5), (8, 0), (8, 6), (8, 7), (8, 8), (8, 9), (9, 0),
        (10, 0), (10, 3), (10, 7), (11, 0), (12, 0), (12, 1),
    ]  # fmt: skip


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.target)
def test_every_figure_has_a_source(model: machine.Model) -> None:
    known = {name for name in FIGURES if getattr(model, name) is not None}
    assert set(model.provenance) == known
    assert all(each.source and each.confidence for each in model.provenance.values())


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.target)
def test_figures_agree_with_each_other(model: machine.Model) -> None:
    assert f"sm_{model.capability[0]}{model.capability[1]}" == model.target
    assert model.shared_carveouts[-1] == model.shared_bytes_per_sm
    assert list(model.shared_carveouts) == sorted(set(model.shared_carveouts))
    optin = model.shared_bytes_per_block_optin + model.shared_bytes_reserved
    assert optin == model.shared_bytes_per_sm
    assert model.threads_per_sm % model.warp_size == 0
    assert model.registers_per_sm % model.sub_partitions == 0


@pytest.mark.parametrize("name", ["sm_90", "sm_90a", "compute_90", "compute_90a"])
def test_names_of_one_capability_share_a_model(name: str) -> None:
    assert machine.model(name) is machine.model("sm_90")


@pytest.mark.parametrize(
    ("name", "hint"),
    [("sm_91", "sm_90"), ("sm_80a", "sm_80"), ("sm_90f", "sm_90a"), ("sm_1000", "sm_100")],
)
def test_an_unknown_target_names_the_nearest(name: str, hint: str) -> None:
    with pytest.raises(UsageError, match=name) as caught:
        machine.model(name)
    guesses = str(caught.value.help).split("?")[0]
    assert guesses.startswith("did you mean")
    assert hint in guesses


@pytest.mark.parametrize("name", ["", "hopper", "sm_", "90", "sm_90\n", "SM_90"])
def test_no_target_at_all_lists_the_known_ones(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        machine.model(name)
    assert "sm_121f" in str(caught.value.help)


def test_what_is_not_known_is_none_and_not_zero() -> None:
    assert machine.model("sm_107").cluster_blocks is None
    assert machine.model("sm_88").l1_shared_bytes_per_sm is None
    assert machine.model("sm_80").barriers_per_sm is None


def test_inferred_figures_are_marked_uncertain() -> None:
    model = machine.model("sm_107")
    assert "registers_per_sm" in model.uncertain
    assert "threads_per_sm" not in model.uncertain
    assert model.provenance["threads_per_sm"].kind is Kind.MEASURED


def test_a_model_needs_every_limit() -> None:
    with pytest.raises(ValueError, match=r"sm_99.*warp_size"):
        parse(SMALLEST)


def test_a_whole_model_parses() -> None:
    assert parse(whole(threads_per_sm=1024)).warps_per_sm == 32


def test_a_figure_that_no_model_has_is_refused() -> None:
    with pytest.raises(ValueError, match="threads_per_smm"):
        parse(whole() + "\nthreads_per_smm = 5")


def test_a_figure_said_twice_is_refused() -> None:
    again = '\n[[facts]]\nkind = "mined"\nsource = "x"\nconfidence = "low"\nwarp_size = 64'
    with pytest.raises(ValueError, match=r"warp_size.*twice"):
        parse(whole() + again)


def test_boards_belong_to_known_targets() -> None:
    boards = machine.boards()
    assert len(boards) == 25
    assert {each.target for each in boards} <= set(machine.known())
    assert all(each.base_mhz <= each.boost_mhz and each.sms > 0 for each in boards)


def test_a_board_is_found_in_any_case() -> None:
    assert machine.board("h200-sxm").sms == 132


def test_an_unknown_board_names_the_nearest() -> None:
    with pytest.raises(UsageError) as caught:
        machine.board("RTX 4080")
    assert "RTX 4090" in str(caught.value.help)


def test_suffixed_names_may_need_a_later_ptx() -> None:
    assert machine.ptx_since("sm_90") == "7.8"
    assert machine.ptx_since("sm_90a") == "8.0"
    assert machine.ptx_since("sm_100f") == "8.8"


@pytest.mark.parametrize(
    ("version", "driver"), [("6.3", 410), ("8.0", 525), ("9.0", 580), ("9.5", None), ("99.9", None)]
)
def test_drivers_by_ptx_version(version: str, driver: int | None) -> None:
    assert machine.driver_for(version) == driver


def test_ptx_versions_ascend() -> None:
    texts = [each.version for each in machine.ptx_versions()]
    assert texts == sorted(texts, key=lambda text: tuple(map(int, text.split("."))))
    assert {machine.ptx_since(name) for name in machine.targets()} <= set(texts)
