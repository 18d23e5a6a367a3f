"""The commands from end to end, as a user runs them: exit codes, files, refusals."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "samples"
DIVIDE = SAMPLES / "integer_divide" / "integer_divide.ptx"
SAXPY = SAMPLES / "saxpy"

pytestmark = pytest.mark.oracle


def ptxtool(*arguments: object, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "ptxtool", *map(str, arguments)]
    done = subprocess.run(
        words,
        cwd=cwd,
        env={**os.environ, "COLUMNS": "100", **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert "Traceback" not in done.stderr
    assert "internal error" not in done.stderr, done.stderr
    return done


def test_optimized_ptx_is_better_and_a_second_run_changes_nothing(tmp_path, toolchain):
    first = ptxtool("optimize", DIVIDE, "--arch", "sm_90", "-o", "out.ptx", cwd=tmp_path)
    assert first.returncode == 0
    again = ptxtool("optimize", "out.ptx", "--arch", "sm_90", "-o", "again.ptx", cwd=tmp_path)
    assert "nothing paid" in again.stdout
    assert (tmp_path / "again.ptx").read_bytes() == (tmp_path / "out.ptx").read_bytes()
    report = ptxtool("diff", DIVIDE, "out.ptx", "--arch", "sm_90", "--format", "json", cwd=tmp_path)
    assert report.returncode == 1
    (kernel,) = json.loads(report.stdout)["kernels"]
    assert kernel["judgement"]["verdict"] == "better"
    assert kernel["after"]["instructions"] < kernel["before"]["instructions"] / 2


def test_several_targets_must_all_agree(tmp_path, toolchain):
    done = ptxtool(
        "optimize", DIVIDE, "--arch", "sm_80", "--arch", "sm_120", "--format", "json", cwd=tmp_path
    )
    (kernel,) = json.loads(done.stdout)["kernels"]
    assert set(kernel["before"]) == {"sm_80", "sm_120"}
    for arch, before in kernel["before"].items():
        assert kernel["after"][arch]["cycles_weighted"] <= before["cycles_weighted"]


def test_analyze_and_assemble_take_cuda(tmp_path, toolchain):
    source = SAXPY / "saxpy.cu"
    done = ptxtool("analyze", source, "--arch", "sm_90", "--format", "json", cwd=tmp_path)
    (kernel,) = json.loads(done.stdout)["kernels"]
    assert kernel["kernel"] == "saxpy"
    assert kernel["registers"] > 0
    assert (
        ptxtool("assemble", source, "--arch", "sm_90", "-o", "s.cubin", cwd=tmp_path).returncode
        == 0
    )
    assert (tmp_path / "s.cubin").read_bytes()[:4] == b"\x7fELF"


def test_cuda_goes_through_nvrtc_without_a_host_compiler(tmp_path, toolchain):
    done = ptxtool(
        "analyze", SAXPY / "saxpy.cu", "--arch", "sm_80", "--format", "json",
        cwd=tmp_path, PATH=str(tmp_path), PTXTOOL_CACHE=str(tmp_path / "cache"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["kernels"][0]["kernel"] == "saxpy"


def test_cuda_errors_are_at_their_lines(tmp_path, toolchain):
    (tmp_path / "bad.cu").write_text("__global__ void k(int* p) {\n  *p = undeclared;\n}\n")
    for path in (os.environ["PATH"], str(tmp_path)):
        done = ptxtool("analyze", "bad.cu", "--arch", "sm_80", cwd=tmp_path, PATH=path)
        assert done.returncode == 2
        assert re.search(r"bad\.cu:2:\d+: error\[PTX310\]: .*undeclared", done.stderr)


def test_a_cubin_is_identical_to_the_ptx_it_came_from(tmp_path, toolchain):
    ptxtool("assemble", DIVIDE, "--arch", "sm_90", "-o", "d.cubin", cwd=tmp_path)
    done = ptxtool("diff", DIVIDE, "d.cubin", "--arch", "sm_90", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == "identical"
    analyzed = ptxtool("analyze", "d.cubin", "--format", "json", cwd=tmp_path)
    (kernel,) = json.loads(analyzed.stdout)["kernels"]
    given = ptxtool("analyze", DIVIDE, "--arch", "sm_90", "--format", "json", cwd=tmp_path)
    assert kernel["registers"] == json.loads(given.stdout)["kernels"][0]["registers"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("rem.u32 %r12, %r8, 10;", "rem.u32 %r12, %r8, 12;"),
        ("add.s64 %rd13, %rd8", "sub.s64 %rd13, %rd8"),
        ("[%rd15], %rd13", "[%rd15+8], %rd13"),
    ],
)
def test_one_changed_constant_or_opcode_is_a_difference(old, new, tmp_path, toolchain):
    text = DIVIDE.read_text()
    assert old in text
    (tmp_path / "changed.ptx").write_text(text.replace(old, new))
    done = ptxtool("diff", DIVIDE, "changed.ptx", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == "different"


def test_diff_refuses_different_targets_and_empty_sides(tmp_path, toolchain):
    text = DIVIDE.read_text()
    (tmp_path / "other.ptx").write_text(text.replace(".target sm_80", ".target sm_90"))
    done = ptxtool("diff", DIVIDE, "other.ptx", cwd=tmp_path)
    assert done.returncode == 2
    assert "targets differ" in done.stderr
    (tmp_path / "none.ptx").write_text(".version 8.0\n.target sm_80\n.address_size 64\n")
    done = ptxtool("diff", "none.ptx", "none.ptx", cwd=tmp_path)
    assert done.returncode == 2
    assert "no kernel" in done.stderr


def test_assemble_maps_errors_and_leaves_the_old_file(tmp_path, toolchain):
    text = DIVIDE.read_text().replace("add.s32 %r5, %r5, %r7;", "add.s32.wrong %r5, %r5, %r7;")
    (tmp_path / "bad.ptx").write_text(text)
    (tmp_path / "out.cubin").write_bytes(b"precious")
    done = ptxtool("assemble", "bad.ptx", "-o", "out.cubin", cwd=tmp_path)
    assert done.returncode == 2
    line = text.split("\n").index("\tadd.s32.wrong %r5, %r5, %r7;") + 1
    assert f"bad.ptx:{line}:2: error[PTX301]" in done.stderr
    assert (tmp_path / "out.cubin").read_bytes() == b"precious"


def test_bench_without_a_device_says_what_would_run(tmp_path, toolchain):
    done = ptxtool("bench", SAXPY / "saxpy.ptx", cwd=tmp_path, CUDA_VISIBLE_DEVICES="")
    if done.returncode == 0:
        pytest.skip("a CUDA device is here: the refusal cannot be seen")
    assert done.returncode == 3
    assert len(done.stdout.splitlines()) == 1
    assert "saxpy.cu against saxpy.ptx" in done.stdout


def test_a_missing_tool_says_how_to_get_it(tmp_path):
    done = ptxtool("assemble", DIVIDE, cwd=tmp_path, PTXTOOL_PTXAS="/nonexistent/ptxas")
    assert done.returncode == 2
    assert "PTXTOOL_PTXAS" in done.stderr


def test_standard_input_and_output(tmp_path, toolchain):
    words = [sys.executable, "-m", "ptxtool", "optimize", "-", "--arch", "sm_90", "-o", "-"]
    done = subprocess.run(words, input=DIVIDE.read_bytes(), capture_output=True, timeout=300)
    assert done.returncode == 0
    assert done.stdout.startswith(b"//\n// Index arithmetic")
    assert b"6 sites rewritten in <stdin>" in done.stderr


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc: nvcc cannot make an object file")
def test_objects_that_hold_device_code(tmp_path, toolchain):
    nvcc = toolchain.tool("nvcc").path
    command = [nvcc, "-c", "-arch=sm_80", str(SAXPY / "saxpy.cu"), "-o", "saxpy.o"]
    made = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    if made.returncode:
        pytest.skip(f"nvcc cannot make an object file here: {made.stderr.strip()[-120:]}")
    done = ptxtool("analyze", "saxpy.o", "--arch", "sm_80", "--format", "json", cwd=tmp_path)
    assert [kernel["kernel"] for kernel in json.loads(done.stdout)["kernels"]] == ["saxpy"]
