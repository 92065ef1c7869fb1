"""Hands a question to a person; the agent's work rests until it is answered."""

from __future__ import annotations

from typing import Any

from thoughtforge.workshop.desk import Desk, Result

DESCRIPTION = "Ask a person one question that nothing in the repository answers; work stops until they reply."
PARAMS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "question": {"type": "string", "minLength": 10, "maxLength": 2000, "pattern": r"\S"},
        "impact": {"enum": ["blocking", "significant", "minor"], "description": "what hangs on the answer"},
    },
    "required": ["question", "impact"],
    "additionalProperties": False,
}
WRITES = False


async def use(params: dict[str, Any], desk: Desk) -> Result:
    question = params["question"].strip()
    summary = f"asked a person: {' '.join(question.split())}"
    return Result(True, summary, question, {"ask": {"question": question, "impact": params["impact"]}})
