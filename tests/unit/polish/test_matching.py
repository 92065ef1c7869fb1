"""The same finding over iterations."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from thoughtforge.polish.finding import ReviewFinding
from thoughtforge.polish.matching import Compared, KnownFinding, RecheckAnswer, follow, settle

BACKUP = ReviewFinding("critical", "The backup is never restored in a drill", "Backup")
DATE = ReviewFinding("medium", "No date is set for the opening", "Opening")
COMMA = ReviewFinding("minor", "A comma is missing in the second sentence", "Opening")


def first() -> tuple[KnownFinding, ...]:
    return follow((), [COMMA, BACKUP, DATE]).known


def names(compared: Compared) -> dict[str, tuple[str, ...]]:
    return {key: getattr(compared, key) for key in ("new", "persisting", "returned", "resolved")}


def test_new_findings_are_numbered_worst_first_however_they_were_listed() -> None:
    one, other = follow((), [COMMA, BACKUP, DATE]), follow((), [DATE, COMMA, BACKUP])
    assert one == other
    assert [finding.id for finding in one.open] == ["F-001", "F-002", "F-003"]
    assert [finding._replace(id="") for finding in one.open] == [BACKUP, DATE, COMMA]


def test_a_finding_in_other_words_is_the_same_one() -> None:
    reworded = ReviewFinding("medium", "There is no date set for the opening yet", "Opening")
    compared = follow(first(), [reworded])
    assert names(compared) == {"new": (), "persisting": ("F-002",), "returned": (), "resolved": ("F-001", "F-003")}
    assert compared.open == (reworded._replace(id="F-002"),)


def test_what_was_gone_and_is_back_has_returned() -> None:
    gone = follow(first(), [BACKUP])
    back = follow(gone.known, [BACKUP, DATE])
    assert names(back) == {"new": (), "persisting": ("F-001",), "returned": ("F-002",), "resolved": ()}


def test_one_old_finding_is_at_most_one_new_one() -> None:
    compared = follow(first(), [DATE, DATE])
    assert compared.persisting == ("F-002",)
    assert compared.new == ("F-004",)


def test_the_location_breaks_a_tie() -> None:
    text = "This paragraph promises more than it says"
    here, there = ReviewFinding("minor", text, "a.py:10"), ReviewFinding("minor", text, "b.py:20")
    known = follow((), [here, there]).known
    compared = follow(known, [ReviewFinding("minor", text, "b.py:25")])
    assert [(finding.id, finding.location) for finding in compared.open] == [("F-002", "b.py:25")]


def test_the_reviewers_word_comes_before_the_text() -> None:
    said = RecheckAnswer(fixed=frozenset({"F-001", "F-002"}), still=frozenset({"F-003"}))
    similar = DATE._replace(description=f"{DATE.description} at all")
    compared = settle(first(), [similar], said)
    assert names(compared) == {
        "new": ("F-004",),
        "persisting": ("F-003",),
        "returned": (),
        "resolved": ("F-001", "F-002"),
    }
    assert compared.open == (similar._replace(id="F-004"), COMMA._replace(id="F-003"))


def test_what_the_same_review_reports_word_for_word_is_not_fixed() -> None:
    compared = settle(first(), [DATE], RecheckAnswer(fixed=frozenset({"F-001", "F-002", "F-003"})))
    assert names(compared) == {"new": (), "persisting": ("F-002",), "returned": (), "resolved": ("F-001", "F-003")}


def test_an_id_said_to_be_both_is_still_there() -> None:
    both = frozenset({"F-003"})
    assert settle(first(), [], RecheckAnswer(fixed=both | {"F-001"}, still=both)).persisting == ("F-003",)


def test_a_critical_stays_open_until_its_id_is_said_to_be_fixed() -> None:
    for word in (None, RecheckAnswer(), RecheckAnswer(fixed=frozenset({"F-002"}))):
        assert settle(first(), [], word).open == (BACKUP._replace(id="F-001"),)
    assert settle(first(), [], RecheckAnswer(fixed=frozenset({"F-001"}))).open == ()


def test_a_word_about_an_id_nobody_knows_changes_nothing() -> None:
    strange = frozenset({"F-099"})
    assert settle(first(), [BACKUP], RecheckAnswer(fixed=strange, still=strange)) == settle(
        first(), [BACKUP], RecheckAnswer()
    )


def test_ids_are_never_given_twice() -> None:
    gone = follow(first(), [])
    compared = follow(gone.known, [ReviewFinding("minor", "Rain is not considered at all")])
    assert compared.new == ("F-004",)


FINDINGS = st.lists(
    st.builds(
        lambda *fields: ReviewFinding(*fields),
        st.sampled_from(["critical", "medium", "minor"]),
        st.sampled_from(["the budget is wrong", "the budget is very wrong", "no date", "no date for rain", "rain"]),
        st.sampled_from(["", "a.py:1", "a.py:2", "Budget"]),
    ),
    max_size=6,
)


@given(FINDINGS, FINDINGS, st.randoms(use_true_random=False))
def test_the_order_of_the_findings_changes_nothing(
    one: list[ReviewFinding], two: list[ReviewFinding], chance: Random
) -> None:
    shuffled_one, shuffled_two = chance.sample(one, len(one)), chance.sample(two, len(two))
    plain = follow(follow((), one).known, two)
    assert follow(follow((), shuffled_one).known, shuffled_two) == plain
    assert len({finding.id for finding in plain.open}) == len(two)
    assert sorted(plain.new + plain.persisting + plain.returned) == sorted(finding.id for finding in plain.open)
