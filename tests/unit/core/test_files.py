"""A failed write must leave the old file as it was."""

import os
import stat

import pytest

from ptxtool.core.files import write_atomically


def test_writes_and_replaces(tmp_path):
    path = tmp_path / "deep" / "out.bin"
    write_atomically(path, b"one")
    write_atomically(path, b"two")
    assert path.read_bytes() == b"two"
    assert os.listdir(path.parent) == ["out.bin"]


def test_keeps_the_mode_of_the_file_it_replaces(tmp_path):
    path = tmp_path / "out"
    path.write_bytes(b"")
    path.chmod(0o640)
    write_atomically(path, b"x")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "out"
    path.write_bytes(b"old")

    def refuse(*_):
        raise OSError("no")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(OSError, match="no"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["out"]
