"""Reading the models: one TOML file per compute capability, figures grouped by their source."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any

from ptxtool.core.errors import UsageError
from ptxtool.machine.model import FIGURES, Kind, Model, Provenance

_TARGET = re.compile(r"(?:sm|compute)_(\d+)([a-z]?)")
_ABOUT = ("kind", "source", "confidence", "note")


def model(target: str) -> Model:
    """The model of a target such as "sm_90a": suffixes share the figures of their capability.

    Raises UsageError for a target without a model, naming the nearest known ones.
    """
    match = _TARGET.fullmatch(target)
    found = _models().get(f"sm_{match[1]}") if match else None
    if match is None or found is None or match[2] not in ("", *found.suffixes):
        raise UsageError(f"no machine model for target {target!r}", help=_suggest(target))
    return found


def ptx_since(target: str) -> str:
    """The oldest `.version` that can name a target. Raises UsageError as `model` does."""
    found = model(target)
    return found.ptx_since[target.partition("_")[2].lstrip("0123456789")]


def known() -> tuple[str, ...]:
    """Every base target with a model, oldest first."""
    return tuple(_models())


def targets() -> tuple[str, ...]:
    """Every target name that `model` accepts as sm_..., with the suffixed ones."""
    return tuple(
        each.target + suffix for each in _models().values() for suffix in ("", *each.suffixes)
    )


def _suggest(target: str) -> str:
    close = difflib.get_close_matches(target, targets(), n=3, cutoff=0.75)
    hint = f"did you mean {', '.join(close)}? " if close else ""
    return f"{hint}known: {', '.join(targets())}"


@cache
def _models() -> Mapping[str, Model]:
    found = sorted(map(parse, _texts()), key=lambda each: each.capability)
    return MappingProxyType({each.target: each for each in found})


def _texts() -> Iterator[str]:
    for entry in resources.files("ptxtool.machine").joinpath("models").iterdir():
        if entry.name.startswith("sm_") and entry.name.endswith(".toml"):
            yield entry.read_text(encoding="utf-8")


def parse(text: str) -> Model:
    """Build a model from its TOML. Raises ValueError when a figure is missing or said twice."""
    table = tomllib.loads(text)
    values: dict[str, Any] = {}
    provenance: dict[str, Provenance] = {}
    for group in table["facts"]:
        source = _provenance(group)
        for name, value in group.items():
            if name in _ABOUT:
                continue
            if name not in FIGURES or name in values:
                raise ValueError(f"{table['target']}: figure {name!r} is unknown or said twice")
            values[name] = tuple(value) if isinstance(value, list) else value
            provenance[name] = source
    since = {"" if name == "base" else name: text for name, text in table["ptx_since"].items()}
    major, minor = (int(part) for part in table["capability"].split("."))
    try:
        return Model(
            target=table["target"],
            capability=(major, minor),
            name=table["name"],
            ptx_since=MappingProxyType(since),
            provenance=MappingProxyType(provenance),
            **values,
        )
    except TypeError as error:
        raise ValueError(f"{table['target']}: {error}") from error


def _provenance(group: Mapping[str, Any]) -> Provenance:
    return Provenance(Kind(group["kind"]), group["source"], group["confidence"], group.get("note"))
