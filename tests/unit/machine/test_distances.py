"""Mined issue distances: lookups, gaps that stay unknown, and the table's own consistency."""

from __future__ import annotations

import pytest

from ptxtool.core.errors import UsageError
from ptxtool.machine.distances import (
    distance,
    distance_provenance,
    sass_class,
    sass_classes,
)
from ptxtool.machine.model import Kind


@pytest.mark.parametrize(
    ("opcode", "name"),
    [
        ("FFMA", "FMA"),
        ("FFMA.FTZ", "FMA"),
        ("IMAD.WIDE.U32", "IMAD.WIDE"),
        ("IMAD.MOV.U32", "IMAD"),
        ("HFMA2.MMA.BF16_V2", "HFMA2.MMA"),
        ("HFMA2.BF16_V2", "FP16"),
        ("ISETP.GE.AND", "SELECT"),
        ("LDG.E.128", "LSU"),
        ("BRA", None),
        ("", None),
    ],
)
def test_classes_go_by_the_longest_prefix(opcode: str, name: str | None) -> None:
    assert sass_class(opcode) == name


@pytest.mark.parametrize(
    ("target", "cycles"), [("sm_75", 4), ("sm_80", 4), ("sm_90a", 4), ("sm_120f", 4)]
)
def test_a_chain_of_fma(target: str, cycles: int) -> None:
    assert distance(target, "FMA", "FMA") == cycles


def test_crossing_pipes_costs_one_more() -> None:
    assert distance("sm_90", "FMA", "ALU") == 5
    assert distance("sm_90", "SELECT", "GUARD", predicate=True) == 13


def test_what_was_not_mined_is_unknown() -> None:
    assert distance("sm_110", "FMA", "FMA") is None
    assert distance("sm_75", "HFMA2.MMA", "HFMA2.MMA") is None
    assert distance("sm_90", "LSU", "FMA") is None, "loads wait on a scoreboard"


def test_unknown_names_are_refused() -> None:
    with pytest.raises(UsageError, match="FPU"):
        distance("sm_90", "FPU", "FMA")
    with pytest.raises(UsageError, match="sm_42"):
        distance("sm_42", "FMA", "FMA")


def test_every_distance_is_between_known_classes_and_plausible() -> None:
    seen = 0
    for producer in sass_classes():
        for consumer in sass_classes():
            for predicate in (False, True):
                found = distance("sm_90", producer, consumer, predicate=predicate)
                assert found is None or 2 <= found <= 128
                seen += found is not None
    assert seen > 90
    assert distance_provenance().kind is Kind.MINED
