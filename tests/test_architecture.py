"""The layers and the size budgets that keep the project readable."""

from __future__ import annotations

import ast
import statistics
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "ptxtool"

LEVEL = {
    "core": 0,
    "syntax": 1,
    "isa": 1,
    "machine": 1,
    "ir": 2,
    "sass": 2,
    "toolchain": 2,
    "inputs": 3,
    "cost": 3,
    "launch": 3,
    "analysis": 4,
    "execute": 4,
    "rewrite": 5,
    "gpu": 5,
    "app": 6,
    "render": 7,
    "cli": 8,
}

# A library that only one room may use.
OWNER = {
    "subprocess": "toolchain",
    "cuda.pathfinder": "toolchain",
    "cuda.core": "gpu",
    "cuda.bindings": "gpu",
    "click": "cli",
    "rich": "render",
    "lark": "syntax",
    "elftools": "sass",
}
# Rooms that may use a library beside its owner.
ALSO = {"rich": {"cli"}, "elftools": {"inputs"}}

MODULES = sorted(PACKAGE.rglob("*.py"))


def room_of(path: Path) -> str | None:
    parts = path.relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else None


def imports_of(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            module = node.module or ""
            names.add(module)
            names.update(f"{module}.{alias.name}" for alias in node.names)
    return names


def functions_of(path: Path) -> list[tuple[str, int]]:
    tree = ast.parse(path.read_text())
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found.append((f"{path.name}:{node.name}", (node.end_lineno or 0) - node.lineno + 1))
    return found


def test_every_room_has_a_level() -> None:
    rooms = {room for path in MODULES if (room := room_of(path))}
    assert rooms <= set(LEVEL), rooms - set(LEVEL)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_downwards(path: Path) -> None:
    room = room_of(path)
    if room is None:
        return
    for name in imports_of(path):
        parts = name.split(".")
        if parts[0] != "ptxtool" or len(parts) < 2 or parts[1] not in LEVEL:
            continue
        other = parts[1]
        assert other == room or LEVEL[other] < LEVEL[room], f"{path}: {room} imports {name}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_libraries_stay_in_their_room(path: Path) -> None:
    for name in imports_of(path):
        for library, owner in OWNER.items():
            if name == library or name.startswith(library + "."):
                allowed = {owner} | ALSO.get(library, set())
                assert room_of(path) in allowed, f"{path} imports {library}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_module_size(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 400


def test_function_sizes() -> None:
    sizes = [size for path in MODULES for _, size in functions_of(path)]
    longest = [name for path in MODULES for name, size in functions_of(path) if size > 60]
    assert not longest, longest
    assert statistics.median(sizes) <= 10
    assert statistics.quantiles(sizes, n=10)[-1] <= 30
