"""A whole answer that accepts a proposal holds it; any other answer stays as it was said."""

from __future__ import annotations

from typing import Any

import pytest

from thoughtforge.definitions.assent import accepts, with_proposals
from thoughtforge.kernel.model import Escalation, Question

ASKED = (
    Question(id="Q-001", text="Colour?", proposal="Red: always (confidence 0.30)"),
    Question(id="Q-002", text="Size?"),
)


def raised(**changes: Any) -> Escalation:
    return Escalation.model_validate(
        {"id": "E-1", "stage": "clarify", "reason": "ambiguity", "summary": "?", "questions": ASKED, **changes}
    )


@pytest.mark.parametrize(
    "said", ["Yes", "yes, as proposed.", "OK", "Agreed!", "do as you propose", "Ok, go ahead, please"]
)
def test_a_plain_yes_accepts(said: str) -> None:
    assert accepts(said)


@pytest.mark.parametrize(
    "said", ["", "No", "Yes, but green", "as proposed, with commas", "yes and no", "not agreed", "ok if red"]
)
def test_an_answer_that_says_more_does_not(said: str) -> None:
    assert not accepts(said)


def test_the_proposal_stands_in_the_answer_beside_the_own_words() -> None:
    told = 'as proposed: Red: always (the answer was "Yes")'
    assert with_proposals(raised(), {"Q-001": "Yes", "Q-002": "Yes"}) == {"Q-001": told, "Q-002": "Yes"}
    assert with_proposals(raised(), {"*": "Yes"}) == {"*": "Yes", "Q-001": told}
    assert with_proposals(raised(questions=ASKED[:1]), {"*": "Yes"}) == {"Q-001": told}
    assert with_proposals(raised(), {"*": "Blue"}) == {"*": "Blue"}


def test_a_proposal_that_says_how_to_answer_is_no_answer() -> None:
    assert with_proposals(raised(reason="held_back"), {"*": "Yes"}) == {"*": "Yes"}
