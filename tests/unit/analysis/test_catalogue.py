"""The catalogue of finding codes."""

from __future__ import annotations

import re

from ptxtool.analysis import local_findings, warp_roles
from ptxtool.analysis.catalogue import finding_kind, finding_kinds
from ptxtool.analysis.decision_table_general import DECISIONS, UNKNOWN


def test_no_code_or_name_is_used_twice() -> None:
    kinds = finding_kinds()
    declared = (*DECISIONS, UNKNOWN, *warp_roles.KINDS, *local_findings.KINDS.values())
    assert len(kinds) == len(declared) + 1
    assert len({kind.name for kind in kinds.values()}) == len(kinds)


def test_every_kind_says_why_and_what_to_do() -> None:
    for code, kind in finding_kinds().items():
        assert re.fullmatch(r"PTX4\d\d", code)
        if code != UNKNOWN.code:
            assert kind.cause
            assert kind.fix


def test_lookup_by_code_and_name() -> None:
    by_code = finding_kind("ptx465")
    assert by_code is not None
    assert by_code is finding_kind("setmaxnreg-never-granted")
    assert finding_kind("no-such-thing") is None
