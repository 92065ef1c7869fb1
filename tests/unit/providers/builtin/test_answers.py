"""Plain words count as answers: to the question they name, or to the first one they fit."""

from __future__ import annotations

import pytest

from thoughtforge.providers.builtin.answers import AskedPoint, Reading, beaten, read
from thoughtforge.providers.builtin.sentences import BY_WHEN, HOW_MUCH, LEFT_OPEN, WHICH_HOLDS

OPEN = (
    AskedPoint("Q-1", f"{WHICH_HOLDS} “60 guests come.” / “80 guests come.”"),
    AskedPoint("Q-2", BY_WHEN),
    AskedPoint("Q-3", HOW_MUCH),
    AskedPoint("Q-4", "Who drives?"),
    AskedPoint("U-1", "Is the hall free?"),
)


@pytest.mark.parametrize(
    ("message", "answers"),
    [
        ("Q-4: Bo", {"Q-4": "Bo"}),
        ("- u-1 = no: never", {"U-1": "no: never"}),
        ("2: in May", {"Q-2": "in May"}),
        ("1. the second\n4) Ann", {"Q-1": "80 guests come.", "Q-4": "Ann"}),
        ("the first", {"Q-1": "60 guests come."}),
        ("The latter.", {"Q-1": "80 guests come."}),
        ("in May", {"Q-2": "in May"}),
        ("by the end of June", {"Q-2": "by the end of June"}),
        ("900 euros", {"Q-3": "900 euros"}),
        ("Ann and Bo", {"Q-4": "Ann and Bo"}),
        ("yes", {"U-1": "yes"}),
        ("no, it is taken", {"U-1": "no, it is taken"}),
        ("don't know yet", {"Q-1": LEFT_OPEN}),
        ("Q-2: later", {"Q-2": LEFT_OPEN}),
        ("leave the rest open", {one.id: LEFT_OPEN for one in OPEN}),
    ],
)
def test_an_answer(message: str, answers: dict[str, str]) -> None:
    assert read(message, OPEN) == Reading(answers, "")


@pytest.mark.parametrize(
    "message",
    [
        "The band is called Fern and plays on boats.",
        "no, make that 40 guests",
        "We want a bigger hall.",
        "What about the dog?",
        "about Q-3: hm",
    ],
)
def test_anything_else_is_content(message: str) -> None:
    assert read(message, OPEN) == Reading({}, message)


@pytest.mark.parametrize("message", ["help", "/help", "Thanks!", "ok", "looks good"])
def test_help_and_thanks_are_no_content(message: str) -> None:
    assert read(message, OPEN) == Reading({}, "")


def test_the_rest_of_a_message_stays() -> None:
    assert read("Q-4: Bo\nThe hall is red and blue and green and old.", OPEN) == Reading(
        {"Q-4": "Bo"}, "The hall is red and blue and green and old."
    )


def test_an_answer_that_speaks_of_neither_statement_leaves_their_question_open() -> None:
    assert read("Q-1: Bo tells the others", OPEN) == Reading({}, "Bo tells the others")
    assert read("Q-1: neither", OPEN) == Reading({"Q-1": "neither"}, "")
    assert read("Q-1: 70 guests", OPEN) == Reading({"Q-1": "70 guests"}, "")


def test_the_side_that_was_not_chosen_is_beaten() -> None:
    assert beaten({"Q-1": "80 guests come."}, OPEN) == {"60 guests come."}
    assert beaten({"Q-1": "rather 80"}, OPEN) == {"60 guests come."}
    assert beaten({"Q-1": "70"}, OPEN) == {"60 guests come.", "80 guests come."}
    assert beaten({"Q-1": LEFT_OPEN}, OPEN) == frozenset()
