"""Ids of questions stay with the question, whatever number the next version gives it."""

from __future__ import annotations

from typing import Any

from thoughtforge.think.same_questions import keep_doubts, keep_ids


def version(*questions: tuple[str, str]) -> dict[str, Any]:
    """An intent with these questions and one unknown."""
    rows = [{"id": id, "text": text} for id, text in questions]
    return {"title": "Herbs", "open_questions": rows, "unknowns": [{"id": "U-1", "text": "Not sure which pots."}]}


BEFORE = version(("Q-1", "Who waters the herbs in summer?"), ("Q-2", "Which herbs do you want?"))


def test_questions_numbered_anew_get_their_old_ids_back() -> None:
    after = version(("Q-1", "Which herbs do you want?"), ("Q-2", "Who waters the herbs in the summer?"))
    assert keep_ids([BEFORE], after)["open_questions"] == [
        {"id": "Q-2", "text": "Which herbs do you want?"},
        {"id": "Q-1", "text": "Who waters the herbs in the summer?"},
    ]


def test_a_new_question_never_takes_the_number_of_one_that_was_there() -> None:
    after = version(("Q-1", "May we drill into the wall?"), ("Q-2", "Which herbs do you want?"))
    assert [one["id"] for one in keep_ids([BEFORE], after)["open_questions"]] == ["Q-3", "Q-2"]


def test_a_free_number_of_a_new_question_stays_and_everything_else_is_as_it_was() -> None:
    after = version(*((one["id"], one["text"]) for one in BEFORE["open_questions"]), ("Q-3", "May we drill?"))
    assert keep_ids([BEFORE], after) == after


def test_a_question_that_comes_back_has_its_old_number_which_no_other_took_meanwhile() -> None:
    between = version(("Q-2", "Which herbs do you want?"))
    after = version(("Q-1", "What colour are the pots?"), ("Q-2", "Which herbs do you want?"))
    assert [one["id"] for one in keep_ids([BEFORE, between], after)["open_questions"]] == ["Q-3", "Q-2"]
    back = version(("Q-2", "Who waters the herbs in summer?"))
    assert [one["id"] for one in keep_ids([BEFORE, between], back)["open_questions"]] == ["Q-1"]


def proposal(*doubts: tuple[str, str], **more: Any) -> dict[str, Any]:
    """A proposal with these doubts, and what is settled or open of them."""
    rows = [{"id": id, "concern": text} for id, text in doubts]
    return {"challenges": rows, "resolved": [], "open": [], "traced": [], **more}


def test_doubts_of_a_rejected_proposal_keep_their_ids_and_every_answer_follows_its_doubt() -> None:
    before = proposal(("C-1", "The budget is too small for clay pots."), ("C-2", "The balcony gets no sun."))
    after = proposal(
        ("C-1", "The balcony gets no sun at noon."),
        ("C-2", "The budget is too small for the clay pots."),
        ("C-3", "Nobody is at home in August."),
        resolved=[{"id": "C-1", "resolution": "Mint stands shade."}, {"id": "Q-1", "resolution": "Ann."}],
        open=[{"id": "C-2", "question": "How much more?"}],
        traced=[{"id": "CON-1", "in": ["C-2", "AC-1"]}],
    )
    assert keep_doubts([before], after) == proposal(
        ("C-2", "The balcony gets no sun at noon."),
        ("C-1", "The budget is too small for the clay pots."),
        ("C-3", "Nobody is at home in August."),
        resolved=[{"id": "C-2", "resolution": "Mint stands shade."}, {"id": "Q-1", "resolution": "Ann."}],
        open=[{"id": "C-1", "question": "How much more?"}],
        traced=[{"id": "CON-1", "in": ["C-1", "AC-1"]}],
    )
