"""Which findings are new: as many as have a new id, and of those alike the ones that say something new."""

from __future__ import annotations

from thoughtforge.gate.findings import Finding, Violation, grouped, identify, new_findings

CALL = "slugify(text, **options)"
STR, BOOL = "Expected `str`, found `int | str`", "Expected `bool`, found `int | str`"


def found(*told: tuple[str, int, str], line: str = CALL) -> list[Finding]:
    """What a check says about equal lines."""
    items = ((Violation(path, number, message, rule="argument"), line) for path, number, message in told)
    return identify(items, check="types", category="types", severity="major")


def new(now: list[Finding], before: list[Finding]) -> list[tuple[str, int, str]]:
    return [(one.path, one.line, one.message) for one in new_findings(now, before)]


def test_of_several_on_one_line_the_one_that_says_something_new_is_new() -> None:
    before = found(("a.py", 7, STR), ("a.py", 7, STR))
    now = found(("a.py", 7, STR), ("a.py", 7, BOOL), ("a.py", 7, STR))
    assert new(now, before) == [("a.py", 7, BOOL)]


def test_on_equal_lines_each_new_one_is_told_at_its_own_line() -> None:
    before = found(("a.py", 7, STR), ("a.py", 9, STR))
    now = found(("a.py", 8, STR), ("a.py", 8, BOOL), ("a.py", 10, STR), ("a.py", 10, BOOL))
    assert new(now, before) == [("a.py", 8, BOOL), ("a.py", 10, BOOL)]


def test_one_more_of_the_same_words_is_new_and_an_old_one_in_other_words_is_not() -> None:
    before = found(("a.py", 7, STR))
    assert new(found(("a.py", 7, STR), ("a.py", 7, STR)), before) == [("a.py", 7, STR)]
    assert new(found(("a.py", 7, BOOL)), before) == []


def test_the_same_words_on_another_line_of_the_file_are_new_wherever_they_are() -> None:
    old = found(("a.py", 20, STR))
    now = [*found(("a.py", 3, STR), line="other(**options)"), *old]
    assert new(now, old) == [("a.py", 3, STR)]


def test_nothing_is_passed_over_when_the_old_one_says_something_else_now() -> None:
    before = found(("a.py", 7, "old words"))
    now = [*found(("a.py", 7, BOOL)), *found(("a.py", 9, STR), line="x = 1")]
    assert new(now, before) == [("a.py", 9, STR)]


def test_every_file_of_equal_findings_is_named() -> None:
    (group,) = grouped(found(*(("a.py", line, BOOL) for line in (1, 2, 3, 4)), ("b.py", 1, BOOL), ("c.py", 1, BOOL)))
    assert group.where == "a.py:1, a.py:2, a.py:3 and 3 more places, also in b.py, c.py"
