"""The best iteration and what the fixer gets."""

from __future__ import annotations

from typing import Any

import pytest

from histories import counts, finding, listed, read
from thoughtforge.polish.finding import PERSON, ReviewFinding
from thoughtforge.polish.history import History, Iteration, best_iteration, for_fixer


@pytest.mark.parametrize(
    ("data", "best"),
    [
        (counts((0, 1, 0), (0, 0, 0), tests_passed=[True, False]), 1),  # tests before everything
        (counts((1, 0, 0), (0, 9, 9)), 2),
        (counts((0, 2, 0), (0, 1, 9)), 2),
        (counts((0, 1, 2), (0, 1, 3)), 1),
        (counts((0, 1, 2), (0, 1, 2), size=[10, 11]), 1),
        (counts((0, 1, 2), (0, 1, 2), size=[None, 900]), 2),  # unknown is not small
        (counts((0, 1, 2), (0, 1, 2), (0, 5, 0)), 2),  # of equal ones the latest
    ],
)
def test_tests_criticals_mediums_minors_size_in_this_order(data: dict[str, Any], best: int) -> None:
    assert best_iteration(read(data)) == best


def test_an_iteration_before_the_last_wish_of_a_person_is_never_the_best() -> None:
    wish, again = (ReviewFinding("medium", text, id=text, source=PERSON) for text in ("One option", "Another option"))
    minor, medium = ReviewFinding("minor", "A comma"), ReviewFinding("medium", "No date")
    done, asked, made = Iteration(()), Iteration((wish,)), Iteration((minor,))
    assert best_iteration(History((done, asked))) == 2
    assert best_iteration(History((done, asked, made))) == 3
    assert best_iteration(History((done, asked, made)).since(2)) == 3
    assert best_iteration(History((done, asked, made, Iteration((again,)), Iteration((minor, medium))))) == 5


def test_a_critical_set_aside_is_one() -> None:
    aside = [finding("critical", "Gone", exists=False)]
    assert best_iteration(read(listed([finding("medium", "No date")], aside))) == 1


@pytest.mark.parametrize(("serious", "minors"), [(7, True), (8, False)])
def test_minors_are_fixed_while_the_rest_is_at_most_two_above_the_best(serious: int, minors: bool) -> None:
    first = [finding("medium", f"Medium {number}") for number in range(5)]
    small = finding("minor", "A comma is missing")
    last = [*(finding("medium", f"Medium {number}") for number in range(serious)), small]
    given = [one.severity for one in for_fixer(read(listed(first, last)))]
    assert given == ["medium"] * serious + ["minor"] * minors


def test_what_is_set_aside_is_not_fixed() -> None:
    assert for_fixer(read(listed([finding("medium", "Gone", exists=False)]))) == ()


def test_a_version_without_a_persons_last_wish_is_never_the_best() -> None:
    asked = ReviewFinding("medium", "A bench", id="F-001", source=PERSON)
    other = ReviewFinding("medium", "No date", id="F-002")
    clean = Iteration(())
    wished, done = Iteration((asked,)), Iteration((other,))
    assert best_iteration(History((clean, wished, done))) == 3
    assert best_iteration(History((clean, wished))) == 2
