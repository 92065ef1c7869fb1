"""Pairs of statements that cannot both hold; doubtful ones are left alone."""

import pytest

from thoughtforge.providers.builtin.contradictions import Pair, contradictions
from thoughtforge.providers.builtin.distil import distil
from thoughtforge.providers.builtin.sentences import REPLACED, WHICH_HOLDS
from thoughtforge.providers.builtin.settling import applied


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The roof must be red.", "The roof must not be red."),
        ("Das Dach muss rot sein.", "Das Dach darf nicht rot sein."),
        ("At most 40 people.", "At least 60 people."),
        ("At least 1.500 seats.", "No more than 1,200 seats."),
        ("The budget is 30,000 euros.", "Our budget: 20.000 €"),
        ("The hall costs 450 euros.", "The hall is 540 euros."),
        ("Around 300 visitors are expected.", "We expect 500 visitors."),
        ("The parade is on 12 June.", "The parade is on the 19th of June because of the fair."),
        ("We move in May.", "We move in June."),
        ("The deposit is due on 3 March.", "The invoice says 10 March for the deposit."),
    ],
)
def test_against_each_other(one: str, other: str) -> None:
    assert contradictions([one, other]) == [Pair(one, other)]
    assert contradictions([other, "The sun shines.", one]) == [Pair(other, one)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The roof must be red.", "The door must not be red and heavy."),
        ("At most 40 people.", "At least 40 people."),
        ("At most 40 people.", "At least 60 chairs."),
        ("budget for the barn: 7,000 €", "budget for the band: 800 €"),
        ("The budget is 30,000 euros.", "The budget is 30.000 €."),
        ("The budget is 30,000 euros, 10,000 of it for food.", "The budget is 20,000 euros."),
        ("Posts cost 120 €.", "The budget is 300 €."),
        ("60 guests are coming.", "20 guests are vegetarian."),
        ("The band plays on 3 May.", "The cake comes on 4 May."),
        ("4 volunteers for the gate.", "5 volunteers for the bar."),
        ("No nuts.", "Nuts."),
        ("The roof must be red.", "The roof must be red."),
    ],
)
def test_not_surely_against_each_other(one: str, other: str) -> None:
    assert contradictions([one, other]) == []


def test_a_sentence_in_which_two_sources_disagree_is_asked_about_and_corrects_nothing() -> None:
    note = (
        "We want to move before the contract ends on 30 November. The provider told me the contract actually ends "
        "31 October, but the invoice says 30 November."
    )
    intent = distil([note])
    (asked,) = [one for one in intent["open_questions"] if one["text"].startswith(WHICH_HOLDS)]
    assert "actually ends 31 October” / “the invoice says 30 November”" in asked["text"]
    assert intent["objective"] == ["We want to move before the contract ends on 30 November."]
    assert not any(text.startswith(REPLACED) for text in intent["context"])


def test_what_joins_two_clauses_goes_when_both_are_in_dispute() -> None:
    lost = {"the contract ends 31 October": "", "the invoice says 30 November": ""}
    assert applied("the contract ends 31 October, but the invoice says 30 November.", lost) == ""
