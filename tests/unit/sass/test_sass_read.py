"""Reading listings, flow and cycles on small texts; damaged files."""

import pytest

from ptxtool.core.errors import InputError
from ptxtool.sass import Block, Function, architecture, read, resources
from ptxtool.sass.listing import read_listing, read_live_counts
from ptxtool.sass.read import split

LISTING = """\
\t.target\tsm_90
//--------------------- .text.one --------------------------
\t.section\t.text.one,"ax",@progbits
        .other          one,@"STO_CUDA_ENTRY STV_DEFAULT"
one:
.text.one:
\t//## File ".nv_debug_ptx_txt", line 12
        /*0000*/                   IADD3 R0, R1, 0x4, RZ ;
.L_x_0:
        /*0010*/              @!P0 BRA `(.L_x_0) ;
.L_x_9:
//--------------------- .text.two --------------------------
\t.section\t.text.two,"ax",@progbits
        .other          two,@"STV_DEFAULT STO_CUDA_OTHER"
two:
        /*0000*/                   EXIT ;
"""


def test_listing_joins_lines_and_labels():
    found = read_listing(LISTING)
    assert found["one"].texts == {0: "IADD3 R0, R1, 0x4, RZ", 16: "@!P0 BRA `(.L_x_0)"}
    assert found["one"].ptx_lines == {0: 12, 16: 12}
    assert found["one"].labels[".L_x_0"] == 16
    assert found["one"].is_entry
    assert not found["two"].is_entry
    assert found["two"].ptx_lines == {}


def test_a_label_at_the_end_of_a_section_does_not_reach_the_next():
    assert ".L_x_9" not in read_listing(LISTING)["two"].labels


def test_live_counts():
    text = (
        '\t.section\t.text.k,"ax",@progbits\n'
        "   // | GPR   | PRED   | UGPR   |\n"
        "   // |   #   |   #    |   #    |\n"
        "        /*0010*/                   EXIT ;   // |  12   |        |   2    |\n"
    )
    counts = read_live_counts(text)["k"][16]
    assert (counts.gpr, counts.predicate, counts.uniform) == (12, 0, 2)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("EXIT", (None, "EXIT", ())),
        ("@!UP0 BRA `(.L_x_1)", ("!UP0", "BRA", ("`(.L_x_1)",))),
        ("IMAD R1, RZ, RZ, c[0x0][0x28]", (None, "IMAD", ("R1", "RZ", "RZ", "c[0x0][0x28]"))),
        ("STG.E desc[UR4][R2.64+0x8], R7", (None, "STG.E", ("desc[UR4][R2.64+0x8]", "R7"))),
    ],
)
def test_split(text, expected):
    assert split(text) == expected


def blocks(*edges, cycles):
    made = [Block(i, i, i + 1, successors=edge, cycles=cycles[i]) for i, edge in enumerate(edges)]
    return Function("k", [], blocks=made)


def test_the_path_passes_a_loop_once():
    assert blocks((1,), (1, 2), (), cycles=(1, 10, 100)).cycles_path == 111


def test_the_path_visits_cold_blocks_laid_behind():
    # 0 -> 3 (cold, behind the end) -> 1 -> 2
    assert blocks((1, 3), (2,), (), (1,), cycles=(1, 2, 4, 50)).cycles_path == 57


def test_the_path_of_nothing():
    assert Function("k", []).cycles_path == 0


@pytest.mark.parametrize(
    "data", [b"", b"\x7fELF", b"MZ" * 40, bytes(64), b"\x7fELF" + b"\xff" * 99]
)
def test_what_is_no_cubin(data):
    for use in (resources, architecture, lambda cubin: read(cubin, "", None)):
        with pytest.raises(InputError):
            use(data)
