"""Environments are made once, hold what is declared and never the project, and say what they did."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from suite_runs import found_sandbox, run_tests, write
from thoughtforge.kernel.errors import UserError
from thoughtforge.sandbox.sandbox import Sandbox
from thoughtforge.settings.config import Setup
from thoughtforge.testing.access import PackageIndex
from thoughtforge.testing.environment import PreparedEnvironment, prepare
from thoughtforge.testing.installed import holds_project, product_names, tools_layer

HAVING = "import {name}\n\ndef test():\n    assert {name}.VALUE == 7\n"


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    return found_sandbox()


def wheel(folder: Path, name: str) -> Path:
    """An installable package with one module."""
    folder.mkdir(exist_ok=True)
    info = f"{name}-1.0.dist-info"
    with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as archive:
        archive.writestr(f"{name}.py", "VALUE = 7\n")
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    return folder


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Our own test tools, compiled once for all environments of these tests."""
    return tools_layer(tmp_path_factory.mktemp("tools"))


@pytest.fixture
def make(make_from_nothing: Any, tools: Path, tmp_path: Path) -> Any:
    """Makes environments in a home where our own tools have been used before."""
    shutil.copytree(tools, tmp_path / "home" / "environments" / tools.name, copy_function=os.link)
    return make_from_nothing


