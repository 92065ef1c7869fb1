"""When the thresholds are met and what meets them can be trusted."""

from __future__ import annotations

from typing import Any

import pytest

from histories import counts, finding, listed, look

CLASSIC = {"without_critical": 1, "fixed": False, "full": False, "repeat_empty": False}


@pytest.mark.parametrize(
    ("row", "done"),
    [((0, 3, 5), True), ((0, 4, 5), False), ((0, 3, 6), False), ((1, 0, 0), False), ((0, 0, 1), True)],
)
def test_the_thresholds_are_inclusive(row: tuple[int, int, int], done: bool) -> None:
    for parameters in ({}, CLASSIC):
        assert bool(look("termination", counts(row), **parameters)) is done


def test_it_says_the_numbers() -> None:
    hit = look("termination", counts((0, 2, 1)))
    assert hit is not None
    assert hit.sentence == "The thresholds are met: 0 critical, 2 medium, 1 minor (at most 0, 3 and 5)."
    assert hit.numbers == {
        "critical": 0, "medium": 2, "minor": 1, "critical_max": 0, "medium_max": 3, "minor_max": 5,
    }  # fmt: skip


def test_a_critical_must_be_gone_for_two_reviews() -> None:
    assert look("termination", counts((1, 0, 0), (0, 1, 0))) is None
    assert look("termination", counts((1, 0, 0), (0, 1, 0), (0, 1, 0)))
    assert look("termination", counts((1, 0, 0), (0, 1, 0)), **CLASSIC)


def test_a_critical_that_is_only_called_less_is_not_fixed() -> None:
    bad, other = "The backup is never restored in a drill", "A comma is missing"
    first, then = finding("critical", bad), finding("minor", bad)
    clean = [finding("minor", other)]
    assert look("termination", listed([first], [then, *clean], [then, *clean])) is None
    assert look("termination", listed([first], clean, clean))
    assert look("termination", listed([first], [then], [then]), **CLASSIC)


@pytest.mark.parametrize(("field", "classic"), [("full", True), ("tests_passed", False)])
def test_a_partial_review_or_a_failing_test_is_not_enough(field: str, classic: bool) -> None:
    no: dict[str, list[Any]] = {field: [False]}
    assert look("termination", counts((0, 1, 0), **no)) is None
    assert bool(look("termination", counts((0, 1, 0), **no), **CLASSIC)) is classic


def test_a_review_without_findings_is_repeated_once() -> None:
    assert look("termination", counts((0, 0, 0))) is None
    assert look("termination", counts((0, 0, 0), (0, 0, 0)))
    assert look("termination", counts((0, 9, 0), (0, 0, 0))) is None
    assert look("termination", counts((0, 0, 0)), **CLASSIC)


def test_if_the_repetition_finds_something_the_second_counts() -> None:
    assert look("termination", counts((0, 0, 0), (0, 3, 5)))
    assert look("termination", counts((0, 0, 0), (0, 4, 0))) is None


def test_a_critical_set_aside_bars_it() -> None:
    aside = finding("critical", "Gone", "nowhere.py:1", exists=False)
    small = finding("minor", "A comma is missing")
    assert look("termination", listed([aside, small])) is None
    assert look("termination", listed([aside, small], [small])) is None
    assert look("termination", listed([aside, small], [small], [small]))


def test_a_critical_in_the_counts_bars_it_whatever_the_findings_are() -> None:
    assert look("termination", counts((1, 0, 0), findings=[[finding("minor", "A comma")]])) is None
