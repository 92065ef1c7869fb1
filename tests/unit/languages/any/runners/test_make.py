"""make for real."""

from __future__ import annotations

from pathlib import Path

import pytest

from suite_runs import run_tests, write
from thoughtforge.languages.any.runners.make import applies, is_test
from thoughtforge.testing.report import Environment, SuiteReport
from thoughtforge.testing.report import TestResult as Result

NOTHING = Environment("nothing")


def run(tmp_path: Path, makefile: str, **asked: bool) -> SuiteReport:
    root = write(tmp_path / "tree", {"Makefile": makefile})
    return run_tests(root, tmp_path / "scratch", name="make", env=NOTHING, **asked)


def test_it_is_one_test_that_passes_or_fails(tmp_path: Path) -> None:
    assert run(tmp_path, "test:\n\ttrue\n") == SuiteReport({"make test": Result("make test", "passed")}, ("make test",))
    failed = run(tmp_path, "check:\n\t@echo bad >&2; exit 3\n")
    assert failed.results == {
        "make check": Result("make check", "failed", "other", error="code 2: make: *** [Makefile:2: check] Error 3")
    }


def test_a_makefile_that_cannot_be_followed_is_broken_not_failed(tmp_path: Path) -> None:
    assert run(tmp_path, "test: absent\n\ttrue\n").broken.startswith("make test failed to run, code 2")


def test_collecting_runs_nothing(tmp_path: Path) -> None:
    report = run(tmp_path, "test:\n\texit 3\n", collect_only=True)
    assert report == SuiteReport(collected=("make test",))


@pytest.mark.parametrize(
    ("text", "fits"), [("test: all\n", True), ("check:\n", True), ("test := x\n", False), ("all:\n", False)]
)
def test_it_fits_a_makefile_with_something_to_test(text: str, fits: bool) -> None:
    assert applies(["Makefile"], lambda _: text) is fits


def test_tests_are_known_by_name_and_folder() -> None:
    known = {path: is_test(path) for path in ("t/one.sh", "src/test_a.c", "a.spec.lua", "src/latest.c", "contest.c")}
    assert known == {
        "t/one.sh": True,
        "src/test_a.c": True,
        "a.spec.lua": True,
        "src/latest.c": False,
        "contest.c": False,
    }
