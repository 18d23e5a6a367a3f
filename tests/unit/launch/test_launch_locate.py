"""The locator against tomllib: the text at a value's place must mean that value."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptxtool.core.source import Source
from ptxtool.launch.locate import Locator

DOCUMENTS = {
    "comments": "# a = 1\na = 2 # b = 3\n\n  # [x]\n[x] # y\n  b = 'c # d' # e\n",
    "strings": 'a = "q\\"u # ]"\nb = \'l\\\'\nc = """m\n"x" \\\n  y"""\nd = \'\'\'k\'s\n]\'\'\'\n',
    "quotes at the end": 'a = """x"""""\nb = \'\'\'y\'\'\'\'\nc = 1\n',
    "keys": 'a.b.c = 1\n"d e".\'f.g\' = 2\n"h\\u00e9" = 3\n1234 = 4\n-_- = 5\n',
    "arrays": "a = [1, [2, 3,], # c ]\n  {x = [4]}, 'y',\n]\nb = []\nc = [ ]\n",
    "tables": "[a]\nb = 1\n[a.c]\nd = 2\n[[e]]\nf = 3\n[[e]]\n[e.g]\nh = 4\n[[e.i]]\nj = 5\n",
    "inline": "a = {}\nb = { c = 1, d.e = 'f', g = { h = [ {i = 2} ] } }\n",
    "numbers": "a = +1_000\nb = 0xff\nc = 1e3\nd = -inf\ne = nan\nf = 1979-05-27 07:32:00\ng=true",
    "windows": "a = 1\r\n[b]\r\nc = 'd' # e\r\n",
}


def walk(value: Any, path: tuple = ()) -> Iterator[tuple[tuple, Any]]:
    yield path, value
    if isinstance(value, dict):
        for key, item in value.items():
            yield from walk(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from walk(item, (*path, index))


def check(text: str) -> None:
    locator = Locator(Source.from_bytes("t", text.encode()))
    for path, value in walk(tomllib.loads(text)):
        if not path or isinstance(value, dict):
            continue
        found = locator.value(path).text.encode("latin-1").decode()
        if isinstance(value, list) and any(isinstance(item, dict) for item in value):
            continue  # an array of tables has no text of its own
        assert repr(tomllib.loads(f"v = {found}")["v"]) == repr(value), path
        key = next(part for part in reversed(path) if isinstance(part, str))
        shown = locator.key(path).text.encode("latin-1").decode()
        assert next(iter(tomllib.loads(f"{shown} = 0"))) == key, path


@pytest.mark.parametrize("text", DOCUMENTS.values(), ids=DOCUMENTS)
def test_every_value_is_found(text: str) -> None:
    check(text)


TEXT = st.text(st.sampled_from("ab \"'#[]{}=,.\\é\n"), max_size=6)


def quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


SCALARS = st.one_of(
    st.integers(-99, 99).map(str),
    st.booleans().map(lambda value: str(value).lower()),
    TEXT.map(quoted),
    TEXT.filter(lambda text: "'" not in text and "\n" not in text).map(lambda text: f"'{text}'"),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: f"[ {' , '.join(items)}\n# ]\n]"),
        st.dictionaries(TEXT.map(quoted), inner, max_size=3).map(
            lambda items: "{ " + ", ".join(f"{key} = {item}" for key, item in items.items()) + " }"
        ),
    ),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(TEXT.map(quoted), VALUES, max_size=4), st.booleans())
def test_every_value_of_any_document_is_found(items: dict[str, str], in_table: bool) -> None:
    head = "[[t]]\n" if in_table else ""
    check(head + "".join(f"{key}= {value} # ]\n" for key, value in items.items()))


def test_paths_that_are_not_there_fall_back_to_what_is() -> None:
    locator = Locator(Source.from_bytes("t", b"[a]\nb = { c = 1 }\n"))
    assert locator.value(("a", "b", "d")).text == "{ c = 1 }"
    assert locator.key(("a", "z")).text == "a"
    assert locator.key(("q",)).start == 0