@pytest.fixture
def make_from_nothing(sandbox: Sandbox, tmp_path: Path) -> Any:
    """Makes environments in a new home."""

    def making(files: dict[str, str], *, extra: tuple[str, ...] = (), **setup: Any) -> PreparedEnvironment:
        root = write(tmp_path / "root", files)
        index = wheel(wheel(tmp_path / "index", "shelf"), "addition")
        access = PackageIndex({"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(index)}, (index,))
        doing = prepare(
            root,
            paths=[path for path in files],
            environments=tmp_path / "home" / "environments",
            setup=Setup.model_validate(setup),
            sandbox=sandbox,
            search_path=os.environ["PATH"],
            access=access,
            extra=extra,
        )
        return asyncio.run(doing)

    return making


def test_without_declared_dependencies_nothing_is_fetched_and_tests_run_with_our_tools(
    make_from_nothing: Any, tmp_path: Path
) -> None:
    files = {"calc.py": "VALUE = 7\n", "tests/test_calc.py": HAVING.format(name="calc")}
    made = make_from_nothing(files)
    assert (made.command, made.packages, made.cached, made.notes) == ((), (), False, ())
    assert (make_from_nothing(files).cached, make_from_nothing(files).environment) == (True, made.environment)
    report = run_tests(tmp_path / "root", tmp_path / "runs", env=made.environment)
    assert (report.broken, [each.outcome for each in report.results.values()]) == ("", ["passed"])
    assert {path.name for path in made.environment.python_path[0].iterdir()} >= {"pytest", "_pytest", "coverage"}


def test_declared_dependencies_are_installed_once_and_read_only(make: Any, tmp_path: Path) -> None:
    files = {"requirements.txt": "shelf\n", "test_x.py": HAVING.format(name="shelf")}
    made = make(files)
    assert [line.partition("/")[0] for line in made.command] == ["{folder}"]
    assert "shelf==1.0" in made.packages
    report = run_tests(tmp_path / "root", tmp_path / "runs", env=made.environment)
    assert (report.broken, [each.outcome for each in report.results.values()]) == ("", ["passed"])
    again = make(files)
    assert again == made._replace(cached=True)
    changed = make(files | {"requirements.txt": "shelf==1.0\n"})
    assert (changed.cached, changed.environment.digest == made.environment.digest) == (False, False)
    writing = "import shelf, pathlib\n\ndef test():\n    pathlib.Path(shelf.__file__).write_text('')\n"
    write(tmp_path / "root", {"test_x.py": writing})
    report = run_tests(tmp_path / "root", tmp_path / "runs", env=made.environment)
    assert [each.error.partition(":")[0] for each in report.results.values()] == ["OSError"]


def test_a_set_up_cut_short_is_made_anew(make: Any) -> None:
    made = make({"requirements.txt": "shelf\n"})
    folder = made.environment.mounts[0].source
    (folder / "made.json").unlink()
    (folder / "left-over").touch()
    again = make({"requirements.txt": "shelf\n"})
    assert (again.cached, (folder / "left-over").exists(), (folder / "made.json").exists()) == (False, False, True)


def test_what_cannot_be_installed_is_said_with_the_installers_words(make: Any) -> None:
    with pytest.raises(UserError) as caught:
        make({"requirements.txt": "no-such-thing-anywhere\n"})
    assert "could not be installed" in caught.value.what
    assert any("no-such-thing-anywhere" in line for line in caught.value.details)


def test_requirements_from_the_tree_are_refused_before_anything_is_made(make_from_nothing: Any, tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        make_from_nothing({"requirements.txt": "shelf\n-e .\n"})
    assert caught.value.details == ("requirements.txt: -e .",)
    assert not (tmp_path / "home").exists()


def test_a_specification_adds_only_what_a_person_allows(make: Any) -> None:
    with pytest.raises(UserError, match="does not list: addition>=1"):
        make({}, extra=("addition>=1",))
    with pytest.raises(UserError, match="does not list"):
        make({}, extra=("addition @ https://example.org/x.whl",), allow=["addition"])
    with pytest.raises(UserError, match="does not list: addition2"):
        make({}, extra=("addition2",), allow=["addition"])
    made = make({}, extra=("addition>=1",), allow=["Addition"])
    assert "addition==1.0" in made.packages


def test_a_command_of_the_person_fills_the_folder(make: Any, tmp_path: Path) -> None:
    files = {"needs.txt": "shelf\n", "test_x.py": HAVING.format(name="shelf")}
    command = ["python", "-m", "pip", "install", "-r", "needs.txt"]
    made = make(files, command=command, reads=["needs.txt"])
    assert (made.command, "shelf==1.0" in made.packages) == ((" ".join(command),), True)
    assert make(files | {"needs.txt": "shelf==1\n"}, command=command, reads=["needs.txt"]).cached is False
    report = run_tests(tmp_path / "root", tmp_path / "runs", env=made.environment)
    assert [each.outcome for each in report.results.values()] == ["passed"]


def test_a_set_up_sees_neither_home_nor_our_environment(make: Any, tmp_path: Path) -> None:
    secret = write(tmp_path / "elsewhere", {"secret": "x"}) / "secret"
    seen = f"pathlib.Path({str(secret)!r}).exists() or 'PYTEST_CURRENT_TEST' in os.environ"
    code = f"import os, pathlib, sys; sys.exit({seen})"
    assert "PYTEST_CURRENT_TEST" in os.environ
    assert make({"x": ""}, command=["python", "-c", code]).command == (f"python -c {code}",)


def test_an_interpreter_of_the_person_is_used_as_it_is(make: Any, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    files = {"calc.py": "VALUE = 7\n", "test_x.py": HAVING.format(name="calc")}
    made = make(files, python=str(tmp_path / "venv" / "bin" / "python"))
    report = run_tests(tmp_path / "root", tmp_path / "runs", env=made.environment)
    assert (report.broken, [each.outcome for each in report.results.values()]) == ("", ["passed"])
    with pytest.raises(UserError, match="no interpreter"):
        make(files, python=str(tmp_path / "nowhere"))


def test_the_digest_of_an_environment_a_person_made_follows_what_is_installed(make: Any, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "venv")], check=True)
    (site,) = (tmp_path / "venv").glob("lib/python*/site-packages")

    def digest() -> str:
        return str(make({"calc.py": ""}, python=str(tmp_path / "venv" / "bin" / "python")).environment.digest)

    found = [digest(), digest()]
    write(site, {"one-1.0.dist-info/RECORD": "one.py,sha256=a,1\n", "one.py": ""})
    found.append(digest())
    write(site, {"one-1.0.dist-info/RECORD": "one.py,sha256=b,1\n"})
    found.append(digest())
    write(site, {"more.pth": "/somewhere\n"})
    found.append(digest())
    assert (found[0] == found[1], len(set(found))) == (True, 4)


PLANTED = {
    "a copy": {"calc/__init__.py": ""},
    "an editable install": {
        "calc-1.0.dist-info/direct_url.json": json.dumps({"url": "file:///x", "dir_info": {"editable": True}}),
        "__editable__.calc-1.0.pth": "{user}\n",
    },
    "a hook": {
        "hook.pth": "import planted\n",
        "planted.py": (
            "import importlib.util, sys\n\nclass Finder:\n    def find_spec(self, name, path=None, target=None):\n"
            "        if name == 'calc':\n"
            "            return importlib.util.spec_from_file_location(name, '{user}/calc.py')\n\n"
            "sys.meta_path.insert(0, Finder())\n"
        ),
    },
}


@pytest.mark.parametrize("kind", PLANTED)
def test_an_environment_that_holds_the_project_is_told(make: Any, sandbox: Sandbox, tmp_path: Path, kind: str) -> None:
    user = write(tmp_path / "user", {"calc.py": ""})
    environment = make({"calc.py": ""}).environment
    clean = asyncio.run(holds_project(environment, ["calc"], distribution="calc", sandbox=sandbox))
    assert clean == ()
    assert environment.python is not None
    (site,) = environment.python.parents[1].glob("lib/python*/site-packages")
    write(site, {name: text.replace("{user}", str(user)) for name, text in PLANTED[kind].items()})
    found = asyncio.run(holds_project(environment, ["calc"], distribution="calc", sandbox=sandbox))
    said = {
        "a copy": [f"calc can be imported from {site}/calc/__init__.py, outside the tree under test"],
        "an editable install": [
            f"__editable__.calc-1.0.pth points to {user}, which contains calc",
            "calc itself is installed as a link to a checkout in the environment",
        ],
        "a hook": [f"calc can be imported from {user}/calc.py, outside the tree under test"],
    }
    assert [problem.partition(": remove it from")[0] for problem in found] == said[kind]


def test_the_products_own_names_are_its_packages_and_modules() -> None:
    paths = [
        "src/calc/__init__.py",
        "src/calc/x.py",
        "src/one.py",
        "two.py",
        "setup.py",
        "tests/__init__.py",
        "test_a.py",
    ]
    assert product_names([*paths, "docs/conf.py", "three/__init__.py", "a-b.py"]) == ("calc", "one", "three", "two")
