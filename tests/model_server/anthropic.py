"""The Anthropic messages format."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from model_server.answers import Asked, Say
from model_server.pieces import event, pieces, text_of

REASONS = {"stop": "end_turn", "length": "max_tokens", "refused": "refusal"}


def read(path: str, headers: Mapping[str, str], body: dict[str, Any]) -> Asked:
    """What was asked."""
    tool: dict[str, Any] = next(iter(body.get("tools", [])), {})
    shape = body.get("output_config", {}).get("format", {}).get("schema")
    return Asked(
        api="anthropic",
        path=path,
        headers=headers,
        body=body,
        model=body["model"],
        system=text_of(body.get("system", "")),
        user="\n".join(text_of(message["content"]) for message in body["messages"]),
        schema=tool.get("input_schema", shape),
        tool=tool.get("name", ""),
        stream=bool(body.get("stream")),
    )


def whole(asked: Asked, say: Say) -> dict[str, Any]:
    """The answer in one piece."""
    blocks: list[dict[str, Any]] = []
    if say.text and (given := _tool_input(asked, say)) is not None:
        blocks.append({"type": "tool_use", "id": "toolu_1", "name": asked.tool, "input": given})
    elif say.text:
        blocks.append({"type": "text", "text": say.text})
    return _message(asked, blocks, reason=_reason(asked, say), usage=say.usage)


def stream(asked: Asked, say: Say) -> Iterator[bytes]:
    """The answer as the api's sequence of events."""
    begun = (say.usage[0], 1) if say.usage else None
    yield _event("message_start", message=_message(asked, [], reason=None, usage=begun))
    if say.text:
        tool = _tool_input(asked, say) is not None
        block = {"type": "tool_use", "id": "toolu_1", "name": asked.tool, "input": {}}
        yield _event("content_block_start", index=0, content_block=block if tool else {"type": "text", "text": ""})
        yield _event("ping")
        for piece in pieces(say.text):
            delta = (
                {"type": "input_json_delta", "partial_json": piece} if tool else {"type": "text_delta", "text": piece}
            )
            yield _event("content_block_delta", index=0, delta=delta)
        yield _event("content_block_stop", index=0)
    used = {"output_tokens": say.usage[1] if say.usage else 0}
    yield _event("message_delta", delta={"stop_reason": _reason(asked, say), "stop_sequence": None}, usage=used)
    yield _event("message_stop")


def error(status: int, message: str) -> dict[str, Any]:
    """An error in this api's form."""
    return {
        "type": "error",
        "error": {"type": "api_error" if status >= 500 else "invalid_request_error", "message": message},
    }


def _message(
    asked: Asked, blocks: list[dict[str, Any]], *, reason: str | None, usage: tuple[int, int] | None
) -> dict[str, Any]:
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": asked.model, "content": blocks}
    # The format requires usage; a server that counts nothing says 0.
    given, made = usage or (0, 0)
    used = {"input_tokens": given, "output_tokens": made}
    return {**message, "stop_reason": reason, "stop_sequence": None, "usage": used}


def _event(name: str, **fields: Any) -> bytes:
    return event({"type": name, **fields}, name=name)


def _tool_input(asked: Asked, say: Say) -> dict[str, Any] | None:
    """The tool's input, when a tool was asked for and the text is one."""
    try:
        given = json.loads(say.text) if asked.tool else None
    except ValueError:
        return None
    return given if isinstance(given, dict) else None


def _reason(asked: Asked, say: Say) -> str:
    return "tool_use" if say.finish == "stop" and _tool_input(asked, say) is not None else REASONS[say.finish]
