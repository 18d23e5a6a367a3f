"""Every message of the decision table that can be provoked is, with the real ptxas."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from ptxtool.analysis.decision_table_general import DECISIONS, UNKNOWN
from ptxtool.analysis.decisions import decisions, refusal
from ptxtool.analysis.finding import Finding
from ptxtool.core.errors import ToolRefused
from ptxtool.toolchain import Toolchain

pytestmark = pytest.mark.oracle

KERNELS = sorted((Path(__file__).resolve().parent.parent / "support" / "messages").glob("*.ptx"))


def heading(text: str) -> dict[str, str]:
    """The `// key: value` lines at the top of a kernel."""
    return dict(re.findall(r"^// (\w+): (.*)$", text, re.MULTILINE))


def findings_of(toolchain: Toolchain, path: Path) -> tuple[Finding, ...]:
    about = heading(path.read_text())
    options = tuple(shlex.split(about.get("options", "")))
    # -g and -lineinfo exclude each other.
    with_lines = "-g" not in options
    try:
        assembly = toolchain.assemble(
            path.read_bytes(),
            about["arch"],
            name=path.name,
            options=options,
            lineinfo=with_lines,
        )
    except ToolRefused as refused:
        return refusal(refused)
    return decisions(assembly.messages)


def version_of(text: str) -> tuple[int, ...]:
    """The leading `major.minor` of a version."""
    match = re.search(r"(\d+)\.(\d+)", text)
    assert match, text
    return int(match[1]), int(match[2])


def assembler_for(path: Path, toolchain: Toolchain) -> Toolchain:
    """A ptxas that still says what the kernel expects: messages go away with releases."""
    until = heading(path.read_text()).get("until")
    if until is None or version_of(toolchain.ptxas_version) <= version_of(until):
        return toolchain
    other = shutil.which("ptxas")
    if other is not None:
        older = Toolchain.discover(ptxas=other, cache=False)
        if version_of(older.ptxas_version) <= version_of(until):
            return older
    pytest.skip(f"only ptxas up to {until} says this, and none is on PATH")


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_the_kernel_provokes_its_message(path: Path, toolchain: Toolchain) -> None:
    found = findings_of(assembler_for(path, toolchain), path)
    expected = heading(path.read_text())["expect"]
    finding = next((each for each in found if each.code == expected), None)
    assert finding is not None, found
    assert finding.cause
    assert finding.fix
    lines = len(path.read_text().splitlines())
    assert finding.line is None or 1 <= finding.line <= lines
    assert UNKNOWN.code not in {each.code for each in found}, found


def test_every_row_that_claims_it_is_provoked() -> None:
    covered = {heading(path.read_text())["expect"] for path in KERNELS}
    assert covered == {row.code for row in DECISIONS if row.provoked}
