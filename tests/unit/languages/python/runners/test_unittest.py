"""unittest for real."""

from __future__ import annotations

from pathlib import Path

import pytest

from suite_runs import run_tests, write

TESTS = """import unittest
import calc

class Sums(unittest.TestCase):
    def test_ok(self): self.assertEqual(calc.add(1, 2), 3)
    def test_wrong(self): self.assertEqual(calc.add(1, 2), 4)
    def test_missing(self): calc.sub(1)
    def test_skipped(self): self.skipTest("not here")
    @unittest.expectedFailure
    def test_expected(self): self.fail()
    @unittest.expectedFailure
    def test_unexpected(self): pass
    def test_parts(self):
        for number in (1, 2, 3):
            with self.subTest(number=number): self.assertEqual(number, 2)
    def test_twice(self):
        self.addCleanup(self.fail, "late")
        self.fail("early")

class Never(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise RuntimeError("no server")
    def test_never(self): pass
"""
FILES = {"calc.py": "def add(a, b): return a + b\n", "tests/__init__.py": "", "tests/test_sums.py": TESTS}


def test_every_outcome_has_its_cause(tmp_path: Path) -> None:
    root = write(tmp_path / "tree", {**FILES, "tests/test_new.py": "from calc import sub\n"})
    report = run_tests(root, tmp_path / "scratch", name="unittest", coverage=("calc.py",))
    assert report.broken == ""
    assert {id: (result.outcome, result.cause, result.missing) for id, result in report.results.items()} == {
        "tests/test_sums.py::Never::test_never": ("failed", "other", ""),
        "tests/test_sums.py::Sums::test_expected": ("skipped", "", ""),
        "tests/test_sums.py::Sums::test_missing": ("failed", "missing", "calc.sub"),
        "tests/test_sums.py::Sums::test_ok": ("passed", "", ""),
        "tests/test_sums.py::Sums::test_parts": ("failed", "assertion", ""),
        "tests/test_sums.py::Sums::test_skipped": ("skipped", "", ""),
        "tests/test_sums.py::Sums::test_twice": ("failed", "assertion", ""),
        "tests/test_sums.py::Sums::test_unexpected": ("failed", "other", ""),
        "tests/test_sums.py::Sums::test_wrong": ("failed", "assertion", ""),
    }
    assert [(file.path, file.line, file.missing) for file in report.unreadable] == [
        ("tests/test_new.py", 1, "calc.sub")
    ]
    assert report.covered == {"calc.py": frozenset({1})}
    assert report.results["tests/test_sums.py::Sums::test_wrong"].line == 6


def test_only_the_asked_tests_are_run(tmp_path: Path) -> None:
    root = write(tmp_path / "tree", {**FILES, "test_more.py": TESTS})
    ids = ("tests/test_sums.py::Sums::test_ok", "tests/test_sums.py::Sums::test_gone")
    assert run_tests(root, tmp_path / "scratch", name="unittest", ids=ids).collected == ids[:1]
    files = run_tests(root, tmp_path / "scratch", name="unittest", files=("test_more.py",), collect_only=True)
    assert {id.partition("::")[0] for id in files.collected} == {"test_more.py"}
    assert files.results == {}


CHEATS = {
    "ends the process": "import os\nos._exit(0)\n",
    "exits": "import sys\nsys.exit(0)\n",
    "replaces the check": "import unittest\nunittest.TestCase.assertEqual = lambda *_: None\ndef add(a, b): return 3\n",
    "replaces the run": "import unittest\nunittest.TestCase.run = lambda *_: None\ndef add(a, b): return 3\n",
}


@pytest.mark.parametrize("product", CHEATS.values(), ids=CHEATS.keys())
def test_a_run_in_which_the_product_cheats_is_broken(tmp_path: Path, product: str) -> None:
    root = write(tmp_path / "tree", {**FILES, "calc.py": product})
    assert run_tests(root, tmp_path / "scratch", name="unittest").broken
