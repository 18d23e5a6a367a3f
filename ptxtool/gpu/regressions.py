"""Two benchmark reports of different days: what became slower, faster, wrong or vanished."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ptxtool.core.errors import InputError
from ptxtool.gpu.report import SCHEMA_VERSION, Status

# Times of different runs share no rounds, so a change between them counts only past this much
# more than the interval: clocks and boards differ from day to day.
ABSOLUTE_DELTA = 0.03


class Change(StrEnum):
    """What became of a variant."""

    SLOWER = "slower"
    FASTER = "faster"
    SAME = "same"
    BROKEN = "broken"  # was right, is wrong or does not run
    MENDED = "mended"
    MISSING = "missing"
    NEW = "new"
    UNKNOWN = "unknown"  # no times on one side


@dataclass(frozen=True)
class BenchChange:
    """One variant in two reports. `ratio` is new over old, and what it is a ratio of."""

    variant: str
    change: Change
    basis: str  # "paired ratio" or "time"
    ratio: float | None = None
    detail: str = ""

    @property
    def is_regression(self) -> bool:
        """Whether a gate should fail on it."""
        return self.change in (Change.SLOWER, Change.BROKEN, Change.MISSING)


def compare_reports(
    old: Mapping[str, Any], new: Mapping[str, Any], *, delta: float = 0.01
) -> tuple[BenchChange, ...]:
    """Compare reports as `BenchReport.to_json` gives them. Raises InputError.

    Variants are compared by their ratio to the reference, which was paired within each report;
    the reference itself by its time, and only on the same board.
    """
    before, after = _variants(old, "old"), _variants(new, "new")
    same_board = _board(old) == _board(new)
    found = []
    for name in dict.fromkeys([*before, *after]):
        if name not in after:
            found.append(BenchChange(name, Change.MISSING, "time"))
        elif name not in before:
            found.append(BenchChange(name, Change.NEW, "time"))
        else:
            found.append(_compare(name, before[name], after[name], same_board, delta))
    return tuple(found)


def _variants(report: Mapping[str, Any], which: str) -> dict[str, Mapping[str, Any]]:
    version = report.get("schema_version") if isinstance(report, Mapping) else None
    if version != SCHEMA_VERSION:
        raise InputError(
            f"the {which} report has schema version {version}, this version reads {SCHEMA_VERSION}"
        )
    try:
        variants = {str(item["name"]): item for item in report["variants"]}
        for item in variants.values():
            _checked(item)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"the {which} report is damaged: {error!r}") from None
    return variants


def _checked(item: Mapping[str, Any]) -> None:
    """Touch everything that is used later. Raises KeyError, TypeError, ValueError."""
    Status(item["status"])
    for part, keys in (("timing", ("median", "low", "high")), ("ratio", ("value", "low", "high"))):
        if item[part] is not None:
            for key in keys:
                if not float(item[part][key]) > 0:
                    raise ValueError(f"{part}.{key} is not above zero")


def _board(report: Mapping[str, Any]) -> object:
    try:
        device = report["environment"]["device"]
        return device["name"], device["capability"]
    except (KeyError, TypeError):
        return None


def _compare(
    name: str,
    old: Mapping[str, Any],
    new: Mapping[str, Any],
    same_board: bool,
    delta: float,
) -> BenchChange:
    good = (Status.TIMED, Status.CORRECT)
    if old["status"] in good and new["status"] not in good:
        return BenchChange(name, Change.BROKEN, "time", detail=f"is {new['status']} now")
    if old["status"] not in good and new["status"] in good:
        return BenchChange(name, Change.MENDED, "time", detail=f"was {old['status']}")
    if old["ratio"] is not None and new["ratio"] is not None:
        return _moved(name, "paired ratio", old["ratio"], new["ratio"], "value", delta)
    if old["timing"] is None or new["timing"] is None:
        return BenchChange(name, Change.UNKNOWN, "time", detail="not timed in both reports")
    if not same_board:
        return BenchChange(name, Change.UNKNOWN, "time", detail="timed on different boards")
    limit = max(delta, ABSOLUTE_DELTA)
    return _moved(name, "time", old["timing"], new["timing"], "median", limit)


def _moved(
    name: str, basis: str, old: Mapping[str, Any], new: Mapping[str, Any], key: str, delta: float
) -> BenchChange:
    """A move counts if the intervals are apart by more than delta, in the direction it went."""
    change = Change.SAME
    if float(new["low"]) > float(old["high"]) * (1 + delta):
        change = Change.SLOWER
    elif float(new["high"]) < float(old["low"]) * (1 - delta):
        change = Change.FASTER
    return BenchChange(name, change, basis, float(new[key]) / float(old[key]))
