"""Every command in the README runs, and prints what the README says it prints.

A `console` block holds `$ command` lines, each followed by its output; a line `...` stands for any
number of lines, `[exit N]` for a status other than 0. `make golden` writes the outputs again.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
UPDATE = os.environ.get("PTXTOOL_UPDATE_GOLDEN") == "1"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
STEP = re.compile(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


def steps() -> list[tuple[str, str]]:
    text = README.read_text()
    return [found.groups() for block in BLOCK.findall(text) for found in STEP.finditer(block)]


def run(command: str) -> str:
    words = shlex.split(command)
    assert words[0] == "ptxtool", f"the README may only run ptxtool in a console block: {command}"
    environment = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "ptxtool", *words[1:]],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    status = f"[exit {done.returncode}]\n" if done.returncode else ""
    return "\n".join(line.rstrip() for line in (done.stdout + done.stderr + status).splitlines())


def matches(expected: str, actual: str) -> bool:
    parts = [re.escape(part) for part in re.split(r"^\.\.\.\n", expected, flags=re.MULTILINE)]
    return re.fullmatch(r"(?:.*\n)*?".join(parts), actual.rstrip("\n") + "\n") is not None


@pytest.mark.oracle
def test_commands_print_what_the_readme_shows(toolchain):
    assert len(steps()) >= 5, "the README shows too few commands"
    for command, expected in steps():
        actual = run(command)
        if UPDATE and not matches(expected, actual) and "...\n" not in expected:
            text = README.read_text()
            README.write_text(text.replace(f"$ {command}\n{expected}", f"$ {command}\n{actual}\n"))
            continue
        assert matches(expected, actual), f"$ {command}\n{actual}"


def test_make_targets_that_the_readme_names_exist():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"\bmake ([a-z-]+)\b", README.read_text()))
    assert {"demo", "test"} <= named
    assert named <= targets


@pytest.mark.oracle
def test_the_demo_runs_to_its_end(toolchain):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
    done = subprocess.run(
        ["make", "demo", f"VENV={Path(sys.prefix)}"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    for command in ("analyze", "optimize", "assemble", "diff", "bench"):
        assert f"ptxtool {command}" in done.stdout
