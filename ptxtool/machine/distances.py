"""Issue distances: how soon after a fixed-latency instruction its result can be used."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from ptxtool.core.errors import UsageError
from ptxtool.machine.load import model
from ptxtool.machine.model import Kind, Provenance

GUARD = "GUARD"  # the consumer class of a predicate that guards an instruction


@dataclass(frozen=True)
class _Table:
    about: Provenance
    class_of: Mapping[str, str]
    cycles: Mapping[str, Mapping[str, int]]  # pair -> target -> cycles


def sass_class(opcode: str) -> str | None:
    """The class of a SASS opcode such as "IMAD.WIDE.U32"; None when it has none here."""
    names = _table().class_of
    parts = opcode.split(".")
    prefixes = (".".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next((names[prefix] for prefix in prefixes if prefix in names), None)


def sass_classes() -> tuple[str, ...]:
    """Every class, and GUARD."""
    return (*dict.fromkeys(_table().class_of.values()), GUARD)


def distance(target: str, producer: str, consumer: str, *, predicate: bool = False) -> int | None:
    """Least issue distance in cycles between two classes; `predicate`: through a predicate.

    None where the pair was never seen, or waits on a scoreboard, or nothing was mined for the
    target. Raises UsageError for an unknown target or class.
    """
    base = model(target).target
    for name in (producer, consumer):
        if name not in sass_classes():
            raise UsageError(f"no SASS class {name!r}", help="known: " + ", ".join(sass_classes()))
    key = f"{producer} -> {consumer}" + (" predicate" if predicate else "")
    return _table().cycles.get(key, {}).get(base)


def distance_provenance() -> Provenance:
    """Where the distances come from."""
    return _table().about


@cache
def _table() -> _Table:
    place = resources.files("ptxtool.machine").joinpath("models", "distances.toml")
    raw = tomllib.loads(place.read_text("utf-8"))
    return _Table(
        Provenance(Kind(raw["kind"]), raw["source"], raw["confidence"]),
        {opcode: name for name, opcodes in raw["classes"].items() for opcode in opcodes},
        raw["distances"],
    )
