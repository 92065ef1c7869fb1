"""The Google generateContent format."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from model_server.answers import Call, Say
from model_server.asked import Asked, Result, Tool, output_tool
from model_server.pieces import by_tool, event, numbered, pieces, text_of

REASONS = {"stop": "STOP", "length": "MAX_TOKENS", "refused": "SAFETY"}
ERRORS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
}


def read(path: str, headers: Mapping[str, str], body: dict[str, Any]) -> Asked:
    """What was asked."""
    model, _, method = path.partition("?")[0].rpartition("/")[2].partition(":")
    tools = tuple(_tool(one) for tool in body.get("tools", []) for one in tool.get("functionDeclarations", []))
    mode = body.get("toolConfig", {}).get("functionCallingConfig", {}).get("mode")
    tool = output_tool(tools, forced=mode == "ANY")
    wanted = body.get("generationConfig", {})
    shape = wanted.get("responseJsonSchema") or wanted.get("responseSchema")
    parts = [part for content in body["contents"] for part in content["parts"]]
    return Asked(
        api="google",
        path=path,
        headers=headers,
        body=body,
        model=model,
        system=text_of(body.get("systemInstruction", {}).get("parts", [])),
        user="\n".join(text_of(content["parts"]) for content in body["contents"]),
        schema=tool.schema if tool else shape,
        tool=tool.name if tool else "",
        stream=method == "streamGenerateContent",
        tools=tools,
        calls=tuple(
            Call(part["functionCall"]["name"], part["functionCall"].get("args", {}))
            for part in parts
            if "functionCall" in part
        ),
        results=tuple(_result(part["functionResponse"]) for part in parts if "functionResponse" in part),
    )


def whole(asked: Asked, say: Say) -> dict[str, Any]:
    """The answer in one piece."""
    say = by_tool(asked, say)
    parts: list[dict[str, Any]] = [{"text": say.text}] if say.text else []
    return _reply(asked, [*parts, *_calls(asked, say)], reason=REASONS[say.finish], say=say)


def stream(asked: Asked, say: Say) -> Iterator[bytes]:
    """The answer as server-sent events; a function call always comes whole."""
    say = by_tool(asked, say)
    for piece in pieces(say.text):
        yield event(_reply(asked, [{"text": piece}], reason=None))
    if say.calls:
        yield event(_reply(asked, _calls(asked, say), reason=None))
    yield event(_reply(asked, [], reason=REASONS[say.finish], say=say))


def error(status: int, message: str) -> dict[str, Any]:
    """An error in this api's form."""
    kind = ERRORS.get(status, "UNAVAILABLE" if status > 500 else "FAILED_PRECONDITION")
    return {"error": {"code": status, "message": message, "status": kind}}


def _tool(one: dict[str, Any]) -> Tool:
    # One client writes this field in snake case, others know only the older, narrower schema.
    named = ("parameters_json_schema", "parametersJsonSchema", "parameters")
    schema = next((one[name] for name in named if name in one), {})
    return Tool(one["name"], schema, one.get("description", ""))


def _calls(asked: Asked, say: Say) -> list[dict[str, Any]]:
    return [
        {"functionCall": {"id": ident, "name": call.tool, "args": call.input}}
        for ident, call in numbered(asked, say, "call-")
    ]


def _result(part: dict[str, Any]) -> Result:
    given = part.get("response", {})
    said = given.get("error", given.get("output", given))
    return Result(part["name"], said if isinstance(said, str) else json.dumps(said), "error" in given)


def _reply(asked: Asked, parts: list[dict[str, Any]], *, reason: str | None, say: Say | None = None) -> dict[str, Any]:
    candidate: dict[str, Any] = {"index": 0, "content": {"role": "model", "parts": parts}}
    if reason:
        candidate["finishReason"] = reason
    reply: dict[str, Any] = {"candidates": [candidate], "modelVersion": asked.model, "responseId": "resp-1"}
    if say and say.usage:
        given, made = say.usage
        counts = {"promptTokenCount": given, "candidatesTokenCount": made, "totalTokenCount": given + made}
        reply["usageMetadata"] = counts | ({"cachedContentTokenCount": say.cached} if say.cached else {})
    return reply
