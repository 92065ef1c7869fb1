"""pytest for real: outcomes, causes, selections, plug-ins and coverage."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from suite_runs import python_environment, run_tests, write
from thoughtforge.languages.python.runners.pytest import applies, is_test
from thoughtforge.sandbox.box import Mount
from thoughtforge.testing.report import SuiteReport, UnreadableFile

CALC = "class Shelf:\n    pass\n\ndef add(a, b):\n    if a > 100:\n        return 'large'\n    return a + b\n"
MANY = """import pytest, unittest
import calc

def test_ok(): assert calc.add(1, 2) == 3
def test_wrong(): assert calc.add(1, 2) == 4
def test_no_attribute(): calc.sub(1, 2)
def test_no_method(): calc.Shelf().report()
def test_no_class_attribute(): calc.Shelf.KIND
def test_no_name(): as_json()
def test_no_module(): import calc.deep
def test_no_symbol(): from calc import sub
def test_no_fixture(absent): pass
def test_type(): calc.add(1, 2, c=3)
def test_exit(): raise SystemExit(0)
def test_unbound():
    print(late)
    late = 1
def test_not_raised():
    with pytest.raises(ValueError): pass
def test_failed(): pytest.fail("no")
@pytest.mark.xfail
def test_expected(): assert False
@pytest.mark.xfail
def test_unexpected(): pass
def test_skipped(): pytest.skip("not here")
@pytest.fixture
def late():
    yield
    raise RuntimeError("late")
def test_teardown(late): pass
@pytest.fixture
def early(): raise RuntimeError("early")
def test_setup(early): pass
class TestCase(unittest.TestCase):
    def test_case(self): self.assertEqual(1, 2)
    def test_parts(self):
        for number in (1, 2, 3):
            with self.subTest(number=number): self.assertEqual(number, 2)
