"""Finding and running tools, with small scripts in the place of NVIDIA's."""

from __future__ import annotations

import os
import stat
import sys
import time
from pathlib import Path

import pytest

from ptxtool.core.errors import (
    ToolCrashed,
    ToolError,
    ToolMissing,
    ToolRefused,
    ToolTimeout,
    UsageError,
)
from ptxtool.toolchain import Toolchain
from ptxtool.toolchain.cache import Cache, key_of
from ptxtool.toolchain.find import find_tool
from ptxtool.toolchain.run import run_tool

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the scripts are POSIX")
VERSION = "Cuda compilation tools, release 99.1, V99.1.7"


def script(place: Path, name: str, body: str) -> str:
    path = place / name
    path.write_text(f"#!{sys.executable}\nimport sys, os, signal, time\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def fake_ptxas(place: Path, body: str) -> str:
    return script(
        place, "ptxas", f"if '--version' in sys.argv: print({VERSION!r}); sys.exit(0)\n{body}"
    )


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PTXTOOL_CACHE", str(tmp_path / "cache"))
    for name in ("CUDA_HOME", "CUDA_PATH", "PTXTOOL_PTXAS"):
        monkeypatch.delenv(name, raising=False)


def toolchain(tmp_path: Path, body: str, **more) -> Toolchain:
    return Toolchain.discover(ptxas=fake_ptxas(tmp_path, body), cache=tmp_path / "results", **more)


def test_the_option_comes_before_the_environment_and_that_before_the_path(tmp_path, monkeypatch):
    places = [tmp_path / name for name in ("option", "variable", "path")]
    paths = []
    for place in places:
        place.mkdir()
        paths.append(fake_ptxas(place, ""))
    monkeypatch.setenv("PATH", str(places[2]))
    monkeypatch.setattr("ptxtool.toolchain.find._by_pathfinder", lambda name: None)
    assert find_tool("ptxas").path == paths[2]
    assert find_tool("ptxas").found_by == "PATH"
    monkeypatch.setenv("PTXTOOL_PTXAS", paths[1])
    assert find_tool("ptxas").found_by == "PTXTOOL_PTXAS"
    found = find_tool("ptxas", paths[0])
    assert (found.path, found.found_by, found.version) == (paths[0], "option", "99.1.7")


def test_cuda_home_comes_before_the_path(tmp_path, monkeypatch):
    (tmp_path / "bin").mkdir()
    own = fake_ptxas(tmp_path / "bin", "")
    monkeypatch.setattr("ptxtool.toolchain.find._by_pathfinder", lambda name: None)
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    assert find_tool("ptxas").path == own


def test_a_missing_tool_says_how_to_get_it(monkeypatch, tmp_path):
    monkeypatch.setattr("ptxtool.toolchain.find._by_pathfinder", lambda name: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolMissing) as missing:
        find_tool("ptxas")
    assert "ptxtool[toolchain]" in missing.value.help


def test_a_wrong_path_is_a_usage_error(tmp_path):
    with pytest.raises(UsageError, match="no program"):
        find_tool("ptxas", str(tmp_path / "none"))


def test_a_program_that_is_no_cuda_tool_is_named(tmp_path):
    with pytest.raises(UsageError, match="does not say a CUDA version"):
        find_tool("ptxas", script(tmp_path, "ptxas", "print('hello')"))


def test_a_run_that_is_too_long_is_stopped_with_its_children(tmp_path):
    mark = tmp_path / "alive"
    slow = script(
        tmp_path,
        "slow",
        f"if os.fork() == 0:\n    time.sleep(3); open({str(mark)!r}, 'w').close(); os._exit(0)\n"
        "time.sleep(60)",
    )
    began = time.monotonic()
    with pytest.raises(ToolTimeout, match=r"0\.5 s"):
        run_tool([slow], timeout=0.5)
    assert time.monotonic() - began < 30
    time.sleep(3)
    assert not mark.exists()


@pytest.mark.parametrize(
    "body", ["os.kill(os.getpid(), signal.SIGSEGV)", "sys.exit(139)", "os.abort()"]
)
def test_a_crash_is_no_refusal(tmp_path, body):
    with pytest.raises(ToolCrashed):
        toolchain(tmp_path, body).assemble(b"x", "sm_80")


def test_a_tool_gets_no_input_and_prints_what_it_likes(tmp_path):
    noisy = script(
        tmp_path, "noisy", "sys.stdout.buffer.write(b'\\xff' * 3_000_000); sys.stdin.read()"
    )
    done = run_tool([noisy], timeout=60)
    assert len(done.stdout) == 3_000_000


def test_a_failure_without_a_verdict_is_not_kept(tmp_path):
    tools = toolchain(tmp_path, "print('no space left on device'); sys.exit(1)")
    with pytest.raises(ToolError) as failed:
        tools.assemble(b"x", "sm_80")
    assert not isinstance(failed.value, ToolRefused)
    assert not list((tmp_path / "results").rglob("*")) or not [
        path for path in (tmp_path / "results").rglob("*") if path.is_file()
    ]


def test_success_without_a_cubin_is_a_failure(tmp_path):
    with pytest.raises(ToolError, match="exit code 0"):
        toolchain(tmp_path, "sys.exit(0)").assemble(b"x", "sm_80")


REFUSES = (
    "print('ptxas input.ptx, line 2; error   : Unknown modifier', file=sys.stderr); sys.exit(255)"
)


def test_a_refusal_is_at_the_line_of_the_users_file(tmp_path):
    with pytest.raises(ToolRefused) as refused:
        toolchain(tmp_path, REFUSES).assemble(b"one\n  two\n", "sm_80", name="mine.ptx")
    (found,) = refused.value.diagnostics
    assert str(found.span) == "mine.ptx:2:3"
    assert "input.ptx" not in str(found)


COUNTS = """
mark = open({count!r}, 'a'); mark.write('x'); mark.close()
open(sys.argv[sys.argv.index('-o') + 1], 'wb').write(b'cubin')
"""


def test_results_are_kept_by_content_options_and_program(tmp_path):
    count = tmp_path / "count"
    tools = toolchain(tmp_path, COUNTS.format(count=str(count)))
    assert not tools.assemble(b"a", "sm_80").from_cache
    assert tools.assemble(b"a", "sm_80").from_cache
    assert not tools.assemble(b"b", "sm_80").from_cache
    assert not tools.assemble(b"a", "sm_90").from_cache
    assert not tools.assemble(b"a", "sm_80", kernel="k").from_cache
    assert count.read_text() == "xxxx"
    # The same version, another program.
    fresh = toolchain(tmp_path, COUNTS.format(count=str(count)) + "\n# changed")
    assert not fresh.assemble(b"a", "sm_80").from_cache


def test_a_damaged_cache_is_a_miss(tmp_path):
    cache = Cache(tmp_path)
    key = key_of("x")
    cache.put(key, {"text": "t"}, b"body")
    assert cache.get(key) == ({"text": "t"}, b"body")
    (path,) = [path for path in (tmp_path / "tools").rglob("*") if path.is_file()]
    data = path.read_bytes()
    for damaged in (b"", data[:-1], data[:-1] + b"?", b"{}\n", b"\xff\xfe\n", data + b"more"):
        path.write_bytes(damaged)
        assert cache.get(key) is None


def test_a_cache_that_cannot_be_written_is_no_fault(tmp_path):
    blocker = tmp_path / "file"
    blocker.write_text("")
    cache = Cache(blocker / "below")
    cache.put(key_of("x"), {}, b"body")
    assert cache.get(key_of("x")) is None
