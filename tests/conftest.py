"""Fixtures shared by all tests: the corpus, the corners and the tools."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def in_ci() -> bool:
    """CI promises the whole corpus and all tools; there a missing one is a failure, not a skip."""
    return os.environ.get("CI", "").lower() in {"1", "true", "yes"}


def absent(reason: str) -> None:
    if in_ci():
        pytest.fail(f"{reason}, and in CI no oracle test may be skipped")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The large corpus of compiler-made PTX, named by PTXTOOL_CORPUS."""
    place = os.environ.get("PTXTOOL_CORPUS")
    if not place or not Path(place).is_dir():
        absent("PTXTOOL_CORPUS does not name the corpus folder")
    return Path(place or "")


@pytest.fixture(scope="session")
def corners(corpus: Path) -> Path:
    """Tiny PTX files with ptxas's verdict; they lie beside the corpus."""
    place = corpus.parent / "corners"
    if not place.is_dir():
        absent("no corners folder beside the corpus")
    return place


@pytest.fixture(scope="session")
def corpus_files(corpus: Path) -> list[Path]:
    """Every corpus file that ptxas accepts."""
    files = sorted(corpus.rglob("*.ptx"))
    return [path for path in files if "rejected" not in path.relative_to(corpus).parts]


@pytest.fixture(scope="session")
def own_files() -> list[Path]:
    """The PTX that the project owns: the small test corpus and the samples."""
    return sorted([*(ROOT / "tests" / "corpus").rglob("*.ptx"), *(ROOT / "samples").rglob("*.ptx")])


@pytest.fixture(scope="session")
def toolchain(tmp_path_factory: pytest.TempPathFactory):
    """The CUDA tools with a result cache of this session's own."""
    from ptxtool.core.errors import ToolMissing
    from ptxtool.toolchain import Toolchain

    tools = Toolchain.discover(cache=tmp_path_factory.mktemp("tool-cache"))
    try:
        _ = tools.ptxas_version
    except ToolMissing as missing:
        absent(str(missing))
    return tools
