"""Report objects as JSON with a schema version."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from ptxtool.core.source import Source, Span


def to_json(kind: str, body: dict[str, Any], *, schema: int) -> str:
    """One document: `schema`, `tool`, then the keys of `body`."""
    from ptxtool import __version__

    document = {
        "schema": f"ptxtool/{kind}/{schema}",
        "tool": {"name": "ptxtool", "version": __version__},
        **{key: plain(value) for key, value in body.items()},
    }
    return json.dumps(document, indent=2)


def plain(value: Any) -> Any:
    """Dataclasses, enums, spans and tuples as what JSON knows; anything else is refused."""
    if value is None or isinstance(value, str | int | float | bool):
        return value.value if isinstance(value, Enum) else value
    if isinstance(value, Span):
        return {"file": value.source.name, "line": value.line, "column": value.column}
    if isinstance(value, Source):
        return value.name
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value) if f.repr}
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        items = sorted(value) if isinstance(value, set | frozenset) else value
        return [plain(item) for item in items]
    raise TypeError(f"no JSON form for {type(value).__name__}")
