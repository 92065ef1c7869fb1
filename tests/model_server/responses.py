"""The OpenAI responses format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

from model_server import openai
from model_server.answers import Call, Say
from model_server.asked import Asked, Result, Tool, output_tool
from model_server.pieces import by_tool, event, numbered, pieces, text_of

CALLS = {"function_call": "arguments", "custom_tool_call": "input"}
error = openai.error


def read(path: str, headers: Mapping[str, str], body: dict[str, Any]) -> Asked:
    """What was asked."""
    given = body["input"]
    items = [{"role": "user", "content": given}] if isinstance(given, str) else given
    messages = [item for item in items if item.get("type", "message") == "message"]
    said: dict[bool, list[str]] = {True: [], False: []}
    for message in messages:
        said[message["role"] in ("system", "developer")].append(text_of(message["content"]))
    tools = tuple(tool for one in body.get("tools", []) for tool in _tools(one))
    choice = body.get("tool_choice", "auto")
    tool = output_tool(tools, forced=choice == "required" or isinstance(choice, dict))
    used = {item["call_id"]: _used(item) for item in items if item.get("type") in CALLS}
    return Asked(
        api="responses",
        path=path,
        headers=headers,
        body=body,
        model=body["model"],
        system="\n".join([body.get("instructions") or "", *said[True]]).strip(),
        user="\n".join(said[False]),
        schema=tool.schema if tool else (body.get("text") or {}).get("format", {}).get("schema"),
        tool=tool.name if tool else "",
        stream=bool(body.get("stream")),
        tools=tools,
        calls=tuple(used.values()),
        results=tuple(_result(item, used) for item in items if item.get("type", "").endswith("_call_output")),
    )


def whole(asked: Asked, say: Say) -> dict[str, Any]:
    """The answer in one piece."""
    say = by_tool(asked, say)
    return _response(asked, say, list(_items(asked, say)), status=_status(say))


def stream(asked: Asked, say: Say) -> Iterator[bytes]:
    """The answer as the api's sequence of events."""
    say = by_tool(asked, say)
    numbers = count()

    def tell(name: str, **fields: Any) -> bytes:
        return event({"type": name, "sequence_number": next(numbers), **fields}, name=name)

    items = list(_items(asked, say))
    begun = _response(asked, Say(), [], status="in_progress")
    yield tell("response.created", response=begun)
    yield tell("response.in_progress", response=begun)
    for index, item in enumerate(items):
        where = {"output_index": index, "item_id": item["id"]}
        empty = {"content": []} if item["type"] == "message" else {"arguments": ""}
        yield tell("response.output_item.added", output_index=index, item={**item, **empty, "status": "in_progress"})
        for name, fields in _deltas(item):
            yield tell(name, **where, **fields)
        yield tell("response.output_item.done", output_index=index, item=item)
    status = _status(say)
    yield tell(f"response.{status}", response=_response(asked, say, items, status=status))


def _tools(one: dict[str, Any]) -> Iterator[Tool]:
    """A tool, the tools of a namespace, or nothing for one that the vendor runs itself."""
    if one["type"] == "namespace":
        for tool in one["tools"]:
            yield Tool(tool["name"], tool.get("parameters", {}), tool.get("description", ""), one["name"])
    elif "name" in one:
        yield Tool(one["name"], one.get("parameters") or {}, one.get("description", ""))


def _used(item: dict[str, Any]) -> Call:
    return Call(item["name"], item[CALLS[item["type"]]])


def _result(item: dict[str, Any], used: Mapping[str, Call]) -> Result:
    call = used.get(item["call_id"])
    return Result(call.tool if call else "", text_of(item["output"]))


def _items(asked: Asked, say: Say) -> Iterator[dict[str, Any]]:
    if say.text or say.finish == "refused":
        part: dict[str, Any] = {"type": "output_text", "text": say.text, "annotations": []}
        if say.finish == "refused":
            part = {"type": "refusal", "refusal": "I will not do that."}
        item = {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": [part]}
        yield item
    groups = {tool.name: tool.group for tool in asked.tools if tool.group}
    for ident, call in numbered(asked, say, "call_"):
        told, _, name = call.tool.rpartition("/")  # a tool that is not offered may name the group it would be in
        item = {"id": f"fc_{ident}", "type": "function_call", "call_id": ident, "name": name}
        group = {"namespace": named} if (named := told or groups.get(name, "")) else {}
        yield {**item, **group, "arguments": call.arguments, "status": "completed"}


def _deltas(item: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    if item["type"] == "function_call":
        for piece in pieces(item["arguments"]):
            yield "response.function_call_arguments.delta", {"delta": piece}
        yield "response.function_call_arguments.done", {"arguments": item["arguments"]}
        return
    (part,) = item["content"]
    key = "text" if part["type"] == "output_text" else "refusal"
    yield "response.content_part.added", {"content_index": 0, "part": {**part, key: ""}}
    name = "output_text" if key == "text" else "refusal"
    for piece in pieces(part[key]):
        yield f"response.{name}.delta", {"content_index": 0, "delta": piece}
    yield f"response.{name}.done", {"content_index": 0, key: part[key]}
    yield "response.content_part.done", {"content_index": 0, "part": part}


def _status(say: Say) -> str:
    return "incomplete" if say.finish == "length" else "completed"


def _response(asked: Asked, say: Say, items: list[dict[str, Any]], *, status: str) -> dict[str, Any]:
    reply = {"id": "resp_1", "object": "response", "created_at": 1_700_000_000, "model": asked.model, "output": items}
    reason = {"reason": "max_output_tokens"} if status == "incomplete" else None
    used = None
    if say.usage:
        given, made = say.usage
        used = {
            "input_tokens": given,
            "input_tokens_details": {"cached_tokens": say.cached},
            "output_tokens": made,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": given + made,
        }
    return {**reply, "status": status, "error": None, "incomplete_details": reason, "usage": used}
