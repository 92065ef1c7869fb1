"""What every file in checks/ keeps to, built in or new."""

from __future__ import annotations

import importlib.metadata
import inspect
import json
import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import ValidationError

from looking import findings, outcome
from looking.plants import PLANTS
from thoughtforge.contracts.published import field_texts
from thoughtforge.gate.active import check_names, known_checks
from thoughtforge.gate.context import Category, Moment
from thoughtforge.gate.findings import Severity

NAMES = sorted(check_names())
TOOLS = ("ast-grep-py", "detect-secrets", "grimp", "ruff", "ty")
SEED = """naming-conventions documentation-required import-order line-length no-print-statements layer-dependencies
no-circular-imports interface-segregation bounded-contexts repository-pattern dependency-injection error-handling
command-query-separation no-secrets-in-code input-validation sql-injection auth-required max-complexity max-file-length
max-function-length no-duplicate-code"""
"""The checks the product promises by name."""


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def check(name: str) -> Any:
    return known_checks()[name]


def test_every_promised_check_is_there() -> None:
    assert set(SEED.split()) - set(NAMES) == set()


def test_it_says_what_it_is(check: Any) -> None:
    assert check.CATEGORY in get_args(Category)
    assert check.MOMENT in get_args(Moment)
    assert check.SEVERITY in get_args(Severity)
    assert isinstance(check.ACTIVE, bool)
    for text in (check.DESCRIPTION, check.HINT):
        assert text.strip() == text
        assert text[0].isupper()
        assert text.endswith((".", ")."))
        assert "\n" not in text
    for group in (check.RUFF, check.ENDINGS):
        assert isinstance(group, tuple)
        assert all(isinstance(each, str) and each for each in group)
    assert inspect.iscoroutinefunction(check.run)
    assert list(inspect.signature(check.run).parameters) == ["context", "options"]


def test_its_options_are_strict_and_explained(check: Any) -> None:
    with pytest.raises(ValidationError):
        check.Options.model_validate({"no_such_option": 1})
    assert check.Options.__doc__
    assert sorted(field_texts(check.Options)) == sorted(check.Options.model_fields)
    assert check.Options.model_config["frozen"]


def test_its_settings_for_ruff_come_from_its_options_alone(check: Any) -> None:
    if hasattr(check, "ruff_settings"):
        assert check.RUFF
        assert isinstance(check.ruff_settings(check.Options()), dict)


def test_it_finds_what_was_planted(name: str, check: Any, tmp_path: Path) -> None:
    plant = PLANTS[name]
    found = findings(tmp_path, name, plant.files(plant.wrong), base=plant.base, options=plant.options)
    assert {each.path for each in found} == {plant.path}
    assert {(each.check, each.category, each.severity) for each in found} == {(name, check.CATEGORY, check.SEVERITY)}
    for each in found:
        assert each.message
        assert each.hint
        assert 1 <= each.line <= plant.wrong.count("\n") + 1


def test_it_leaves_the_clean_twin_alone(name: str, tmp_path: Path) -> None:
    plant = PLANTS[name]
    assert findings(tmp_path, name, plant.files(plant.right), base=plant.base, options=plant.options) == ()


def test_a_finding_keeps_its_id_when_lines_above_it_move(name: str, tmp_path: Path) -> None:
    plant = PLANTS[name]
    moved = f"# one\n# two\n{plant.wrong}"
    ids = [
        [each.id for each in findings(folder, name, plant.files(text), base=plant.base, options=plant.options)]
        for folder, text in ((tmp_path / "first", plant.wrong), (tmp_path / "second", moved))
    ]
    assert ids[0] == ids[1]


def test_a_file_that_does_not_parse_breaks_no_check(name: str, tmp_path: Path) -> None:
    plant = PLANTS[name]
    files = {**plant.files(plant.right), "broken.py": "def f(:\n  '''\n", "empty.py": "", "binary.bin": "\0"}
    came = outcome(tmp_path, name, files, base=plant.base, options=plant.options)
    assert came.broken == ""
    assert {each.path for each in came.findings} <= {"broken.py"}


@pytest.fixture(scope="module")
def bare_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python that has everything but the tools the checks lean on."""
    place = tmp_path_factory.mktemp("bare")
    venv.EnvBuilder(symlinks=True).create(place)
    modules = place / "lib" / f"python{sysconfig.get_python_version()}" / "site-packages"
    files = [file for tool in TOOLS for file in importlib.metadata.files(tool) or ()]
    left_out = {Path(file).parts[0] for file in files}
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if entry.name not in left_out:
            (modules / entry.name).symlink_to(entry)
    return place / "bin" / "python"


def test_a_check_without_its_tool_is_broken_and_says_what_to_install(bare_python: Path, tmp_path: Path) -> None:
    program = Path(__file__).parents[1] / "looking"
    env = {"PYTHONPATH": str(program.parent), "PATH": "/nowhere"}
    ran = subprocess.run([bare_python, "-m", "looking", tmp_path], env=env, capture_output=True, text=True, check=False)
    assert ran.stderr == ""
    broken: dict[str, str] = json.loads(ran.stdout)
    leaning = {name for name, each in known_checks().items() if each.RUFF or each.CATEGORY in ("architecture", "types")}
    assert {name for name, why in broken.items() if why} == leaning | {
        "auth-required",
        "dependency-injection",
        "repository-pattern",
    }
    assert [why for why in broken.values() if why and "is missing. Install it: pip install" not in why] == []


def test_every_tool_is_here_else_this_suite_would_prove_nothing() -> None:
    assert [tool for tool in TOOLS if not importlib.metadata.version(tool)] == []
    assert (Path(sys.executable).with_name("ruff")).is_file() or os.environ.get("PATH")
