"""Results of tools on disk, by content, tool version and options. Files only, never pickles."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ptxtool.core.files import write_atomically

# Oldest entries go when the cache grows beyond this.
SIZE_LIMIT = 1 << 30
# Looking at every file on every write would cost more than the cache saves.
_TRIM_EVERY = 256
# Part of every key: entries written by another layout are never found.
_LAYOUT = "2"


def default_folder() -> Path | None:
    """PTXTOOL_CACHE, else the user's cache folder; None when it is `off`."""
    given = os.environ.get("PTXTOOL_CACHE")
    if given and given.lower() in {"off", "0", "false"}:
        return None
    if given:
        return Path(given)
    import platformdirs

    return Path(platformdirs.user_cache_dir("ptxtool"))


class Cache:
    """A folder of entries; any damage reads as a miss, any failure to write is ignored."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = None if folder is None else folder / "tools"
        self._writes = 0

    def get(self, key: str) -> tuple[dict[str, Any], bytes] | None:
        """Facts and bytes kept under a key."""
        if self.folder is None:
            return None
        path = self._path(key)
        try:
            head, _, body = path.read_bytes().partition(b"\n")
            facts = json.loads(head)
            if facts.pop("key") != key or facts.pop("digest") != _digest(body):
                return None
        except (OSError, ValueError, KeyError, AttributeError):
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return facts, body

    def put(self, key: str, facts: dict[str, Any], body: bytes) -> None:
        """Keep facts (JSON) and bytes."""
        if self.folder is None:
            return
        head = json.dumps({**facts, "key": key, "digest": _digest(body)}).encode()
        with contextlib.suppress(OSError):
            write_atomically(self._path(key), head + b"\n" + body)
        self._writes += 1
        if self._writes % _TRIM_EVERY == 0:
            self._trim()

    def _path(self, key: str) -> Path:
        assert self.folder is not None
        return self.folder / key[:2] / key

    def _trim(self) -> None:
        assert self.folder is not None
        with contextlib.suppress(OSError):
            files = [(entry.stat(), entry) for entry in self.folder.glob("??/*")]
            total = sum(facts.st_size for facts, _ in files)
            for facts, entry in sorted(files, key=lambda item: item[0].st_mtime):
                if total <= SIZE_LIMIT:
                    break
                entry.unlink(missing_ok=True)
                total -= facts.st_size


def _digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def key_of(*parts: str | bytes) -> str:
    """One key of several parts, which may hold anything."""
    digest = hashlib.sha256(_LAYOUT.encode())
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


def cached_version(identity: str, ask: Callable[[], str]) -> str:
    """A program's version, asked once per program and kept."""
    cache = Cache(default_folder())
    key = key_of("version", identity)
    found = cache.get(key)
    if found is not None and isinstance(found[0].get("version"), str):
        return str(found[0]["version"])
    version = ask()
    cache.put(key, {"version": version}, b"")
    return version
