"""Pairs of statements that cannot both hold; doubtful ones are left alone."""

import pytest

from thoughtforge.providers.builtin.contradictions import Pair, contradictions


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
