"""Settings from `ptxtool.toml` or `[tool.ptxtool]` in `pyproject.toml`.

Keys are the long option names; a key at the top is the default of every command, a table named
after a command holds that command's own: `arch = ["sm_90"]`, `[optimize] rules = [...]`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ptxtool.core.errors import UsageError

# Top-level keys that reach every command.
SHARED = ("arch", "ptxas", "nvdisasm", "cuobjdump", "nvcc", "cache", "timeout")


def find_settings(start: Path) -> tuple[Path, dict[str, Any]] | None:
    """The nearest settings at or above `start`, or None. Raises UsageError on broken TOML."""
    for folder in (start, *start.parents):
        own = folder / "ptxtool.toml"
        if own.is_file():
            return own, _read(own)
        project = folder / "pyproject.toml"
        if project.is_file():
            table = _read(project).get("tool", {}).get("ptxtool")
            if isinstance(table, dict):
                return project, table
    return None


def load_settings(commands: Iterable[str], start: Path | None = None) -> dict[str, Any]:
    """Settings as option defaults per command. Raises UsageError on an unknown key."""
    found = find_settings(start or Path.cwd())
    if found is None:
        return {}
    path, table = found
    names = set(commands)
    shared = {key: value for key, value in table.items() if key in SHARED}
    unknown = [key for key in table if key not in names and key not in SHARED]
    if unknown:
        raise UsageError(
            f"{path}: unknown setting {unknown[0]!r}",
            help=f"settings are {', '.join(SHARED)}, or a table named after a command",
        )
    return {name: {**shared, **_keys(path, name, table.get(name, {}))} for name in names}


def _keys(path: Path, command: str, table: Any) -> dict[str, Any]:
    if not isinstance(table, dict):
        raise UsageError(f"{path}: [{command}] must be a table")
    return {key.replace("-", "_"): value for key, value in table.items()}


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise UsageError(f"{path}: {error}") from error
