"""Whatever people hold becomes modules, or a clear word on why not."""

from __future__ import annotations

import os

import pytest

from ptxtool.core.errors import InputError
from ptxtool.inputs import load, target_of, version_of
from ptxtool.toolchain import Toolchain

PTX = ".version 8.0\n.target sm_90a, debug\n.address_size 64\n.entry k() { ret; }\n"
DUMP = (
    "\nFatbin ptx code:\n================\narch = sm_80\ncode version = [8,0]\n"
    "host = linux\ncompile_size = 64bit\n\n"
)
TOOLS = Toolchain.discover(cache=False)


def names(path) -> list[str]:
    return [item.name for item in load(str(path), TOOLS)]


def test_ptx_and_its_words(tmp_path):
    (tmp_path / "k.ptx").write_text(PTX)
    (loaded,) = load(str(tmp_path / "k.ptx"), TOOLS)
    assert loaded.kind == "ptx"
    assert target_of(loaded.source) == "sm_90a"
    assert version_of(loaded.source) == (8, 0)


def test_dumps_lose_their_preamble_and_keep_their_lines(tmp_path):
    (tmp_path / "one.txt").write_text(DUMP + PTX)
    (loaded,) = load(str(tmp_path / "one.txt"), TOOLS)
    assert loaded.source.text.strip().startswith(".version")
    assert (
        loaded.source.line(loaded.source.text.index(".version"))
        == (DUMP + PTX).split("\n").index(".version 8.0") + 1
    )
    (tmp_path / "two.txt").write_text(DUMP + PTX + DUMP + PTX)
    assert len(load(str(tmp_path / "two.txt"), TOOLS)) == 2


def test_folders_and_globs(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "a.ptx").write_text(PTX)
    (tmp_path / "deep" / "b.ptx").write_text(PTX)
    (tmp_path / "deep" / "b.json").write_text("{}")
    assert len(names(tmp_path)) == 2
    assert names(tmp_path / "*.ptx") == [str(tmp_path / "a.ptx")]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "is empty"),
        (b" \n\t\n", "is empty"),
        (b"\0\0\0", "is empty"),
        ("x".encode("utf-16"), "UTF-16"),
        (PTX.encode() + b"\0", "ends with NUL"),
        (bytes(range(256)) * 8, "neither text nor a known binary"),
        (b"Fatbin elf code:\n===\narch = sm_80\n", "dump without PTX"),
    ],
)
def test_what_is_no_input_is_named(tmp_path, data, says):
    path = tmp_path / "thing.ptx"
    path.write_bytes(data)
    with pytest.raises(InputError, match=says) as refused:
        load(str(path), TOOLS)
    assert refused.value.help


@pytest.mark.parametrize("name", ["none.ptx", "none*.ptx"])
def test_a_missing_file_is_named(tmp_path, name):
    with pytest.raises(InputError, match="none"):
        load(str(tmp_path / name), TOOLS)


def test_an_empty_folder_is_named(tmp_path):
    with pytest.raises(InputError, match="holds no"):
        load(str(tmp_path), TOOLS)


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="no /dev/zero on this system")
def test_a_device_is_not_read():
    with pytest.raises(InputError, match="device"):
        load("/dev/zero", TOOLS)


@pytest.mark.oracle
def test_a_host_program_without_device_code_is_named(toolchain):
    import sys

    with pytest.raises(InputError, match=r"no device code|neither text|larger"):
        load(os.path.realpath(sys.executable), toolchain)
