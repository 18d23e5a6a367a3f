"""What the commands print, recorded. A golden file records; whether it is right is decided by the
oracle tests. `make golden` writes these files again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CASES = HERE / "cases"
UPDATE = os.environ.get("PTXTOOL_UPDATE_GOLDEN") == "1"

COMMANDS = {
    "analyze-integers": "analyze integers.ptx --arch sm_80 --arch sm_90",
    "analyze-spills": "analyze spills.ptx --blocks --block 128",
    "analyze-spills-json": "analyze spills.ptx --block 128 --format json",
    "analyze-github": "analyze spills.ptx integers.ptx --format github",
    "analyze-sarif": "analyze spills.ptx --format sarif",
    "analyze-markdown": "analyze integers.ptx spills.ptx --arch sm_90 --format markdown",
    "optimize-integers": "optimize integers.ptx --diff --report",
    "optimize-integers-json": "optimize integers.ptx --format json",
    "optimize-nothing": "optimize spills.ptx --report",
    "optimize-rules": "optimize --list-rules",
    "diff-same": "diff integers.ptx integers.ptx",
    "diff-targets": "diff integers.ptx spills.ptx",
    "diff-summary": "diff spills.ptx spills-changed.ptx --format markdown",
    "diff-hunks": "diff spills.ptx spills-changed.ptx --context 1",
    "check-broken": "check broken.ptx",
    "check-broken-json": "check broken.ptx --format json",
    "check-broken-github": "check broken.ptx --format github",
    "check-broken-sarif": "check broken.ptx --format sarif",
    "analyze-broken": "analyze broken.ptx",
    "explain-rule": "explain unsigned-div-by-power-of-two",
    "explain-opcode": "explain mad.wide.u32",
    "launch-spec": "launch-spec integers.ptx",
    "bench-no-spec": "bench integers.ptx",
}


def run(command: str) -> str:
    environment = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "ptxtool", *command.split()],
        cwd=CASES,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert "internal error" not in done.stderr, done.stderr
    lines = [line.rstrip() for line in (done.stdout + done.stderr).splitlines()]
    return "\n".join([*lines, f"[exit {done.returncode}]", ""])


@pytest.mark.oracle
@pytest.mark.parametrize("name", COMMANDS)
def test_view(name, toolchain):
    recorded = HERE / "expected" / f"{name}.txt"
    actual = run(COMMANDS[name])
    if UPDATE:
        recorded.parent.mkdir(exist_ok=True)
        recorded.write_text(actual)
    assert recorded.exists(), "no golden file: run make golden and look at it"
    assert actual == recorded.read_text()


def test_no_golden_file_is_left_over():
    assert {path.stem for path in (HERE / "expected").glob("*.txt")} == set(COMMANDS)
