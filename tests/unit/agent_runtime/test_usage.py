"""What a reply used is read from what each vendor really sends, whole or streamed; a cut reply knows less."""

from __future__ import annotations

import json
from typing import Any

import pytest

from thoughtforge.agent_runtime.cli import Api
from thoughtforge.agent_runtime.usage import Counted, counted
from thoughtforge.calls.port import Usage


def events(*datas: dict[str, Any], done: bool = False) -> bytes:
    lines = [f"event: {data.get('type', 'x')}\ndata: {json.dumps(data)}\n\n" for data in datas]
    return ("".join(lines) + ("data: [DONE]\n\n" if done else "")).encode()


CACHED = {"input_tokens": 4, "cache_creation_input_tokens": 200, "cache_read_input_tokens": 1000}
ANTHROPIC = (
    {"type": "message_start", "message": {"model": "claude-x", "usage": {**CACHED, "output_tokens": 1}}},
    {"type": "ping"},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "usage"}},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 56}},
    {"type": "message_stop"},
)
RESPONSE = {"model": "gpt-x", "usage": {"input_tokens": 1204, "output_tokens": 56, "total_tokens": 1260}}
RESPONSE["usage"] |= {"input_tokens_details": {"cached_tokens": 1000}, "output_tokens_details": {"reasoning_tokens": 9}}
RESPONSES = (
    {"type": "response.created", "response": {"model": "gpt-x", "usage": None}},
    {"type": "response.output_text.delta", "delta": "usage"},
    {"type": "response.completed", "response": RESPONSE},
)
CHAT_USAGE = {"prompt_tokens": 1204, "completion_tokens": 56, "prompt_tokens_details": {"cached_tokens": 1000}}
CHAT = (
    {"model": "gpt-y", "choices": [{"delta": {"content": "x"}}], "usage": None},
    {"model": "gpt-y", "choices": [], "usage": CHAT_USAGE},
)
METADATA = {"promptTokenCount": 1204, "candidatesTokenCount": 50, "thoughtsTokenCount": 6}
METADATA |= {"cachedContentTokenCount": 1000, "totalTokenCount": 1260}
GEMINI = (
    {"modelVersion": "gemini-x", "usageMetadata": {"promptTokenCount": 1204, "totalTokenCount": 1204}},
    {"modelVersion": "gemini-x", "candidates": [], "usageMetadata": METADATA},
)
ALL = Usage(input_tokens=1204, output_tokens=56, cached_tokens=1000)


@pytest.mark.parametrize(
    ("api", "reply", "wanted"),
    [
        ("anthropic", events(*ANTHROPIC), Counted("claude-x", ALL, 200)),
        (
            "anthropic",
            json.dumps({"type": "message", "model": "claude-x", "usage": {**CACHED, "output_tokens": 56}}).encode(),
            Counted("claude-x", ALL, 200),
        ),
        ("anthropic", events(*ANTHROPIC[:3]), Counted("claude-x", Usage(input_tokens=1204, cached_tokens=1000), 200)),
        ("responses", events(*RESPONSES), Counted("gpt-x", ALL)),
        ("responses", json.dumps(RESPONSE).encode(), Counted("gpt-x", ALL)),
        ("responses", events(*RESPONSES[:2]), Counted("gpt-x", Usage())),
        ("openai", events(*CHAT, done=True), Counted("gpt-y", ALL)),
        ("openai", json.dumps(CHAT[1]).encode(), Counted("gpt-y", ALL)),
        ("openai", events(CHAT[0], done=True), Counted("gpt-y", Usage())),
        ("google", events(*GEMINI), Counted("gemini-x", ALL)),
        ("google", json.dumps(GEMINI).encode(), Counted("gemini-x", ALL)),
        ("google", events(*({"response": piece} for piece in GEMINI)), Counted("gemini-x", ALL)),
        ("google", events(GEMINI[0]), Counted("gemini-x", Usage(input_tokens=1204))),
    ],
)
def test_a_reply_says_what_it_used(api: Api, reply: bytes, wanted: Counted) -> None:
    assert counted(api, reply) == wanted


@pytest.mark.parametrize("api", ["anthropic", "responses", "openai", "google"])
@pytest.mark.parametrize(
    "reply", [b"", b"<html>", b"null", b"[1, 2]", b'{"usage": 3, "model": null}', b"data: {\ndata: 7\n\n", b"\xff\xfe"]
)
def test_a_reply_of_another_shape_says_nothing(api: Api, reply: bytes) -> None:
    assert counted(api, reply) == Counted()