"""
WHY = {
    "test_ok": ("passed", "", "", ""),
    "test_wrong": ("failed", "assertion", "", "AssertionError: assert 3 == 4"),
    "test_no_attribute": ("failed", "missing", "calc.sub", "AttributeError: module 'calc' has no attribute 'sub'"),
    "test_no_method": ("failed", "missing", "Shelf.report", "AttributeError: 'Shelf' object has no attribute 'report'"),
    "test_no_class_attribute": (
        "failed",
        "missing",
        "Shelf.KIND",
        "AttributeError: type object 'Shelf' has no attribute 'KIND'",
    ),
    "test_no_name": ("failed", "missing", "as_json", "NameError: name 'as_json' is not defined"),
    "test_no_module": ("failed", "missing", "calc.deep", "ModuleNotFoundError: No module named 'calc.deep'"),
    "test_no_symbol": (
        "failed",
        "missing",
        "calc.sub",
        "ImportError: cannot import name 'sub' from 'calc' (src/calc/__init__.py)",
    ),
    "test_no_fixture": ("failed", "other", "", "fixture 'absent' not found"),
    "test_type": ("failed", "missing", "add(c)", "TypeError: add() got an unexpected keyword argument 'c'"),
    "test_exit": ("failed", "other", "", "SystemExit: 0"),
    "test_unbound": (
        "failed",
        "other",
        "",
        "UnboundLocalError: cannot access local variable 'late' where it is not associated with a value",
    ),
    "test_not_raised": ("failed", "assertion", "", "Failed: DID NOT RAISE ValueError"),
    "test_failed": ("failed", "assertion", "", "Failed: no"),
    "test_expected": ("skipped", "", "", "expected to fail"),
    "test_unexpected": ("failed", "other", "", "passed although it is marked as expected to fail"),
    "test_skipped": ("skipped", "", "", "not here"),
    "test_teardown": ("failed", "other", "", "RuntimeError: late"),
    "test_setup": ("failed", "other", "", "RuntimeError: early"),
    "TestCase::test_case": ("failed", "assertion", "", "AssertionError: 1 != 2"),
    "TestCase::test_parts": ("failed", "assertion", "", "AssertionError: 1 != 2"),
}


def tree(root: Path, **more: str) -> Path:
    return write(root, {"src/calc/__init__.py": CALC, **more})


def short(report: SuiteReport) -> dict[str, str]:
    return {id: result.outcome for id, result in report.results.items()}


def test_every_outcome_has_its_cause(tmp_path: Path) -> None:
    report = run_tests(tree(tmp_path / "tree", **{"tests/test_many.py": MANY}), tmp_path / "scratch")
    told = {
        id.partition("::")[2]: (result.outcome, result.cause, result.missing, result.error)
        for id, result in report.results.items()
    }
    assert report.broken == ""
    assert told == WHY


def test_a_result_says_where(tmp_path: Path) -> None:
    test = "from calc import add\n\ndef test_a():\n    x = 1\n    assert add(x, 1) == 3\n\ndef test_b():\n    pass\n"
    report = run_tests(tree(tmp_path / "tree", **{"tests/test_a.py": test}), tmp_path / "scratch")
    assert [(result.path, result.line) for result in report.results.values()] == [
        ("tests/test_a.py", 5),
        ("tests/test_a.py", 7),
    ]


def test_files_that_cannot_be_collected_do_not_stop_the_others(tmp_path: Path) -> None:
    files = {
        "tests/test_a.py": "def test_a(): pass\n",
        "tests/test_b.py": "import os\nfrom calc import sub\n",
        "tests/test_c.py": "import calc.deep\n",
        "tests/test_d.py": "\ndef (:\n",
        "tests/test_e.py": "1 / 0\n",
    }
    report = run_tests(tree(tmp_path / "tree", **files), tmp_path / "scratch")
    assert (report.broken, short(report)) == ("", {"tests/test_a.py::test_a": "passed"})
    assert [(file.path, file.line, file.cause, file.missing) for file in report.unreadable] == [
        ("tests/test_b.py", 2, "missing", "calc.sub"),
        ("tests/test_c.py", 1, "missing", "calc.deep"),
        ("tests/test_d.py", 2, "other", ""),
        ("tests/test_e.py", 1, "other", ""),
    ]


@pytest.mark.parametrize("place", ["conftest.py", "tests/conftest.py", "tests/deep/conftest.py"])
def test_a_conftest_that_cannot_be_imported_is_named(tmp_path: Path, place: str) -> None:
    files = {place: "from calc import sub\n", "tests/deep/test_a.py": "def test_a(): pass\n"}
    report = run_tests(tree(tmp_path / "tree", **files), tmp_path / "scratch")
    error = "ImportError: cannot import name 'sub' from 'calc' (src/calc/__init__.py)"
    assert (report.broken, report.results) == ("", {})
    assert report.unreadable == (UnreadableFile(place, 1, error, "missing", "calc.sub"),)


TWO = {
    "tests/test_a.py": (
        "import pytest\n@pytest.mark.parametrize('n', [1, 2])\ndef test_n(n): pass\ndef test_x(): pass\n"
    ),
    "tests/test_b.py": "def test_y(): pass\n",
}


def test_only_the_asked_tests_are_run(tmp_path: Path) -> None:
    root = tree(tmp_path / "tree", **TWO)
    ids = ("tests/test_a.py::test_n[2]", "tests/test_b.py::test_y", "tests/test_b.py::test_gone", "tests/no.py::test_z")
    report = run_tests(root, tmp_path / "scratch", ids=ids)
    assert short(report) == {"tests/test_a.py::test_n[2]": "passed", "tests/test_b.py::test_y": "passed"}
    assert (report.broken, report.collected) == ("", tuple(report.results))


def test_only_the_asked_files_are_run(tmp_path: Path) -> None:
    report = run_tests(tree(tmp_path / "tree", **TWO), tmp_path / "scratch", files=("tests/test_b.py",))
    assert short(report) == {"tests/test_b.py::test_y": "passed"}


def test_files_that_are_all_gone_have_no_tests(tmp_path: Path) -> None:
    report = run_tests(tree(tmp_path / "tree", **TWO), tmp_path / "scratch", files=("tests/test_gone.py",))
    assert (report.broken, report.collected) == ("", ())


def test_collecting_runs_nothing(tmp_path: Path) -> None:
    root = tree(tmp_path / "tree", **{"tests/test_a.py": "def test_a(): raise SystemExit(3)\n"})
    report = run_tests(root, tmp_path / "scratch", collect_only=True)
    assert (report.broken, report.collected, report.results) == ("", ("tests/test_a.py::test_a",), {})


def test_a_repository_without_tests_has_none(tmp_path: Path) -> None:
    report = run_tests(tree(tmp_path / "tree"), tmp_path / "scratch")
    assert (report.broken, report.collected, report.unreadable) == ("", (), ())


def test_the_lines_that_ran_are_told_whatever_comments_say(tmp_path: Path) -> None:
    product = CALC.replace("    return a + b", "    return a + b  # pragma: no cover")
    files = {"src/calc/__init__.py": product, "tests/test_a.py": "from calc import add\ndef test_a(): add(1, 2)\n"}
    root = write(tmp_path / "tree", {**files, ".coveragerc": "[run]\nomit = *\n", "src/calc/other.py": "X = 1\n"})
    asked = ("src/calc/__init__.py", "src/calc/other.py")
    report = run_tests(root, tmp_path / "scratch", coverage=asked)
    assert report.covered == {"src/calc/__init__.py": frozenset({1, 2, 4, 5, 7}), "src/calc/other.py": frozenset()}


PLUGIN = "import pytest\n@pytest.fixture\ndef {name}():\n    return 1\n"


def test_a_plug_in_is_loaded_when_the_base_declares_it_and_not_because_it_is_installed(tmp_path: Path) -> None:
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    packages = next((venv / "lib").glob("python*/site-packages"))
    for name in ("wanted", "unwanted"):
        info = f"pytest_{name}-1.0.dist-info"
        points = f"[pytest11]\n{name} = pytest_{name}\n"
        metadata = f"Metadata-Version: 2.1\nName: pytest-{name}\nVersion: 1.0\n"
        files = {f"{info}/entry_points.txt": points, f"{info}/METADATA": metadata}
        write(packages, {f"pytest_{name}.py": PLUGIN.format(name=name), **files})
    config = {"pyproject.toml": "[dependency-groups]\ntest = ['pytest', 'Pytest.Wanted>=1']\n"}
    test = "def test_a(wanted): pass\ndef test_b(unwanted): pass\n"
    tools = Path(sysconfig.get_path("purelib"))
    env = python_environment(venv, tools, python=venv / "bin/python")._replace(python_path=(tools,))
    root = tree(tmp_path / "tree", **{"tests/test_a.py": test})
    report = run_tests(root, tmp_path / "scratch", env=env, config=config)
    assert short(report) == {"tests/test_a.py::test_a": "passed", "tests/test_a.py::test_b": "failed"}
    assert env.mounts[-1] == Mount(tools)


def test_the_bases_settings_count_and_the_trees_do_not(tmp_path: Path) -> None:
    base = "[tool.pytest.ini_options]\npython_files = 'check_*.py'\naddopts = '-x -n 4 --cov --strict-markers'\n"
    files = {
        "pyproject.toml": "[tool.pytest.ini_options]\npython_files = 'nothing.py'\n",
        "pytest.ini": "[pytest]\naddopts = --collect-only\n",
        "tests/check_a.py": "import pytest\ndef test_a(): assert False\n@pytest.mark.flaky\ndef test_b(): pass\n",
    }
    report = run_tests(tree(tmp_path / "tree", **files), tmp_path / "scratch", config={"pyproject.toml": base})
    assert (report.broken, short(report)) == (
        "",
        {"tests/check_a.py::test_a": "failed", "tests/check_a.py::test_b": "passed"},
    )


def test_the_project_finds_its_own_version(tmp_path: Path) -> None:
    config = {"pyproject.toml": "[project]\nname = 'my-calc'\nversion = '3.1'\n"}
    test = "from importlib.metadata import version\ndef test_a(): assert version('my-calc') == '3.1'\n"
    report = run_tests(tree(tmp_path / "tree", **{"test_a.py": test}), tmp_path / "scratch", config=config)
    assert short(report) == {"test_a.py::test_a": "passed"}


def test_a_plug_in_of_the_tests_is_no_change_of_the_runner(tmp_path: Path) -> None:
    files = {
        "conftest.py": "pytest_plugins = ['calc.testing']\n",
        "src/calc/testing.py": (
            "import pytest\ndef pytest_runtest_setup(): pass\n@pytest.fixture\ndef one(): return 1\n"
        ),
        "tests/deep/conftest.py": "def pytest_collection_modifyitems(items): pass\n",
        "tests/deep/test_a.py": "def test_a(one): assert one == 1\n",
    }
    report = run_tests(tree(tmp_path / "tree", **files), tmp_path / "scratch")
    assert (report.broken, short(report)) == ("", {"tests/deep/test_a.py::test_a": "passed"})


@pytest.mark.parametrize(
    ("files", "fits"),
    [
        ({"app.py": ""}, True),
        ({"test_a.py": "import unittest\nclass T(unittest.TestCase): pass\n"}, False),
        ({"test_a.py": "import unittest\n", "conftest.py": ""}, True),
        ({"test_a.py": "import unittest\n", "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-q'\n"}, True),
        ({"test_a.py": "import unittest\n", "test_b.py": "def test_b(): pass\n"}, True),
        ({"index.js": ""}, False),
    ],
)
def test_it_fits_python_unless_all_tests_are_for_unittest(files: dict[str, str], fits: bool) -> None:
    assert applies(list(files), files.__getitem__) is fits


@pytest.mark.parametrize(
    ("path", "test"),
    [
        ("tests/data/big.json", True),
        ("src/pkg/conftest.py", True),
        ("src/pkg/tests/test_x.py", True),
        ("pkg/test_x.py", True),
        ("pkg/x_test.py", True),
        ("pkg/testing.py", False),
        ("pkg/attest.py", False),
        ("src/latest_test/x.py", False),
    ],
)
def test_tests_are_known_by_name_and_folder(path: str, test: bool) -> None:
    assert is_test(path) is test
