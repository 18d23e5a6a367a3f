"""Reading of one TOML table: typed keys, and a complaint about those nobody asked for."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ptxtool.core.diagnostics import Diagnostic, Severity
from ptxtool.launch.locate import Locator
from ptxtool.launch.number import Number
from ptxtool.launch.problems import BAD_FILE, BAD_KEY, BAD_VALUE, OVER_LIMIT, KeyPath, SpecProblem

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MISSING = object()
_TYPE_NAMES = {
    str: "a string",
    int: "an integer",
    bool: "true or false",
    list: "a list",
    dict: "a table",
    float: "a number",
}


class Problems:
    """Collects the faults of one spec as diagnostics."""

    def __init__(self, locator: Locator) -> None:
        self.diagnostics: list[Diagnostic] = []
        self._locator = locator

    @contextmanager
    def collect(self) -> Iterator[None]:
        """Note a SpecProblem raised inside and go on behind the block."""
        try:
            yield
        except SpecProblem as problem:
            self.add(problem)

    def add(self, problem: SpecProblem) -> None:
        """Note one problem, once."""
        at = self._locator.key if problem.on_key else self._locator.value
        diagnostic = Diagnostic(
            problem.code, Severity.ERROR, problem.message, at(problem.path), problem.help
        )
        if str(diagnostic) not in map(str, self.diagnostics):
            self.diagnostics.append(diagnostic)


class Table:
    """One table of the document. Every method raises SpecProblem."""

    def __init__(self, content: object, path: KeyPath, what: str) -> None:
        if not isinstance(content, dict):
            raise SpecProblem(BAD_VALUE, f"{what} must be a table", path)
        self._content: dict[str, Any] = content
        self._asked: list[str] = []
        self.path = path
        self.what = what

    def __contains__(self, key: str) -> bool:
        return key in self._content

    def raw(self, key: str, default: object = _MISSING) -> Any:
        """The value of a key as tomllib gives it."""
        self._asked.append(key)
        if key in self._content:
            return self._content[key]
        if default is _MISSING:
            message = f"{self.what} needs `{key}`"
            raise SpecProblem(BAD_KEY, message, self.path, on_key=True)
        return default

    def typed(self, key: str, kind: type, default: object = _MISSING) -> Any:
        """The value of a key, of a type; true is no integer."""
        value = self.raw(key, default)
        if key not in self._content:
            return value
        is_bool = isinstance(value, bool)
        if not isinstance(value, kind) or (is_bool and kind is not bool):
            raise SpecProblem(BAD_VALUE, f"`{key}` must be {_TYPE_NAMES[kind]}", (*self.path, key))
        return value

    def number(self, key: str, default: int | None = None) -> Number:
        """The value of a key as a number or an expression."""
        value = self.raw(key, _MISSING if default is None else default)
        return number(value, (*self.path, key))

    def numbers(self, key: str, most: int, default: list[int] | None = None) -> tuple[Number, ...]:
        """One number, or a list of 1 to `most`; a default may be empty."""
        value = self.raw(key, _MISSING if default is None else default)
        path = (*self.path, key)
        if key not in self._content:
            return tuple(Number(item, path) for item in value)
        if not isinstance(value, list):
            return (number(value, path),)
        if not 1 <= len(value) <= most:
            raise SpecProblem(BAD_VALUE, f"`{key}` must be a list of 1 to {most} numbers", path)
        return tuple(number(item, (*path, index)) for index, item in enumerate(value))

    def named(self, key: str) -> Iterator[tuple[str, Any, KeyPath]]:
        """The entries of a table whose keys are names given by the user."""
        content = self.typed(key, dict, {})
        for name, value in content.items():
            path = (*self.path, key, name)
            if not _NAME.fullmatch(name):
                message = f"`{name}` is not a name (letters, digits and _, no digit first)"
                raise SpecProblem(BAD_KEY, message, path, on_key=True)
            yield name, value, path

    def finish(self) -> None:
        """Complain about the first key that was not asked for."""
        for key in self._content:
            if key in self._asked:
                continue
            close = difflib.get_close_matches(key, self._asked, 1)
            known = ", ".join(f"`{name}`" for name in sorted(set(self._asked)))
            raise SpecProblem(
                BAD_KEY,
                f"{self.what} has no key `{key}`",
                (*self.path, key),
                help=f"did you mean `{close[0]}`?" if close else f"its keys: {known}",
                on_key=True,
            )


def number(value: object, path: KeyPath) -> Number:
    """A number or expression of the document. Raises SpecProblem."""
    if isinstance(value, int | float | str) and not isinstance(value, bool):
        return Number(value, path)
    raise SpecProblem(BAD_VALUE, "expected a number or an expression in quotes", path)


def at_most(items: list[Any], most: int, what: str, path: KeyPath) -> None:
    """Refuse more than `most` of something."""
    if len(items) > most:
        raise SpecProblem(OVER_LIMIT, f"{len(items)} {what}: at most {most} are allowed", path)


def inside(folder: Path, name: object, path: KeyPath) -> Path:
    """The path of a file of the spec's folder; links that lead outside are refused too."""
    if not isinstance(name, str) or not name or "\0" in name:
        raise SpecProblem(BAD_VALUE, "expected the name of a file", path)
    root = folder.resolve()
    try:
        found = (root / name).resolve()
        is_file = found.is_file()
    except (OSError, RuntimeError) as error:
        raise SpecProblem(BAD_FILE, f"cannot read `{name[:200]}`: {error}", path) from None
    if not found.is_relative_to(root) or Path(name).is_absolute():
        help = "keep the file beside the spec and name it relative to it"
        raise SpecProblem(BAD_FILE, f"`{name}` is outside the spec's folder", path, help=help)
    if not is_file:
        raise SpecProblem(BAD_FILE, f"`{name}` is not a file in the spec's folder", path)
    return found
