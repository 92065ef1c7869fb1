"""Who does what by when, with a day and without one."""

from __future__ import annotations

import pytest

from thoughtforge.providers.builtin.tasks import StatedTask, task


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "Mia does the invitations, they have to be out by end of February.",
            StatedTask("does the invitations", "Mia", "end of February", True),
        ),
        (
            "Marketing: Lena macht die landing page bis 10. Oktober.",
            StatedTask("Marketing: macht die landing page", "Lena", "10. Oktober", True),
        ),
        (
            "Actually the budget is 120 euros, and Ann buys the pots by 10 April.",
            StatedTask("buys the pots", "Ann", "10 April", False),
        ),
        ("5. catalogue 1.860 €, Tim checks proofs until 20 Sept", StatedTask("checks proofs", "Tim", "20 Sept", False)),
        ("Action Bo: call the band by 3 May", StatedTask("call the band", "Bo", "3 May", True)),
        ("Ayşe does DNS.", StatedTask("does DNS", "Ayşe", "", True)),
        ("My mother bakes the cakes.", StatedTask("bakes the cakes", "My mother", "", True)),
        ("Klaus would do electronics, he's an electrician.", StatedTask("do electronics", "Klaus", "", False)),
    ],
)
def test_a_task(text: str, found: StatedTask) -> None:
    assert task(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "Internet takes 6 weeks.",
        "The hall opens at 7.",
        "Ann likes tea.",
        "Registration closes early.",
        "Does Ann bake a cake?",
    ],
)
def test_no_task(text: str) -> None:
    assert task(text) is None
