"""escalate_question ends the work with a question to a person."""

from thoughtforge.code.tool_context import ToolResult
from thoughtforge.tools import escalate_question


def test_the_question_becomes_the_end(use):
    question = "Should old links\nkeep working?"
    params = {"question": f" {question} ", "impact": "blocking"}
    assert use(escalate_question, params, {"a": ""}) == ToolResult(
        True,
        "asked a person: Should old links keep working?",
        question,
        {"ask": {"question": question, "impact": "blocking"}},
    )
