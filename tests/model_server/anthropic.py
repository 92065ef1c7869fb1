"""The Anthropic messages format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from model_server.answers import Call, Say
from model_server.asked import Asked, Result, Tool, output_tool
from model_server.pieces import by_tool, event, numbered, pieces, text_of

REASONS = {"stop": "end_turn", "length": "max_tokens", "refused": "refusal"}
ERRORS = {
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


def read(path: str, headers: Mapping[str, str], body: dict[str, Any]) -> Asked:
    """What was asked."""
    tools = tuple(
        Tool(tool["name"], tool.get("input_schema", {}), tool.get("description", "")) for tool in body.get("tools", [])
    )
    tool = output_tool(tools, forced=body.get("tool_choice", {}).get("type") in ("any", "tool"))
    shape = body.get("output_config", {}).get("format", {}).get("schema")
    blocks = [block for message in body["messages"] for block in _blocks(message["content"])]
    used = {block["id"]: Call(block["name"], block["input"]) for block in blocks if block["type"] == "tool_use"}
    return Asked(
        api="anthropic",
        path=path,
        headers=headers,
        body=body,
        model=body["model"],
        system=text_of(body.get("system", "")),
        user="\n".join(text_of(message["content"], "") for message in body["messages"]),
        schema=tool.schema if tool else shape,
        tool=tool.name if tool else "",
        stream=bool(body.get("stream")),
        tools=tools,
        calls=tuple(used.values()),
        results=tuple(_result(block, used) for block in blocks if block["type"] == "tool_result"),
    )


def whole(asked: Asked, say: Say) -> dict[str, Any]:
    """The answer in one piece."""
    say = by_tool(asked, say)
    blocks: list[dict[str, Any]] = [{"type": "text", "text": say.text}] if say.text else []
    for ident, call in numbered(asked, say, "toolu_"):
        blocks.append({"type": "tool_use", "id": ident, "name": call.tool, "input": call.input})
    return _message(asked, blocks, reason=_reason(say), usage=_usage(say))


def stream(asked: Asked, say: Say) -> Iterator[bytes]:
    """The answer as the api's sequence of events."""
    say = by_tool(asked, say)
    begun = {**_usage(say), "output_tokens": 1 if say.usage else 0}
    yield _event("message_start", message=_message(asked, [], reason=None, usage=begun))
    yield _event("ping")
    if say.text:
        deltas = [{"type": "text_delta", "text": piece} for piece in pieces(say.text)]
        yield from _block(0, {"type": "text", "text": ""}, deltas)
    for index, (ident, call) in enumerate(numbered(asked, say, "toolu_"), bool(say.text)):
        block = {"type": "tool_use", "id": ident, "name": call.tool, "input": {}}
        deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces(call.arguments)]
        yield from _block(index, block, deltas)
    used = {"output_tokens": _usage(say)["output_tokens"]}
    yield _event("message_delta", delta={"stop_reason": _reason(say), "stop_sequence": None}, usage=used)
    yield _event("message_stop")


def error(status: int, message: str) -> dict[str, Any]:
    """An error in this api's form."""
    kind = ERRORS.get(status, "api_error" if status >= 500 else "invalid_request_error")
    return {"type": "error", "error": {"type": kind, "message": message}}


def _blocks(content: Any) -> list[dict[str, Any]]:
    return [] if isinstance(content, str) else content


def _result(block: dict[str, Any], used: Mapping[str, Call]) -> Result:
    call = used.get(block["tool_use_id"])
    return Result(call.tool if call else "", text_of(block.get("content", "")), bool(block.get("is_error")))


def _block(index: int, block: dict[str, Any], deltas: list[dict[str, str]]) -> Iterator[bytes]:
    yield _event("content_block_start", index=index, content_block=block)
    for delta in deltas:
        yield _event("content_block_delta", index=index, delta=delta)
    yield _event("content_block_stop", index=index)


def _message(
    asked: Asked, blocks: list[dict[str, Any]], *, reason: str | None, usage: dict[str, int]
) -> dict[str, Any]:
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": asked.model, "content": blocks}
    return {**message, "stop_reason": reason, "stop_sequence": None, "usage": usage}


def _usage(say: Say) -> dict[str, int]:
    """What comes from the cache is not in this format's input count."""
    # The format requires usage; a server that counts nothing says 0.
    given, made = say.usage or (0, 0)
    counts = {"input_tokens": given - say.cached - say.written, "output_tokens": made}
    cache = {"cache_read_input_tokens": say.cached, "cache_creation_input_tokens": say.written}
    return counts | (cache if say.cached or say.written else {})


def _event(name: str, **fields: Any) -> bytes:
    return event({"type": name, **fields}, name=name)


def _reason(say: Say) -> str:
    return "tool_use" if say.calls and say.finish == "stop" else REASONS[say.finish]
