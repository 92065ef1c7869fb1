"""The OpenAI chat completions format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from model_server.answers import Call, Say
from model_server.asked import Asked, Result, Tool, output_tool
from model_server.pieces import by_tool, event, numbered, pieces, text_of

REASONS = {"stop": "stop", "length": "length", "refused": "stop"}
HEAD = {"id": "chatcmpl-1", "created": 1_700_000_000}
ERRORS = {
    401: ("invalid_request_error", "invalid_api_key"),
    402: ("insufficient_quota", "insufficient_quota"),
    429: ("requests", "rate_limit_exceeded"),
}


def read(path: str, headers: Mapping[str, str], body: dict[str, Any]) -> Asked:
    """What was asked."""
    said: dict[str, list[str]] = {role: [] for role in ("system", "user", "tool")}
    for message in body["messages"]:
        role = "system" if message["role"] in ("system", "developer") else message["role"]
        said["user" if role == "assistant" else role].append(text_of(message.get("content")))
    functions = [tool["function"] for tool in body.get("tools", [])]
    tools = tuple(Tool(one["name"], one.get("parameters", {}), one.get("description", "")) for one in functions)
    choice = body.get("tool_choice", "auto")
    tool = output_tool(tools, forced=choice == "required" or isinstance(choice, dict))
    shape = body.get("response_format", {}).get("json_schema", {}).get("schema")
    used = _used(body)
    return Asked(
        api="openai",
        path=path,
        headers=headers,
        body=body,
        model=body["model"],
        system="\n".join(said["system"]),
        user="\n".join(said["user"]),
        schema=tool.schema if tool else shape,
        tool=tool.name if tool else "",
        stream=bool(body.get("stream")),
        tools=tools,
        calls=tuple(used.values()),
        results=tuple(_results(body, used)),
    )


def whole(asked: Asked, say: Say) -> dict[str, Any]:
    """The answer in one piece."""
    say = by_tool(asked, say)
    message: dict[str, Any] = {"role": "assistant", "content": say.text or None}
    if say.finish == "refused":
        message["refusal"] = "I will not do that."
    if say.calls:
        message["tool_calls"] = [_call(ident, call, call.arguments) for ident, call in numbered(asked, say, "call_")]
    choice = {"index": 0, "message": message, "finish_reason": _reason(say)}
    reply = {**HEAD, "object": "chat.completion", "model": asked.model, "choices": [choice]}
    return reply | ({"usage": _usage(say)} if say.usage else {})


def stream(asked: Asked, say: Say) -> Iterator[bytes]:
    """The answer as server-sent events."""
    say = by_tool(asked, say)
    yield _chunk(asked, {"role": "assistant", "content": ""})
    if say.finish == "refused":
        yield _chunk(asked, {"refusal": "I will not do that."})
    for piece in pieces(say.text):
        yield _chunk(asked, {"content": piece})
    for index, (ident, call) in enumerate(numbered(asked, say, "call_")):
        yield _chunk(asked, {"tool_calls": [{"index": index, **_call(ident, call, "")}]})
        for piece in pieces(call.arguments):
            yield _chunk(asked, {"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield _chunk(asked, {}, reason=_reason(say))
    if say.usage and asked.body.get("stream_options", {}).get("include_usage"):
        yield event(
            {**HEAD, "object": "chat.completion.chunk", "model": asked.model, "choices": [], "usage": _usage(say)}
        )
    yield b"data: [DONE]\n\n"


def error(status: int, message: str) -> dict[str, Any]:
    """An error in this api's form, which the responses format shares."""
    kind, code = ERRORS.get(status, ("server_error" if status >= 500 else "invalid_request_error", None))
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def _used(body: dict[str, Any]) -> dict[str, Call]:
    calls = [call for message in body["messages"] for call in message.get("tool_calls") or ()]
    return {call["id"]: Call(call["function"]["name"], call["function"]["arguments"]) for call in calls}


def _results(body: dict[str, Any], used: Mapping[str, Call]) -> Iterator[Result]:
    for message in body["messages"]:
        if message["role"] == "tool":
            call = used.get(message["tool_call_id"])
            yield Result(call.tool if call else "", text_of(message["content"]))


def _call(ident: str, call: Call, arguments: str) -> dict[str, Any]:
    return {"id": ident, "type": "function", "function": {"name": call.tool, "arguments": arguments}}


def _reason(say: Say) -> str:
    return "tool_calls" if say.calls and say.finish == "stop" else REASONS[say.finish]


def _chunk(asked: Asked, delta: dict[str, Any], *, reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return event({**HEAD, "object": "chat.completion.chunk", "model": asked.model, "choices": [choice]})


def _usage(say: Say) -> dict[str, Any]:
    given, made = say.usage or (0, 0)
    counts: dict[str, Any] = {"prompt_tokens": given, "completion_tokens": made, "total_tokens": given + made}
    return counts | ({"prompt_tokens_details": {"cached_tokens": say.cached}} if say.cached else {})
