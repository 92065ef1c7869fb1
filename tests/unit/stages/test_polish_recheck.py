"""What a recheck says is believed as far as the engine can check it."""

from __future__ import annotations

from typing import Any

import pytest

from thoughtforge.polish.finding import ReviewFinding
from thoughtforge.polish.matching import KnownFinding, RecheckAnswer, settle
from thoughtforge.stages.polish_recheck import Rechecked, Refutation, believed, stands_in

TEXT = "# The herbs and who waters them\n\nAnn waters the herbs\n  every morning, Bo on Sundays.\n"
QUOTE = "waters the herbs every morning"
ASKED = frozenset({"F-001", "F-002"})
CRITICAL = ReviewFinding("critical", "Nobody says who waters the herbs.", "Steps", id="F-001")
MEDIUM = ReviewFinding("medium", "The price of the pots is missing.", "Money", id="F-002")
LEFT = (CRITICAL, MEDIUM)


def said(*fixed: str, still: tuple[str, ...] = (), **quotes: str) -> dict[str, Any]:
    refuted = [{"id": f"F-00{name[-1]}", "quote": quote} for name, quote in quotes.items()]
    return {"fixed": list(fixed), "still": list(still), "refuted": refuted}


def test_a_changed_text_is_believed_by_id_and_unknown_ids_are_none() -> None:
    answer = believed(said("F-001", "F-099", still=("F-002",)), LEFT, text=TEXT, unchanged=False)
    assert answer == Rechecked(RecheckAnswer(frozenset({"F-001"}), frozenset({"F-002"})))


def test_an_unchanged_text_fixed_nothing_and_may_still_refute() -> None:
    answer = believed(said("F-002", f1=QUOTE), LEFT, text=TEXT, unchanged=True)
    refuted = frozenset({"F-001"})
    assert answer == Rechecked(RecheckAnswer(still=ASKED, refuted=refuted), (Refutation("F-001", QUOTE),))


@pytest.mark.parametrize(
    "answer",
    [
        said(f1="Ann waters all of them"),
        said(f1="the herbs"),
        said(f2=QUOTE),
        said(f1="# The herbs and who waters them"),
        said("F-001", f1=QUOTE),
        said(still=("F-001",), f1=QUOTE),
    ],
    ids=[
        "words that stand nowhere",
        "words too few",
        "words about something else",
        "a heading",
        "fixed as well",
        "still there as well",
    ],
)
def test_a_refutation_the_engine_cannot_follow_refutes_nothing(answer: dict[str, Any]) -> None:
    found = believed(answer, LEFT, text=TEXT, unchanged=True)
    assert found == Rechecked(RecheckAnswer(still=ASKED))


def test_a_quotation_may_carry_the_line_numbers_it_was_shown_with() -> None:
    assert stands_in("     3  Ann waters the herbs\n     4    every morning", TEXT)
    assert not stands_in("     3  Ann waters the weeds\n     4    every morning", TEXT)


KNOWN = (KnownFinding(CRITICAL, open=True), KnownFinding(MEDIUM, open=True))
REFUTED = RecheckAnswer(still=ASKED, refuted=frozenset({"F-001"}))


def test_what_is_refuted_once_is_open_and_twice_running_is_gone() -> None:
    once = settle(KNOWN, (), REFUTED)
    assert ([one.id for one in once.open], once.refuted, once.resolved) == (["F-001", "F-002"], ("F-001",), ())
    twice = settle(KNOWN, (), REFUTED, before=frozenset(once.refuted))
    assert ([one.id for one in twice.open], twice.refuted, twice.resolved) == (["F-002"], (), ("F-001",))


def test_what_a_review_reports_is_not_refuted_in_the_same_breath() -> None:
    again = CRITICAL._replace(id="", description="Nobody says who waters all the herbs.")
    found = settle(KNOWN, (again,), REFUTED, before=frozenset({"F-001"}))
    assert ([one.id for one in found.open], found.refuted) == (["F-001", "F-002"], ())


def test_an_id_that_is_left_out_is_not_fixed() -> None:
    answer = believed(said("F-001"), LEFT, text=TEXT, unchanged=False)
    assert answer == Rechecked(RecheckAnswer(frozenset({"F-001"}), frozenset({"F-002"})))


def test_the_words_a_point_complains_about_refute_nothing() -> None:
    point = CRITICAL._replace(description=f"The line “{QUOTE}” does not say which herbs.")
    found = believed(said(f1=QUOTE), (point, MEDIUM), text=TEXT, unchanged=True)
    assert found == Rechecked(RecheckAnswer(still=ASKED))
