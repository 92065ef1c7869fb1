"""Tools are found beside this program or on the search path; one that is not there is said to be missing."""

import asyncio
import os
import shutil
import sys
import tomllib
from pathlib import Path

import pytest

from thoughtforge.gate import language_servers
from thoughtforge.gate.context import Broken


def test_the_program_beside_the_interpreter_is_taken_whatever_the_search_path_has(tmp_path: Path) -> None:
    fake = tmp_path / "ruff"
    fake.write_text("#!/bin/sh\nexit 0\n")
    fake.chmod(0o755)
    assert language_servers.program("ruff", search_path=str(tmp_path)) == Path(sys.executable).with_name("ruff")


def test_another_program_is_taken_from_the_search_path() -> None:
    assert str(language_servers.program("git", search_path=os.environ["PATH"])) == shutil.which("git")


def test_what_is_missing_is_broken_and_says_what_to_install() -> None:
    for ask in (
        lambda: language_servers.program("no-such-tool", search_path="/nowhere"),
        lambda: language_servers.library("no-such-tool"),
    ):
        with pytest.raises(Broken) as broken:
            ask()
        assert broken.value.what == "no-such-tool is missing"
        assert "thoughtforge[code]" in broken.value.do


def test_a_survey_names_every_tool_with_its_version() -> None:
    found = {tool.name: tool.version for tool in asyncio.run(language_servers.survey(os.environ["PATH"]))}
    assert set(found) == {*language_servers.PROGRAMS, *language_servers.LIBRARIES}
    assert [name for name, version in found.items() if not version[:1].isdigit()] == []


def test_settings_are_written_so_that_they_come_back_as_they_were(tmp_path: Path) -> None:
    settings = {
        "line-length": 120,
        "exclude": [],
        "lint": {"select": ["E", "N"], "per-file-ignores": {'a "b"/*.py': ["S1"]}, "mccabe": {"max-complexity": 10}},
        "odd": 'quote " back \\ line \n control \x01 del \x7f grün 🙂',
        "yes": True,
    }
    language_servers.write_settings(tmp_path / "new" / "tool.toml", settings)
    assert tomllib.loads((tmp_path / "new" / "tool.toml").read_text(encoding="utf-8")) == settings
