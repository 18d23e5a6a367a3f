"""The command line itself: names, help, exit codes, and no traceback."""

import importlib
import subprocess
import sys

import pytest

from ptxtool.cli import main as main_module
from ptxtool.cli.main import COMMANDS, run
from ptxtool.core.errors import DeviceUnavailable, ToolTimeout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_its_module_and_help(name, capsys):
    module = importlib.import_module(f"ptxtool.cli.{name.replace('-', '_')}")
    assert module.command.name == name
    assert run([name, "--help"]) == 0
    assert "Usage: ptxtool " + name in capsys.readouterr().out


def test_unknown_command_suggests_the_nearest(capsys):
    assert run(["anlyze"]) == 2
    assert "Did you mean 'analyze'?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code"), [(ToolTimeout("slow", help="wait"), 2), (DeviceUnavailable("none"), 3)]
)
def test_errors_become_messages_and_codes(error, code, monkeypatch, capsys):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(main_module.cli, "main", fail)
    assert run([]) == code
    assert f"ptxtool: error: {error}" in capsys.readouterr().err


def test_a_fault_of_ours_is_named_and_shows_no_traceback(monkeypatch, capsys):
    monkeypatch.delenv("PTXTOOL_DEBUG", raising=False)

    def fail(*_, **__):
        raise KeyError("lost")

    monkeypatch.setattr(main_module.cli, "main", fail)
    assert run([]) == 2
    err = capsys.readouterr().err
    assert "internal error: KeyError" in err
    assert "Traceback" not in err


def test_version_needs_no_heavy_import():
    code = (
        "import sys; from ptxtool.cli.main import run; run(['--version']);"
        "print([m for m in ('lark', 'rich', 'numpy', 'elftools', 'z3') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_file_that_cannot_be_written_is_named(tmp_path, capsys):
    kernel = tmp_path / "k.ptx"
    kernel.write_text(".version 8.0\n.target sm_80\n.entry k() { ret; }\n")
    (tmp_path / "file").write_text("")
    assert run(["launch-spec", str(kernel), "-o", str(tmp_path / "file" / "below.toml")]) == 2
    err = capsys.readouterr().err
    assert "file" in err
    assert "internal error" not in err
