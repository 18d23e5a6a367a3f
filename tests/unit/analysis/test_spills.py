"""Local memory accesses sorted by why they are there."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from ptxtool.analysis.local_findings import local_findings
from ptxtool.analysis.spills import LocalUse, Traffic, local_memories, local_memory
from ptxtool.core.diagnostics import Severity


@dataclass(frozen=True)
class Code:
    text: str
    ptx_line: int | None = None
    offset: int = 0


@dataclass(frozen=True)
class Verbose:
    kind: str = "function"
    spill_store_bytes: int | None = 0
    spill_load_bytes: int | None = 0
    stack_bytes: int | None = 0


MARK = '(*"SpillRefill"*)'


def listing(*texts: str) -> list[Code]:
    return [Code(text, line, 16 * line) for line, text in enumerate(texts, 1)]


@pytest.mark.parametrize(
    ("modifiers", "size"), [("", 4), (".64", 8), (".128", 16), (".U8", 1), (".S16", 2)]
)
def test_sizes_come_from_modifiers(modifiers: str, size: int) -> None:
    memory = local_memory("k", listing(f"STL{modifiers} [R1+0x8], R8 {MARK}"))
    (access,) = memory.accesses
    assert (access.size, access.is_store, access.slot) == (size, True, "R1+0x8")


def test_marked_accesses_are_spills_and_add_up() -> None:
    code = listing(f"STL [R1], R8 {MARK}", "MOV R9, R10", f"@P0 LDL.64 R8, [R1] {MARK}")
    memory = local_memory("k", code, Verbose("entry", 4, 8, 8))
    assert memory.spills == Traffic(4, 8)
    assert memory.agrees is True
    assert memory.by_line() == {3: Traffic(0, 8), 1: Traffic(4, 0)}


def test_a_register_stored_before_it_is_written_is_saved_for_the_caller() -> None:
    code = listing("STL [R1+0x4], R16", "MOV R16, R4", "STL [R1+0x8], R16", "LDL R16, [R1+0x4]")
    memory = local_memory("$k$f", code, Verbose("function", 4, 4, 16))
    assert [each.use for each in memory.accesses] == [
        LocalUse.SAVED,
        LocalUse.ARRAY,
        LocalUse.SAVED,
    ]
    assert memory.agrees is True


def test_a_convergence_barrier_is_saved_through_a_register() -> None:
    code = listing("BMOV.32.CLEAR R2, B6", "STL [R1], R2", "LDL R2, [R1]")
    memory = local_memory("f", code)
    assert memory.total(LocalUse.SAVED) == Traffic(4, 4)


def test_the_second_register_of_a_pair_counts_as_written() -> None:
    code = listing("IMAD.WIDE R16, R4, 0x8, R6", "STL [R1], R17")
    assert local_memory("f", code).total(LocalUse.SAVED) == Traffic()


def test_a_kernel_saves_nothing_for_a_caller() -> None:
    memory = local_memory("k", listing("STL [R1], R16"), Verbose("entry"))
    assert memory.total(LocalUse.SAVED) == Traffic()
    assert memory.agrees is True


def test_lines_tell_arguments_from_arrays() -> None:
    opcodes = {1: "st.param.b32", 2: "st.local.u32", 3: "add.s32"}
    code = listing("STL [R1], R16", "STL [R1+0x4], R16", "STL [R1+0x8], R16")
    memory = local_memory("k", code, Verbose("entry"), opcode_at=opcodes.get)
    assert [each.use for each in memory.accesses] == [
        LocalUse.ARGUMENT,
        LocalUse.ARRAY,
        LocalUse.OTHER,
    ]


def test_without_marks_lines_are_the_only_hint_and_the_report_says_so() -> None:
    opcodes = {1: "add.s32", 2: "st.local.u32", 3: "fma.rn.f32"}
    code = listing("STL [R1], R16", "STL [R1+0x4], R16", "LDL R16, [R1]")
    memory = local_memory("k", code, Verbose("entry", 4, 4, 8), opcode_at=opcodes.get)
    assert memory.guessed
    assert memory.agrees is True
    assert memory.total(LocalUse.ARRAY) == Traffic(4, 0)


def test_a_difference_is_shown_and_not_hidden() -> None:
    memory = local_memory("k", listing(f"STL [R1], R16 {MARK}"), Verbose("entry", 8, 0, 8))
    assert memory.agrees is False
    assert not memory.guessed


def test_unknown_stays_unknown() -> None:
    assert local_memory("k", listing("EXIT")).agrees is None
    assert local_memory("k", [], Verbose("entry", None, None, None)).stack_bytes is None


def test_a_slow_path_keeps_its_own_frame() -> None:
    name = "$__internal_0_$__cuda_sm3x_div_rn_noftz_f32_slowpath"
    memory = local_memory(name, listing("STL [R1], R2", "LDL R2, [R1]"))
    assert memory.total(LocalUse.SLOW_PATH) == Traffic(4, 4)


def test_called_functions_are_told_apart_inside_a_section() -> None:
    code = [
        Code("MOV R4, R5", 3, 0),
        Code("EXIT", 4, 16),
        Code("STL [R1], R16", 9, 32),
        Code("LDL R16, [R1]", 10, 48),
    ]
    verbose = {"k": Verbose("entry"), "again": Verbose("function", 4, 4, 8)}
    kernel, callee = local_memories("k", code, {".L_x_0": 16, "$k$again": 32}, verbose)
    assert (kernel.function, kernel.accesses) == ("k", ())
    assert callee.function == "$k$again"
    assert callee.agrees is True
    assert callee.total(LocalUse.SAVED) == Traffic(4, 4)


def test_findings_name_each_use_and_its_heaviest_line() -> None:
    code = listing(f"STL [R1], R8 {MARK}", f"LDL.64 R8, [R1] {MARK}", "STL [R2], R9")
    memory = local_memory("k", code, Verbose("entry", 4, 8, 16))
    spill, array = local_findings(memory)
    assert (spill.code, spill.severity, spill.line) == ("PTX470", Severity.WARNING, 2)
    assert "4 bytes stored and 8 loaded" in spill.message
    assert (array.code, array.severity, array.line) == ("PTX472", Severity.NOTE, 3)


def test_saved_registers_are_not_called_spills() -> None:
    code = listing("STL [R1], R16", "LDL R16, [R1]")
    (finding,) = local_findings(local_memory("$k$f", code, Verbose("function", 4, 4, 8)))
    assert finding.code == "PTX471"


def test_a_guess_and_a_difference_are_stated() -> None:
    opcodes = {1: "add.s32"}
    memory = local_memory(
        "k", listing("STL [R1], R16"), Verbose("entry", 8, 0, 8), opcode_at=opcodes.get
    )
    guessed, different = local_findings(memory)
    assert "nothing marks" in guessed.evidence
    assert different.code == "PTX479"
    assert "4 + 0" in different.message


def test_no_local_memory_is_no_finding() -> None:
    assert local_findings(local_memory("k", listing("EXIT"), Verbose("entry"))) == ()
