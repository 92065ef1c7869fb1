"""Only what is known of a request goes on to the model; what would cost more or reach further does not."""

from __future__ import annotations

from typing import Any

import pytest

from thoughtforge.agent_runtime.cli import Api
from thoughtforge.agent_runtime.request_filter import fits, kept, refusal

FUNCTION = {"type": "function", "name": "create_file", "parameters": {"type": "object"}}
HI = [{"role": "user", "content": "hi"}]


@pytest.mark.parametrize(
    ("api", "body", "passed_on"),
    [
        ("anthropic", {"model": "m", "service_tier": "auto", "mcp_servers": [{"url": "https://x"}]}, {"model": "m"}),
        ("anthropic", {"model": "m", "speed": "fast", "container": "c"}, {"model": "m"}),
        (
            "anthropic",
            {
                "tools": [{"name": "a"}, {"type": "web_search_20250305"}, {"type": "web_fetch_20250910"}]
                + [{"type": "code_execution_20250825"}, {"type": "mcp_toolset"}, {"type": "bash_20250124"}]
            },
            {"tools": [{"name": "a"}, {"type": "bash_20250124"}]},
        ),
        ("anthropic", {"tools": [{"type": "web_search_20250305"}], "tool_choice": {"type": "any"}}, {}),
        ("responses", {"background": True, "service_tier": "priority", "store": True}, {"store": False}),
        (
            "responses",
            {
                "tools": [{"type": "web_search"}, {"type": "code_interpreter"}, {"type": "mcp"}, FUNCTION]
                + [{"type": "namespace", "name": "n", "tools": [FUNCTION, {"type": "file_search"}]}],
                "tool_choice": {"type": "web_search"},
            },
            {"tools": [FUNCTION, {"type": "namespace", "name": "n", "tools": [FUNCTION]}], "store": False},
        ),
        ("openai", {"n": 1, "store": True, "web_search_options": {}, "plugins": []}, {"n": 1, "store": False}),
        ("openai", {"max_new_tokens": 9, "MAX_TOKENS": 9, "options": {"num_predict": 9}, "models": ["x"]}, {}),
        ("openai", {"modalities": ["audio"], "audio": {}, "prediction": {}, "max_tokens": None}, {}),
        (
            "google",
            {
                "tools": [{"googleSearch": {}}, {"urlContext": {}}, {"functionDeclarations": [], "codeExecution": {}}],
                "generationConfig": {"topK": 1, "responseModalities": ["IMAGE"], "max_output_tokens": 9},
                "serviceTier": "priority",
            },
            {"tools": [{"functionDeclarations": []}], "generationConfig": {"topK": 1}},
        ),
        (
            "google",
            {"model": "m", "enabled_credit_types": ["x"], "request": {"tools": [{"googleSearch": {}}], "extra": 1}},
            {"model": "m", "request": {}},
        ),
    ],
)
def test_what_nobody_knows_and_what_the_vendor_would_run_is_left_out(
    api: Api, body: dict[str, Any], passed_on: dict[str, Any]
) -> None:
    assert kept(api, body) == passed_on


