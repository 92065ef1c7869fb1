"""Which requests of an agent cost, which are free, which are closed, and how long an answer they ask for."""

from __future__ import annotations

import json
from typing import Any

import pytest

from thoughtforge.agent_runtime import wire
from thoughtforge.agent_runtime.cli import Api

HERE = "http://127.0.0.1:1/v1"


@pytest.mark.parametrize(
    ("api", "method", "path", "kind"),
    [
        ("anthropic", "POST", "/v1/messages", "completion"),
        ("anthropic", "GET", "/v1/messages", "unknown"),
        ("anthropic", "POST", "/v1/messages/count_tokens", "free"),
        ("anthropic", "POST", "/v1/messages/batches", "unknown"),
        ("anthropic", "GET", "/v1/models/claude-x", "free"),
        ("anthropic", "GET", "/v1/models/../files", "unknown"),
        ("anthropic", "HEAD", "/", "free"),
        ("responses", "POST", "/responses", "completion"),
        ("responses", "POST", "/chat/completions", "unknown"),
        ("responses", "GET", "/models", "free"),
        ("openai", "POST", "/chat/completions", "completion"),
        ("openai", "POST", "/images/generations", "unknown"),
        ("google", "POST", "/v1beta/models/gemini-2.5-pro:streamGenerateContent", "completion"),
        ("google", "POST", "/v1beta/models/gemini-2.5-pro:generateContent", "completion"),
        ("google", "POST", "/v1internal:streamGenerateContent", "completion"),
        ("google", "POST", "/v1internal:generateContent", "completion"),
        ("google", "POST", "/v1beta/models/gemini-2.5-pro:countTokens", "free"),
        ("google", "POST", "/v1beta/models/gemini-2.5-pro:batchGenerateContent", "unknown"),
        ("google", "POST", "/v1internal:loadCodeAssist", "free"),
        ("google", "POST", "/upload/v1beta/files", "unknown"),
        ("openai", "GET", "/models/org/name", "free"),
        ("openai", "GET", "/models/../files", "unknown"),
        ("openai", "GET", "/models/../../dashboard/billing", "unknown"),
        ("openai", "GET", "/models/a/./b", "unknown"),
        ("openai", "GET", "/models//files", "unknown"),
        ("openai", "GET", "/models/a/", "unknown"),
        ("openai", "GET", "/models/%2e%2e/files", "unknown"),
        ("openai", "GET", "/models/..%2ffiles", "unknown"),
        ("openai", "GET", "/models/ａ", "unknown"),
        ("google", "GET", "/v1beta/models/..", "unknown"),
        ("google", "GET", "/v1internal/operations/..", "unknown"),
    ],
)
def test_a_request_costs_is_free_or_closed(api: Api, method: str, path: str, kind: str) -> None:
    assert wire.kind(api, method, path) == kind


@pytest.mark.parametrize(
    ("api", "body", "endpoint", "limited"),
    [
        ("anthropic", {"max_tokens": 9}, HERE, {"max_tokens": 9}),
        ("anthropic", {"max_tokens": 9000}, HERE, {"max_tokens": 500}),
        ("anthropic", {}, HERE, {"max_tokens": 500}),
        ("responses", {}, HERE, {"max_output_tokens": 500}),
        ("responses", {}, "https://chatgpt.com/backend-api/codex", {}),
        ("openai", {}, HERE, {"max_tokens": 500}),
        ("openai", {}, "https://api.openai.com/v1", {"max_completion_tokens": 500}),
        ("openai", {"max_completion_tokens": 900}, HERE, {"max_completion_tokens": 500}),
        (
            "openai",
            {"max_tokens": 10, "max_completion_tokens": 900},
            HERE,
            {"max_tokens": 10, "max_completion_tokens": 500},
        ),
        (
            "openai",
            {"max_tokens": 900, "stream": True, "stream_options": {"x": 1}},
            HERE,
            {"max_tokens": 500, "stream": True, "stream_options": {"x": 1, "include_usage": True}},
        ),
        ("google", {}, HERE, {"generationConfig": {"maxOutputTokens": 500}}),
        (
            "google",
            {"model": "m", "request": {"generationConfig": {"maxOutputTokens": 900, "topK": 1}}},
            HERE,
            {"model": "m", "request": {"generationConfig": {"maxOutputTokens": 500, "topK": 1}}},
        ),
    ],
)
def test_a_limit_is_put_where_the_api_wants_it(
    api: Api, body: dict[str, Any], endpoint: str, limited: dict[str, Any]
) -> None:
    before = json.dumps(body)
    assert wire.limited(api, body, 500, endpoint=endpoint) == limited
    assert json.dumps(body) == before


