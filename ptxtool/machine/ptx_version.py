"""PTX versions: which CUDA release brought them, and which driver branch loads them."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources

from ptxtool.machine.model import Kind, Provenance


@dataclass(frozen=True)
class PtxVersion:
    """One `.version`; `cuda` and `driver` (the oldest branch) are None where not known."""

    version: str
    cuda: str | None
    driver: int | None
    provenance: Provenance


@cache
def ptx_versions() -> tuple[PtxVersion, ...]:
    """Every version from 6.0 on that ptxas takes, oldest first."""
    place = resources.files("ptxtool.machine").joinpath("models", "ptx_versions.toml")
    table = tomllib.loads(place.read_text("utf-8"))
    about = Provenance(Kind(table["kind"]), table["source"], table["confidence"], table.get("note"))
    return tuple(
        PtxVersion(row["ptx"], row.get("cuda"), row.get("driver"), about)
        for row in table["version"]
    )


def driver_for(version: str) -> int | None:
    """The oldest driver branch that loads a `.version`; None when that is not known."""
    return next((each.driver for each in ptx_versions() if each.version == version), None)
