"""Control words of encodings built field by field."""

import pytest

from ptxtool.sass.control import decode


def word(*, stall=0, stay=0, write=7, read=7, wait=0, reuse=0, operands=0):
    return (
        operands
        | stall << 105
        | stay << 109
        | write << 110
        | read << 113
        | wait << 116
        | reuse << 122
    )


def test_fields():
    found = decode(word(stall=5, stay=1, write=2, read=4, wait=0b100001, reuse=0b101))
    assert (found.stall, found.yields) == (5, False)
    assert (found.write_barrier, found.read_barrier) == (2, 4)
    assert (found.wait_mask, found.reuse) == (0b100001, 0b101)


def test_operand_bits_and_unused_bits_are_not_control():
    everything_else = (1 << 105) - 1 | 3 << 126
    assert decode(word(stall=3, operands=everything_else)) == decode(word(stall=3))


def test_no_barrier_is_none():
    found = decode(word())
    assert found.write_barrier is None
    assert found.read_barrier is None


@pytest.mark.parametrize("stall", range(16))
def test_valid_stalls(stall):
    assert decode(word(stall=stall, stay=0)).is_valid
    assert decode(word(stall=stall, stay=1)).is_valid == (1 <= stall <= 11)


def test_text():
    assert str(decode(word(stall=2, write=0, wait=0b10))) == "-1----:R-:W0:Y:S02"
