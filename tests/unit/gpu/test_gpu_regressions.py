"""Old report against new: each kind of change planted, and damaged reports refused."""

from __future__ import annotations

import copy
import json

import pytest

from ptxtool.core.errors import InputError
from ptxtool.gpu import Change, compare_reports


def timing(median: float) -> dict:
    return {"median": median, "low": median * 0.999, "high": median * 1.001}


def ratio(value: float) -> dict:
    return {"value": value, "low": value * 0.999, "high": value * 1.001}


def report(reference: float = 1e-3, candidate: float = 0.9, **status: str) -> dict:
    return {
        "schema_version": 1,
        "environment": {"device": {"name": "board", "capability": "9.0"}},
        "variants": [
            {
                "name": "a",
                "status": status.get("a", "timed"),
                "timing": timing(reference),
                "ratio": None,
            },
            {
                "name": "b",
                "status": status.get("b", "timed"),
                "timing": timing(reference * candidate),
                "ratio": ratio(candidate),
            },
        ],
    }


def changes(old: dict, new: dict) -> dict:
    return {item.variant: item for item in compare_reports(old, new)}


def test_nothing_changed() -> None:
    found = changes(report(), report())
    assert [item.change for item in found.values()] == [Change.SAME, Change.SAME]
    assert not any(item.is_regression for item in found.values())


def test_a_lost_speed_up_is_found_by_ratio_whatever_the_clock_did() -> None:
    found = changes(report(1e-3, 0.9), report(0.99e-3, 0.95))
    assert found["a"].change is Change.SAME
    assert found["b"].change is Change.SLOWER
    assert found["b"].basis == "paired ratio"
    assert found["b"].ratio == pytest.approx(0.95 / 0.9)
    assert found["b"].is_regression
    assert changes(report(1e-3, 0.95), report(1.5e-3, 0.9))["b"].change is Change.FASTER


def test_a_slower_reference() -> None:
    assert changes(report(1e-3), report(1.05e-3))["a"].change is Change.SLOWER
    assert changes(report(1e-3), report(1.02e-3))["a"].change is Change.SAME


def test_times_of_other_boards_say_nothing() -> None:
    new = report(2e-3)
    new["environment"]["device"]["name"] = "other"
    assert changes(report(), new)["a"].change is Change.UNKNOWN


def test_broken_mended_missing_new() -> None:
    assert changes(report(), report(b="wrong"))["b"].change is Change.BROKEN
    assert changes(report(b="failed"), report())["b"].change is Change.MENDED
    less = report()
    del less["variants"][1]
    assert changes(report(), less)["b"].change is Change.MISSING
    assert changes(report(), less)["b"].is_regression
    assert changes(less, report())["b"].change is Change.NEW
    assert not changes(less, report())["b"].is_regression


def test_untimed() -> None:
    new = report()
    new["variants"][0]["timing"] = None
    assert changes(report(), new)["a"].change is Change.UNKNOWN


@pytest.mark.parametrize(
    "damage",
    [
        lambda it: it.pop("variants"),
        lambda it: it.update(schema_version=2),
        lambda it: it["variants"][0].pop("status"),
        lambda it: it["variants"][0].update(status="fine"),
        lambda it: it["variants"][0]["timing"].update(median="fast"),
        lambda it: it["variants"][0]["timing"].update(low=0),
        lambda it: it.update(variants=3),
    ],
)
def test_damaged_reports(damage) -> None:
    broken = copy.deepcopy(report())
    damage(broken)
    with pytest.raises(InputError, match="the new report"):
        compare_reports(report(), broken)
    with pytest.raises(InputError, match="the old report"):
        compare_reports(json.loads("[]"), report())
