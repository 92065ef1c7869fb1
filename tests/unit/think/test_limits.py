"""Constraints that hold more than one limit are found, and the usual single ones are not."""

import pytest

from thoughtforge.think.limits import crowded, split


@pytest.mark.parametrize(
    "text",
    [
        "No lead in any glaze; everything must be food safe.",
        "At most 14 persons in the room, and somebody has to be there before ten.",
        "It may cost 80 euros. Nothing may be delivered on Sunday.",
    ],
)
def test_two_limits_in_one_entry(text: str) -> None:
    assert crowded([text]) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "Budget is 80 euros.",
        "Between 20 and 30 people.",
        "Only Ann and Bo have a key.",
        "Built with wood and screws from the shed.",
        "No later than 1 May.",
    ],
)
def test_one_limit(text: str) -> None:
    assert crowded([text]) == []


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "No lead in any glaze; everything must be food safe.",
            ["No lead in any glaze", "everything must be food safe."],
        ),
        (
            "Doors: not open before ten; must be shut by five",
            ["Doors: not open before ten", "Doors: must be shut by five"],
        ),
        ("Columns: day;room;by whom", ["Columns: day;room;by whom"]),
        ("Open at ten; not Sundays", ["Open at ten; not Sundays"]),
    ],
)
def test_limits_with_a_semicolon_between_them_are_taken_apart_without_a_question(text: str, parts: list[str]) -> None:
    assert split([text]) == parts