@pytest.mark.parametrize(
    ("api", "body", "why"),
    [
        ("openai", {"max_tokens": -1}, "max_tokens must be"),
        ("openai", {"max_tokens": 0}, "max_tokens must be"),
        ("openai", {"max_tokens": 5, "max_completion_tokens": 999999.0}, "max_completion_tokens must be"),
        ("anthropic", {"max_tokens": True}, "max_tokens must be"),
        ("responses", {"max_output_tokens": "9"}, "max_output_tokens must be"),
        ("google", {"generationConfig": {"maxOutputTokens": -1}}, "maxOutputTokens must be"),
        ("google", {"request": {"generationConfig": {"candidateCount": 8}}}, "candidateCount must be 1"),
        ("google", {"generation_config": {"maxOutputTokens": 9}}, "generation_config is not forwarded"),
        ("google", {"cachedContent": "cachedContents/1"}, "cachedContent is not forwarded"),
        ("openai", {"n": 50}, "n must be 1"),
        ("responses", {"previous_response_id": "r"}, "previous_response_id is not forwarded"),
        ("responses", {"input": [{"type": "item_reference", "id": "x"}]}, "the proxy forwards only text and pictures"),
        (
            "responses",
            {"input": [{"content": [{"type": "input_file", "file_url": "https://x"}]}]},
            "the proxy forwards only text",
        ),
        (
            "responses",
            {"input": [{"content": [{"type": "input_image", "image_url": "https://x"}]}]},
            "the proxy forwards only text",
        ),
        (
            "openai",
            {"messages": [{"content": [{"image_url": {"url": "https://x"}}]}]},
            "the proxy forwards only text and pictures",
        ),
        (
            "anthropic",
            {"messages": [{"content": [{"source": {"type": "url", "url": "https://x"}}]}]},
            "the proxy forwards only text",
        ),
        (
            "anthropic",
            {"messages": [{"content": [{"source": {"type": "file", "file_id": "f"}}]}]},
            "the proxy forwards only text",
        ),
        (
            "google",
            {"contents": [{"parts": [{"fileData": {"fileUri": "gs://x"}}]}]},
            "the proxy forwards only text and pictures",
        ),
    ],
)
def test_what_would_cost_more_or_have_the_vendor_fetch_something_is_refused(
    api: Api, body: dict[str, Any], why: str
) -> None:
    assert refusal(api, body).startswith(why)


@pytest.mark.parametrize(
    ("api", "body"),
    [
        ("anthropic", {"max_tokens": 1, "messages": HI, "system": [{"type": "text", "text": "x"}]}),
        ("anthropic", {"messages": [{"content": [{"type": "image", "source": {"type": "base64", "data": "x"}}]}]}),
        ("anthropic", {"messages": [{"content": [{"type": "tool_use", "input": {"source": {"type": "url"}}}]}]}),
        ("openai", {"n": 1, "max_tokens": None, "messages": [{"content": [{"image_url": {"url": "data:x"}}]}]}),
        ("responses", {"input": [{"type": "function_call", "arguments": "{}"}, {"image_url": "data:image/png;x"}]}),
        ("google", {"contents": [{"parts": [{"functionCall": {"args": {"fileData": "x"}}}]}]}),
        ("google", {"generationConfig": {"candidateCount": 1, "maxOutputTokens": 9}}),
    ],
)
def test_what_agents_really_send_is_not_refused(api: Api, body: dict[str, Any]) -> None:
    assert refusal(api, body) == ""


def test_a_request_without_a_floor_is_refused() -> None:
    body: dict[str, Any] = {}
    for _ in range(300):
        body = {"content": [body]}
    assert refusal("openai", {"messages": [body]}) == "it is nested too deeply"


@pytest.mark.parametrize(
    ("configured", "wanted", "same"),
    [
        ("gpt-5", "gpt-5", True),
        ("gpt-5", "gpt-5-2026-01-02", True),
        ("gpt-5", "gpt-5-pro", False),
        ("gpt-5", "", False),
        ("claude-sonnet-4-5", "claude-sonnet-4-5-20250929", True),
        ("opus", "claude-opus-4-1-20250805", True),
        ("opus", "claude-haiku-4-5", False),
        ("sonnet[1m]", "claude-sonnet-4-5", True),
        ("flash-lite", "gemini-2.5-flash-lite", True),
        ("flash-lite", "gemini-2.5-flash", False),
        ("default", "claude-sonnet-4-5", True),
        ("stub/stub-model", "stub-model", True),
        ("qwen/qwen2.5", "qwen/qwen2.5", True),
        ("gemini-2.5-pro", "models/gemini-2.5-pro", True),
        ("gemini-2.5-pro", "gemini-2.5-flash", False),
    ],
)
def test_the_configured_model_is_known_by_its_names(configured: str, wanted: str, same: bool) -> None:
    assert fits(configured, wanted) is same
