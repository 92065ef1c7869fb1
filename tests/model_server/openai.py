"""The OpenAI chat completions format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from model_server.answers import Asked, Say
from model_server.pieces import event, pieces, text_of

REASONS = {"stop": "stop", "length": "length", "refused": "stop"}
HEAD = {"id": "chatcmpl-1", "created": 1_700_000_000}


def read(path: str, headers: Mapping[str, str], body: dict[str, Any]) -> Asked:
    """What was asked."""
    said: dict[str, list[str]] = {role: [] for role in ("system", "user")}
    for message in body["messages"]:
        said["system" if message["role"] in ("system", "developer") else "user"].append(text_of(message["content"]))
    tool: dict[str, Any] = next((tool["function"] for tool in body.get("tools", [])), {})
    shape = body.get("response_format", {}).get("json_schema", {}).get("schema")
    return Asked(
        api="openai",
        path=path,
        headers=headers,
        body=body,
        model=body["model"],
        system="\n".join(said["system"]),
        user="\n".join(said["user"]),
        schema=tool.get("parameters", shape),
        tool=tool.get("name", ""),
        stream=bool(body.get("stream")),
    )


def whole(asked: Asked, say: Say) -> dict[str, Any]:
    """The answer in one piece."""
    message: dict[str, Any] = {"role": "assistant", "content": say.text or None}
    if say.finish == "refused":
        message["refusal"] = "I will not do that."
    elif asked.tool and say.text:
        call = {"id": "call_1", "type": "function", "function": {"name": asked.tool, "arguments": say.text}}
        message |= {"content": None, "tool_calls": [call]}
    choice = {"index": 0, "message": message, "finish_reason": _reason(asked, say)}
    reply = {**HEAD, "object": "chat.completion", "model": asked.model, "choices": [choice]}
    return reply | ({"usage": _usage(say.usage)} if say.usage else {})


def stream(asked: Asked, say: Say) -> Iterator[bytes]:
    """The answer as server-sent events."""
    yield _chunk(asked, {"role": "assistant", "content": ""})
    if say.finish == "refused":
        yield _chunk(asked, {"refusal": "I will not do that."})
    for number, piece in enumerate(pieces(say.text)):
        call = {"index": 0, "function": {"arguments": piece}}
        if number == 0:
            call |= {"id": "call_1", "type": "function", "function": {"name": asked.tool, "arguments": piece}}
        yield _chunk(asked, {"tool_calls": [call]} if asked.tool else {"content": piece})
    yield _chunk(asked, {}, reason=_reason(asked, say))
    if say.usage and asked.body.get("stream_options", {}).get("include_usage"):
        yield event(
            {**HEAD, "object": "chat.completion.chunk", "model": asked.model, "choices": [], "usage": _usage(say.usage)}
        )
    yield b"data: [DONE]\n\n"


def error(status: int, message: str) -> dict[str, Any]:
    """An error in this api's form."""
    return {
        "error": {
            "message": message,
            "type": "server_error" if status >= 500 else "invalid_request_error",
            "code": None,
        }
    }


def _reason(asked: Asked, say: Say) -> str:
    return "tool_calls" if asked.tool and say.text and say.finish == "stop" else REASONS[say.finish]


def _chunk(asked: Asked, delta: dict[str, Any], *, reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return event({**HEAD, "object": "chat.completion.chunk", "model": asked.model, "choices": [choice]})


def _usage(usage: tuple[int, int]) -> dict[str, int]:
    return {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}
