"""Asks a person a question; the agent's work stops until they answer."""

from __future__ import annotations

from typing import Any

from thoughtforge.code.tool_context import ToolContext, ToolResult

DESCRIPTION = "Ask a person one question that nothing in the repository answers; work stops until they reply."
PARAMS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "question": {"type": "string", "minLength": 10, "maxLength": 2000, "pattern": r"\S"},
        "impact": {"enum": ["blocking", "significant", "minor"], "description": "what depends on the answer"},
    },
    "required": ["question", "impact"],
    "additionalProperties": False,
}
WRITES = False


async def use(params: dict[str, Any], context: ToolContext) -> ToolResult:
    question = params["question"].strip()
    summary = f"asked a person: {' '.join(question.split())}"
    return ToolResult(True, summary, question, {"ask": {"question": question, "impact": params["impact"]}})
