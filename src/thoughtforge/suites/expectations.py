"""Proof by changed expectations: the same tests with other expected values, each of which must now fail.

A test that still holds did not depend on what the code does: the run was forged. How an expected value is changed is a
capability of the language; a file of a language without it is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from thoughtforge.suites.language import ChangedTests, languages
from thoughtforge.suites.result import Report


def change_all(files: Mapping[str, str]) -> dict[str, ChangedTests]:
    """Test files with their expected values changed; a function of one may assert for the tests of another."""
    made: dict[str, ChangedTests] = {}
    for language in languages().values():
        if language.proofs.change_expectations is not None:
            mine = {path: text for path, text in files.items() if path.endswith(language.endings)}
            made |= language.proofs.change_expectations(mine)
    return made


def judge(report: Report, ids: Iterable[str]) -> tuple[str, ...]:
    """The tests that did not fail although they had to: forged. A broken report judges nothing; look at that first."""
    return tuple(each for each in ids if each not in report.results or report.results[each].outcome != "failed")
