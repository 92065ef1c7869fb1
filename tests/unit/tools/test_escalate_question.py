"""escalate_question ends the work with a question to a person."""

from thoughtforge.tools import escalate_question
from thoughtforge.workshop.desk import Result


def test_the_question_becomes_the_end(use):
    question = "Should old links\nkeep working?"
    params = {"question": f" {question} ", "impact": "blocking"}
    assert use(escalate_question, params, {"a": ""}) == Result(
        True,
        "asked a person: Should old links keep working?",
        question,
        {"ask": {"question": question, "impact": "blocking"}},
    )
