"""What agents say when something went wrong, and what is made of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from thoughtforge.agent_runtime.cli import Ask, Door, Output
from thoughtforge.agent_runtime.failures import QUOTE, failure, unended
from thoughtforge.calls.port import ProviderError, Transient
from thoughtforge.providers.claude_cli import Claude

CLI = Claude("/somewhere/bin/claude")
DOOR = Door("http://127.0.0.1:1/mcp", "token-of-the-door", ())
ASK = Ask("", "", "", "http://127.0.0.1:1/secret/model", Path("home"), Path("work"), "key-of-mine", door=DOOR)

SAID = {
    "unexpected status 401 Unauthorized: no, url: http://127.0.0.1:1/secret/model": "auth",
    "Not logged in · Please run /login": "auth",
    "API Error: 402 pay": "quota",
    "API Error: 400 Your credit balance is too low": "quota",
    "You've hit your usage limit. Try again at 5 pm.": "quota",
    "exceeded retry limit, last status: 429 Too Many Requests": "rate_limited",
    "API Error: Request rejected (429) · Rate limit reached": "rate_limited",
    "We’re currently experiencing high demand, which may cause temporary errors.": "overloaded",
    "API Error: 529 Overloaded": "overloaded",
    "unexpected status 502 Bad Gateway: the model could not be reached": "connection",
    "API Error: 502 out of order": "overloaded",
    "Request timed out": "timeout",
    "API Error: Claude's response exceeded the 32000 output token maximum.": "truncated",
    "Incomplete response returned, reason: max_output_tokens": "truncated",
    "API Error: Connection refused — a firewall or proxy may be blocking it (ECONNREFUSED)": "connection",
    "stream disconnected before completion: stream closed before response.completed": "connection",
    "stream disconnected before completion: Incomplete response returned, reason: content_filter": "refused",
    "API Error: Opus's safeguards flagged this message": "refused",
    "API Error: API returned an empty or malformed response (HTTP 200)": "malformed",
    "No conversation found with session ID: 1": "bad_request",
    "": "bad_request",
}


@pytest.mark.parametrize("said", SAID)
def test_words_have_a_kind(said: str) -> None:
    error = failure(CLI, ASK, said)
    assert error.kind == SAID[said]
    assert isinstance(error, Transient) == (error.kind not in ("auth", "quota", "refused", "bad_request"))
    assert error.message.startswith("claude ")
    assert error.do


def test_nothing_secret_is_repeated() -> None:
    said = "no key-of-mine token-of-the-door sk-ant-oat01-abcdefghijklmnopqrstuvwxyz at http://127.0.0.1:1/secret/model"
    error = failure(CLI, ASK, f"API Error: 500 {said} {'x' * 1000}")
    assert "secret" not in error.message.replace("[masked:", "")
    assert [word for word in ("key-of-mine", "token-of-the-door", "abcdefghij") if word in error.message] == []
    assert len(error.message) < QUOTE + 100


def test_a_refused_key_is_not_quoted_and_the_advice_fits() -> None:
    with_key = failure(CLI, ASK, "bad credentials key-o...", status=401)
    with_login = failure(CLI, ASK._replace(key=""), "bad credentials", status=401)
    assert str(with_key) == str(with_login) == "claude got the status 401: the key or login was not accepted"
    assert with_key.do == "Put a valid key into the variable named as key_env."
    assert with_login.do == "Log in: claude auth login"


@pytest.mark.parametrize(("code", "signal"), [(-9, "SIGKILL"), (143, "SIGTERM"), (130, "SIGINT")])
def test_an_end_by_a_signal_is_named(code: int, signal: str) -> None:
    error = unended(CLI, ASK, Output(code, b"", b""))
    assert (type(error), error.kind) == (Transient, "connection")
    assert str(error) == f"claude was killed by the signal {signal} before its answer"


def test_the_complaint_is_quoted_and_not_the_warnings_around_it() -> None:
    stderr = b"WARNING: proceeding without aliases\nerror: unknown option '--nonsense'\n"
    error = unended(CLI, ASK, Output(1, b"", stderr))
    assert (type(error), error.kind) == (ProviderError, "bad_request")
    assert str(error) == "claude returned no answer: error: unknown option '--nonsense'"


@pytest.mark.parametrize("code", [0, 1, 255])
def test_an_end_without_a_word_is_malformed(code: int) -> None:
    error = unended(CLI, ASK, Output(code, b"", b"WARNING: never mind\n"))
    assert (type(error), error.kind) == (Transient, "malformed")
    assert str(error) == f"claude returned no answer: it ended with {code} and no last record."
