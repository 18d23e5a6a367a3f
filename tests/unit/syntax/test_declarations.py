"""Declarations that lack a part, refused at the name as ptxas does."""

import pytest

from ptxtool.core.source import Source
from ptxtool.syntax import parse

HEAD = ".version 8.0\n.target sm_80\n"


@pytest.mark.parametrize(
    "text",
    [
        ".global x;",
        ".global .align 4 x[4];",
        ".extern .shared x[];",
        ".entry k(){ .reg x; ret; }",
        ".entry k(){ .reg .v2 x<2>; ret; }",
        ".entry k(.param x){ ret; }",
        ".entry k(.param .align 4 x[4]){ ret; }",
        ".func (.reg x) f(){ ret; }",
    ],
)
def test_a_missing_type_is_named(text):
    found = parse(Source("k.ptx", HEAD + text + "\n")).diagnostics
    assert len(found) == 1
    assert found[0].message == "no type before x"
    assert found[0].span.text == "x"


def test_a_parameter_is_no_range():
    (found,) = parse(Source("k.ptx", HEAD + ".func f(.reg .b32 %r<3>){ ret; }\n")).diagnostics
    assert found.message == "a parameter is no range"


@pytest.mark.parametrize(
    "text",
    [
        ".global .texref t;",
        ".global .align 16 .v4 .f32 x;",
        ".entry k(){ .param .b32 p<10>; ret; }",
        ".entry k(.param .u64 .ptr .global .align 16 p){ ret; }",
    ],
)
def test_a_typed_declaration_is_taken(text):
    assert not parse(Source("k.ptx", HEAD + text + "\n")).diagnostics
