"""Positions must agree with the bytes of the file, whatever its line ends."""

from hypothesis import given
from hypothesis import strategies as st

from ptxtool.core.source import Source


@given(st.text(alphabet="ab\r\n\t;", max_size=60), st.integers(min_value=0, max_value=60))
def test_line_column_finds_the_character_again(text, offset):
    offset = min(offset, len(text))
    source = Source("t.ptx", text)
    line, column = source.line_column(offset)
    assert source.line_starts[line - 1] + column - 1 == offset
    # Universal newlines count lines as every editor does.
    before = text[:offset].replace("\r\n", "\n").replace("\r", "\n").count("\n")
    split_pair = offset > 0 and text[offset - 1 : offset + 1] == "\r\n"
    assert line == before + 1 - split_pair


def test_bytes_survive():
    data = bytes(range(256))
    assert Source.from_bytes("x", data).to_bytes() == data


def test_excerpt_points_at_the_span():
    source = Source("k.ptx", "first\n  bad word here\n")
    span = source.span(8, 11)
    assert str(span) == "k.ptx:2:3"
    assert span.excerpt() == "  bad word here\n  ^^^"


def test_excerpt_of_a_very_long_line_is_cut_around_the_span():
    source = Source("k.ptx", "x" * 5000 + "BAD" + "y" * 5000)
    top, carets = source.span(5000, 5003).excerpt(width=80).split("\n")
    assert len(top) == 80
    at = carets.index("^")
    assert top[at : at + 3] == "BAD"
    assert carets.count("^") == 3
