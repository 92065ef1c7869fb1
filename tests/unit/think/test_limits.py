"""Constraints that hold more than one limit are found, and the usual single ones are not."""

import pytest

from thoughtforge.think.limits import crowded


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
