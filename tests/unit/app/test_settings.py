"""Settings reach the options of commands, and a wrong key is named."""

import pytest

from ptxtool.app.settings import load_settings
from ptxtool.core.errors import UsageError


def test_shared_keys_reach_every_command_and_tables_win(tmp_path):
    (tmp_path / "ptxtool.toml").write_text(
        'arch = ["sm_90"]\n[optimize]\narch = ["sm_80"]\nlist-rules = true\n'
    )
    settings = load_settings(["analyze", "optimize"], tmp_path)
    assert settings["analyze"] == {"arch": ["sm_90"]}
    assert settings["optimize"] == {"arch": ["sm_80"], "list_rules": True}


def test_found_above_and_in_pyproject(tmp_path):
    (tmp_path / "pyproject.toml").write_text('[tool.ptxtool]\nptxas = "/x/ptxas"\n')
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    assert load_settings(["analyze"], below) == {"analyze": {"ptxas": "/x/ptxas"}}


def test_an_unknown_key_is_named(tmp_path):
    (tmp_path / "ptxtool.toml").write_text('ach = "sm_90"\n')
    with pytest.raises(UsageError, match="unknown setting 'ach'"):
        load_settings(["analyze"], tmp_path)


def test_broken_toml_is_a_usage_error(tmp_path):
    (tmp_path / "ptxtool.toml").write_text("arch = [")
    with pytest.raises(UsageError):
        load_settings(["analyze"], tmp_path)


def test_no_settings_at_all(tmp_path):
    assert load_settings(["analyze"], tmp_path) == {}
