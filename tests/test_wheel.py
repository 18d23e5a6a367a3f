"""A built wheel works in an empty environment: grammar, machine models and rules travel with it."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--wheel", "--outdir", str(out), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return next(out.glob("ptxtool-*.whl"))


def test_the_wheel_carries_its_data(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert "ptxtool/grammar/ptx.lark" in names
    assert any(name.startswith("ptxtool/machine/models/") for name in names)
    assert "ptxtool/py.typed" in names
    assert not [name for name in names if name.startswith(("tests/", "samples/"))]


def test_it_works_with_nothing_but_its_base_requirements(wheel, tmp_path):
    home = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(home)], check=True, timeout=300)
    tool = home / ("Scripts" if os.name == "nt" else "bin")
    install = [tool / "python", "-m", "pip", "install", "-q", str(wheel)]
    subprocess.run(install, check=True, timeout=600)
    kernel = tmp_path / "k.ptx"
    kernel.write_bytes((ROOT / "samples" / "saxpy" / "saxpy.ptx").read_bytes())
    environment = {
        "PATH": str(tool),
        "HOME": str(tmp_path),
        "PTXTOOL_CACHE": str(tmp_path / "cache"),
    }

    def ptxtool(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [tool / "ptxtool", *arguments],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
        )

    assert ptxtool("--version").stdout.startswith("ptxtool ")
    checked = ptxtool("check", "k.ptx")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    analyzed = ptxtool("analyze", "k.ptx", "--format", "json")
    assert analyzed.returncode == 0, analyzed.stdout + analyzed.stderr
    assert '"ptxas_version": null' in analyzed.stdout
    missing = ptxtool("assemble", "k.ptx", "-o", "k.cubin")
    assert missing.returncode == 2
    assert "ptxtool[toolchain]" in missing.stderr
