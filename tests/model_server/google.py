"""The Google generateContent format."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from model_server.answers import Asked, Say
from model_server.pieces import event, pieces, text_of

REASONS = {"stop": "STOP", "length": "MAX_TOKENS", "refused": "SAFETY"}


def read(path: str, headers: Mapping[str, str], body: dict[str, Any]) -> Asked:
    """What was asked."""
    model, _, method = path.partition("?")[0].rpartition("/")[2].partition(":")
    tools = [one for tool in body.get("tools", []) for one in tool.get("functionDeclarations", [])]
    tool: dict[str, Any] = next(iter(tools), {})
    wanted = body.get("generationConfig", {})
    shape = wanted.get("responseJsonSchema") or wanted.get("responseSchema")
    return Asked(
        api="google",
        path=path,
        headers=headers,
        body=body,
        model=model,
        system=text_of(body.get("systemInstruction", {}).get("parts", [])),
        user="\n".join(text_of(content["parts"]) for content in body["contents"]),
        # The SDK writes this one field in snake case.
        schema=tool.get("parameters_json_schema", tool.get("parametersJsonSchema", shape)),
        tool=tool.get("name", ""),
        stream=method == "streamGenerateContent",
    )


def whole(asked: Asked, say: Say) -> dict[str, Any]:
    """The answer in one piece."""
    part: dict[str, Any] = {"text": say.text}
    if asked.tool and say.text:
        part = {"functionCall": {"name": asked.tool, "args": json.loads(say.text)}}
    return _reply(asked, [part] if say.text else [], reason=REASONS[say.finish], usage=say.usage)


def stream(asked: Asked, say: Say) -> Iterator[bytes]:
    """The answer as server-sent events; a function call always comes whole."""
    if asked.tool:
        yield event(whole(asked, say))
        return
    for piece in pieces(say.text):
        yield event(_reply(asked, [{"text": piece}], reason=None, usage=None))
    yield event(_reply(asked, [], reason=REASONS[say.finish], usage=say.usage))


def error(status: int, message: str) -> dict[str, Any]:
    """An error in this api's form."""
    return {"error": {"code": status, "message": message, "status": "UNAVAILABLE" if status >= 500 else "FAILED"}}


def _reply(
    asked: Asked, parts: list[dict[str, Any]], *, reason: str | None, usage: tuple[int, int] | None
) -> dict[str, Any]:
    candidate: dict[str, Any] = {"index": 0, "content": {"role": "model", "parts": parts}}
    if reason:
        candidate["finishReason"] = reason
    reply: dict[str, Any] = {"candidates": [candidate], "modelVersion": asked.model, "responseId": "resp-1"}
    if usage:
        counts = {"promptTokenCount": usage[0], "candidatesTokenCount": usage[1], "totalTokenCount": sum(usage)}
        reply["usageMetadata"] = counts
    return reply
