"""Boards: how many SMs of a capability, how fast, and how much memory bandwidth."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from ptxtool.core.errors import UsageError
from ptxtool.machine.model import Kind, Provenance


@dataclass(frozen=True)
class Board:
    """One product. Clocks are MHz, bandwidth GB/s (1e9 bytes), L2 MiB."""

    name: str
    target: str
    sms: int
    base_mhz: int
    boost_mhz: int
    memory_gb_per_second: int
    l2_mib: float
    memory: str
    provenance: Provenance


def boards() -> tuple[Board, ...]:
    """Every board with figures, by target and then by name."""
    return tuple(_boards().values())


def board(name: str) -> Board:
    """A board by its name, in any case. Raises UsageError naming the nearest known ones."""
    found = _boards().get(name.lower())
    if found is None:
        close = difflib.get_close_matches(name.lower(), _boards(), n=3, cutoff=0.4)
        names = close or list(_boards())
        raise UsageError(
            f"no figures for board {name!r}",
            help="known: " + ", ".join(_boards()[each].name for each in names),
        )
    return found


@cache
def _boards() -> Mapping[str, Board]:
    text = resources.files("ptxtool.machine").joinpath("models", "boards.toml").read_text("utf-8")
    found = [_board(row) for row in tomllib.loads(text)["board"]]
    found.sort(key=lambda each: (int(each.target[3:]), each.name))
    return {each.name.lower(): each for each in found}


def _board(row: dict[str, Any]) -> Board:
    about = Provenance(
        Kind(row.pop("kind")), row.pop("source"), row.pop("confidence"), row.pop("note", None)
    )
    return Board(**row, provenance=about)
