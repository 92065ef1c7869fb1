"""Renewed tokens come back, in the login they were in, for the account they were for; anything else is refused."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from thoughtforge.agent_runtime.token_refresh import parsed, renewed, written


def token(**claims: str) -> str:
    body = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
    return f"head.{body}.sign"


ME, OTHER = token(iss="https://auth", sub="me"), token(iss="https://auth", sub="other")
AGAIN = token(iss="https://auth", sub="me", iat="later")
CODEX: dict[str, Any] = {
    "OPENAI_API_KEY": None,
    "tokens": {"id_token": ME, "access_token": ME, "refresh_token": "r", "account_id": "account-1"},
    "last_refresh": "2026-01-01T00:00:00Z",
}
CLAUDE: dict[str, Any] = {
    "claudeAiOauth": {
        "accessToken": "a",
        "refreshToken": "r",
        "expiresAt": 1,
        "scopes": ["user:inference"],
        "subscriptionType": "pro",
    }
}
GOOGLE: dict[str, Any] = {"access_token": "a", "refresh_token": "r", "scope": "x y", "expiry_date": 1}
OPENCODE: dict[str, Any] = {"openai": {"type": "oauth", "access": "a", "refresh": "r", "expires": 1}}


def changed(login: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """The login with fields of its only object changed."""
    ((name, inner),) = ((name, value) for name, value in login.items() if isinstance(value, dict))
    return {**login, name: {**inner, **fields}}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (CODEX, {**changed(CODEX, id_token=AGAIN, access_token=AGAIN, refresh_token="s"), "last_refresh": "later"}),
        (CLAUDE, changed(CLAUDE, accessToken="b", refreshToken="s", expiresAt=2)),
        (GOOGLE, {**GOOGLE, "access_token": "b", "expiry_date": 2, "refresh_token_expires_in": 9}),
        (OPENCODE, changed(OPENCODE, access="b", refresh="s", expires=2)),
    ],
    ids=["codex", "claude", "gemini", "opencode"],
)
def test_what_the_agents_renew_is_taken_over(before: dict[str, Any], after: dict[str, Any]) -> None:
    assert renewed(before, after) == after


def test_what_a_server_says_beside_a_login_is_left_as_the_person_has_it() -> None:
    after = changed(CLAUDE, accessToken="b", scopes=["user:inference", "org:admin"], subscriptionType="max")
    assert renewed(CLAUDE, after) == changed(CLAUDE, accessToken="b")


def test_a_token_that_is_left_out_is_kept() -> None:
    assert renewed(GOOGLE, {"access_token": "b"}) == {**GOOGLE, "access_token": "b"}


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        (CODEX, changed(CODEX, account_id="account-2"), "tokens.account_id is different"),
        (CODEX, changed(CODEX, access_token=OTHER), "tokens.access_token is different"),
        (CODEX, changed(CODEX, access_token="plain"), "tokens.access_token is different"),
        (CODEX, {**CODEX, "OPENAI_API_KEY": "sk-evil"}, "OPENAI_API_KEY is different"),
        (CODEX, {**CODEX, "base_url": "https://evil.example"}, "base_url is new"),
        (CODEX, {"tokens": CODEX["tokens"]}, "OPENAI_API_KEY is missing"),
        (CLAUDE, changed(CLAUDE, accessToken=""), "claudeAiOauth.accessToken is different"),
        (CLAUDE, changed(CLAUDE, accessToken={"a": 1}), "claudeAiOauth.accessToken is different"),
        (CLAUDE, changed(CLAUDE, accessToken="a\nb"), "claudeAiOauth.accessToken is different"),
        (CLAUDE, changed(CLAUDE, expiresAt={"a": 1}), "claudeAiOauth.expiresAt is different"),
        (CLAUDE, {**CLAUDE, "mcpOAuth": {}}, "mcpOAuth is new"),
        (OPENCODE, {"https://evil.example": {"type": "wellknown", "token": "y"}}, "openai is missing"),
        (OPENCODE, changed(OPENCODE, type="api"), "openai.type is different"),
        (OPENCODE, changed(OPENCODE, enterpriseUrl="evil.example"), "openai.enterpriseUrl is new"),
        (OPENCODE, {"openai": "r"}, "openai is different"),
    ],
)
def test_anything_else_makes_it_another_login(before: dict[str, Any], after: dict[str, Any], why: str) -> None:
    assert renewed(before, after) == why


@pytest.mark.parametrize("data", [b"", b"[]", b'{"expires": NaN}', b"[" * 100_000])
def test_what_is_no_json_object_is_no_login(data: bytes) -> None:
    assert parsed(data) is None


def test_a_login_is_laid_out_like_the_file_it_goes_into() -> None:
    assert written({"a": 1}, b'{\n  "a": 0\n}\n') == b'{\n  "a": 1\n}'
    assert written({"a": 1}, b'{"a": 0}\n') == b'{"a": 1}'
