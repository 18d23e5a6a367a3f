"""The decision table and how messages become findings."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

from ptxtool.analysis.decision_table_general import DECISIONS, UNKNOWN
from ptxtool.analysis.decisions import decision_of, decisions, refusal
from ptxtool.core.diagnostics import Diagnostic, Severity
from ptxtool.core.errors import ToolRefused


@dataclass(frozen=True)
class Said:
    severity: str
    text: str
    line: int | None = None
    code: str | None = None
    function: str | None = None


INPUTS = (
    "Potential Performance Loss: wgmma.mma_async instructions are serialized due to non wgmma "
    "instructions defining input registers of a wgmma between start and end of the pipeline "
    "stage in the function 'gemm' in line "
)


def test_codes_and_names_are_unique_and_explained() -> None:
    rows = (*DECISIONS, UNKNOWN)
    assert len({row.code for row in rows}) == len(rows)
    assert len({row.name for row in rows}) == len(rows)
    assert all(re.fullmatch(r"PTX4\d\d", row.code) for row in rows)
    assert all(row.cause and row.fix for row in DECISIONS)


def test_the_number_of_ptxas_becomes_evidence() -> None:
    text = "(C7508) Potential Performance Loss: 'setmaxnreg' ignored; unable to determine register"
    (finding,) = decisions([Said("info", text + " count at entry.")])
    assert finding.code == "PTX401"
    assert finding.evidence == "ptxas info C7508"
    assert finding.message.startswith("Potential")
    assert finding.severity is Severity.WARNING


def test_meaning_goes_by_words_because_numbers_move_between_releases() -> None:
    older = decisions(
        [Said("info", "warpgroup.arrive is injected in around line 40", None, "C7519")]
    )
    newer = decisions(
        [Said("info", INPUTS.replace("non wgmma", "WG.AR in divergent path"), None, "C7519")]
    )
    assert older[0].code == "PTX430"
    assert newer[0].code != older[0].code


@pytest.mark.parametrize(("said", "line"), [("136", 136), ("0", None)])
def test_line_and_function_are_read_from_the_text(said: str, line: int | None) -> None:
    (finding,) = decisions([Said("info", INPUTS + said)])
    assert (finding.code, finding.line, finding.function) == ("PTX423", line, "gemm")


def test_what_the_toolchain_knows_wins() -> None:
    (finding,) = decisions([Said("info", INPUTS + "136", 7, "C7513", "other")])
    assert (finding.line, finding.function) == (7, "other")


@pytest.mark.parametrize(
    ("said", "severity"),
    [("info", Severity.NOTE), ("warning", Severity.WARNING), ("fatal", Severity.ERROR)],
)
def test_an_unknown_message_stays_a_finding_in_its_own_words(said: str, severity: Severity) -> None:
    (finding,) = decisions([Said(said, "The moon is in the wrong phase", 3)])
    assert finding.code == UNKNOWN.code
    assert finding.message == "The moon is in the wrong phase"
    assert (finding.severity, finding.line, finding.cause, finding.fix) == (severity, 3, None, None)


def test_a_message_said_twice_is_one_finding() -> None:
    once = Said("warning", "Pragma 'x' unsupported")
    assert len(decisions([once, once])) == 1


def test_kin_of_known_messages_are_recognised() -> None:
    assert decision_of("wgmma.mma_async instructions are serialized due to rain").code == "PTX428"
    assert decision_of("'setmaxnreg' ignored; no reason at all").code == "PTX406"


def test_a_refusal_keeps_only_what_is_known() -> None:
    refused = ToolRefused(
        "ptxas refused",
        diagnostics=[
            Diagnostic(
                "PTX300",
                Severity.ERROR,
                "(C7602) Insufficient registers (32) to compile instruction at line 41 in "
                "function k. Try to compile with register target of 58 or higher.",
                file="k.ptx",
            ),
            Diagnostic("PTX300", Severity.ERROR, "Ptx assembly aborted due to errors"),
        ],
    )
    (finding,) = refusal(refused)
    assert (finding.code, finding.line, finding.function) == ("PTX407", 41, "k")


def test_a_finding_turns_into_a_diagnostic() -> None:
    (finding,) = decisions([Said("info", INPUTS + "136")])
    shown = str(finding.diagnostic("k.ptx"))
    assert shown.startswith("k.ptx:136: warning[PTX423]")
    assert "help:" in shown
