"""Packages that need something while they are imported: held-back cases meet what the tests meet, or say why not."""

from __future__ import annotations

from pathlib import Path

from flows.code_runs import FILES, build, make_tally

VERSION = "import importlib.metadata\n\n__version__ = importlib.metadata.version(__name__)\n"
BESIDE = 'with open("pyproject.toml") as file:\n    SETTINGS = file.read()\n'


def test_a_package_that_asks_for_its_own_version_is_built(tmp_path: Path) -> None:
    place = make_tally(tmp_path, {"tally/__init__.py": FILES["tally/__init__.py"] + VERSION})
    done = build(place)
    assert done.code == 0, done.out + done.err


def test_cases_that_no_code_could_satisfy_end_the_run_before_any_code_and_name_the_cause(tmp_path: Path) -> None:
    place = make_tally(tmp_path, {"tally/__init__.py": FILES["tally/__init__.py"] + BESIDE})
    done = build(place)
    assert done.code == 1, done.out + done.err
    said = done.out
    assert "importing tally.count raises FileNotFoundError" in said
    assert "held-back cases of REQ-001.1, REQ-001.2" in said
    assert "does not hold for inputs" not in said
    assert place.contexts("green") == []