def test_no_limit_leaves_the_request_as_it_is() -> None:
    assert wire.limited("anthropic", {"max_tokens": 9000}, 0, endpoint=HERE) == {"max_tokens": 9000}


@pytest.mark.parametrize(
    ("most", "thinking"),
    [(8000, {"type": "enabled", "budget_tokens": 4000}), (3000, {"type": "enabled", "budget_tokens": 2999})],
)
def test_thinking_fits_into_the_answer(most: int, thinking: dict[str, Any]) -> None:
    body = {"max_tokens": 9000, "thinking": {"type": "enabled", "budget_tokens": 4000}}
    assert wire.limited("anthropic", body, most, endpoint=HERE) == {"max_tokens": most, "thinking": thinking}


def test_an_answer_too_short_for_thinking_goes_without() -> None:
    body = {"max_tokens": 9000, "thinking": {"type": "enabled", "budget_tokens": 4000}}
    limited = wire.limited("anthropic", body, 1000, endpoint=HERE)
    assert limited == {"max_tokens": 1000, "thinking": {"type": "disabled"}}


@pytest.mark.parametrize(
    ("most", "asked", "given"), [(4096, 8192, 2048), (4096, 1000, 1000), (200, 8192, 128), (4096, -1, -1), (4096, 0, 0)]
)
def test_thoughts_leave_room_for_the_answer_at_google(most: int, asked: int, given: int) -> None:
    body = {"generationConfig": {"thinkingConfig": {"includeThoughts": True, "thinkingBudget": asked}}}
    thinking = {"includeThoughts": True, "thinkingBudget": given}
    assert wire.limited("google", body, most, endpoint=HERE) == {
        "generationConfig": {"thinkingConfig": thinking, "maxOutputTokens": most}
    }


@pytest.mark.parametrize(
    ("api", "path", "body", "wanted"),
    [
        ("anthropic", "/v1/messages", {"model": "a", "max_tokens": 7}, ("a", 7)),
        ("google", "/v1beta/models/b:generateContent", {"generationConfig": {"maxOutputTokens": 7}}, ("b", 7)),
        ("google", "/v1internal:generateContent", {"model": "c", "request": {}}, ("c", 0)),
        ("responses", "/responses", {}, ("", 0)),
        ("openai", "/chat/completions", {"max_tokens": 7, "max_completion_tokens": 9}, ("", 9)),
    ],
)
def test_model_and_length_are_read_from_the_request(
    api: Api, path: str, body: dict[str, Any], wanted: tuple[str, int]
) -> None:
    assert (wire.model_of(api, path, body), wire.most_output(api, body)) == wanted


def test_a_refusal_has_the_form_of_the_api() -> None:
    said = {api: json.loads(wire.refusal(api, 400, "no")) for api in ("anthropic", "google", "openai", "responses")}
    usual = {"error": {"message": "no", "type": "invalid_request_error", "param": None, "code": "not_allowed"}}
    assert said == {
        "anthropic": {"type": "error", "error": {"type": "invalid_request_error", "message": "no"}},
        "google": {"error": {"code": 400, "message": "no", "status": "FAILED_PRECONDITION"}},
        "openai": usual,
        "responses": usual,
    }
