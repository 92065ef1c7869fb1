"""A finding that outlives every fix."""

from __future__ import annotations

from histories import counts, finding, listed, look

STAYS = "The backup is never restored in a drill"


def test_a_critical_or_medium_in_five_reviews_halts_and_is_listed() -> None:
    row = [finding("medium", STAYS, "Backup")]
    assert look("survivor", listed(*[row] * 4)) is None
    hit = look("survivor", listed(*[row] * 5))
    assert hit is not None
    assert hit.sentence == f"1 critical or medium finding is there in 5 reviews: F-001 medium: {STAYS} (Backup)."
    assert hit.numbers == {"reviews": 5, "ids": ("F-001",)}


def test_it_need_not_be_there_in_a_row() -> None:
    row = [finding("critical", STAYS)]
    assert look("survivor", listed(row, row, [], row, row, [], row))
    assert look("survivor", listed(row, row, [], row, row, [])) is None


def test_a_minor_may_stay_and_counts_from_when_it_is_more() -> None:
    minor, medium = [finding("minor", STAYS)], [finding("medium", STAYS)]
    assert look("survivor", listed(*[minor] * 9)) is None
    assert look("survivor", listed(minor, *[medium] * 4)) is None
    assert look("survivor", listed(minor, *[medium] * 5))


def test_other_findings_are_not_the_same_one() -> None:
    texts = ["The budget leaves out taxes", "No date for the opening", "Nobody owns the garden", "Rain", "Two halls"]
    assert look("survivor", listed(*([finding("medium", text)] for text in texts))) is None


def test_without_findings_equal_totals_running_are_the_same_findings() -> None:
    assert look("survivor", counts(*[(0, 2, 3)] * 4)) is None
    hit = look("survivor", counts(*[(0, 2, 3)] * 5))
    assert hit is not None
    assert hit.sentence == "2 critical or medium findings are there in 5 reviews: same totals each time."
    between = counts(*[(0, 2, 3)] * 3, (0, 2, 4), *[(0, 2, 3)] * 3)
    assert look("survivor", between) is None
