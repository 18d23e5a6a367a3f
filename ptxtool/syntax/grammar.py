"""Loading `grammar/ptx.lark` as an LALR parser, with its tables kept between runs.

The tables are rebuilt when the grammar, lark or Python changes. A cache that cannot be read or
written is ignored. Lark's tables are a pickle, so the cache lies in a folder that only its owner
can write, and is not used otherwise.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import stat
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lark import Lark

STARTS = (
    "module",
    "instruction",
    "declaration",
    "header",
    "section",
    "pragma",
    "alias",
    "prototype",
    "targets",
    "version",
    "target",
    "address_size",
    "file",
    "location",
)


def grammar_path() -> Path:
    """The grammar: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parent.parent
    inside = package / "grammar" / "ptx.lark"
    return inside if inside.is_file() else package.parent / "grammar" / "ptx.lark"


@cache
def parser() -> Lark:
    """The parser, from cached tables when they fit."""
    import lark

    text = grammar_path().read_text(encoding="utf-8")
    path = _cache_file(text, lark.__version__)
    loaded = _load(path) if path else None
    if loaded is not None:
        return loaded
    built = lark.Lark(
        text,
        parser="lalr",
        start=list(STARTS),
        maybe_placeholders=True,
        propagate_positions=True,
    )
    if path:
        _save(built, path)
    return built


def _cache_file(grammar: str, lark_version: str) -> Path | None:
    """Where the tables are kept, or None when no private folder can be had."""
    root = os.environ.get("PTXTOOL_CACHE")
    if root and root.lower() in {"off", "0", "false"}:
        return None
    import platformdirs

    base = Path(root) if root else Path(platformdirs.user_cache_dir("ptxtool"))
    key = "\0".join([grammar, lark_version, sys.version, *STARTS])
    return base / "grammar" / (hashlib.sha256(key.encode()).hexdigest()[:32] + ".lark-tables")


def _load(path: Path) -> Lark | None:
    from lark import Lark

    try:
        if not _is_private(path.parent) or not _is_private(path):
            return None
        return Lark.load(io.BytesIO(path.read_bytes()))
    except Exception:
        return None  # any damage means: build again


def _is_private(path: Path) -> bool:
    """Whether nobody else could have written this (always true where owners are unknown)."""
    if not hasattr(os, "getuid"):
        return True
    facts = path.stat()
    return facts.st_uid == os.getuid() and not facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _save(built: Lark, path: Path) -> None:
    from ptxtool.core.files import write_atomically

    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not _is_private(path.parent):
            return
        buffer = io.BytesIO()
        built.save(buffer)
        write_atomically(path, buffer.getvalue())
        path.chmod(0o600)
