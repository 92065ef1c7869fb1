"""The http provider against a real server on loopback, in every wire format it speaks."""

from __future__ import annotations

import asyncio
import json
import socket
from pathlib import Path
from typing import Any

import pytest

from model_server import Cut, Empty, Fail, Hang, Html, ModelServer, Refused, Say, Truncated, Unfinished
from thoughtforge.calls.port import Model, OnDelta, ProviderError, Reply, Transient, Usage
from thoughtforge.kernel.errors import UserError
from thoughtforge.providers import http
from thoughtforge.settings.environment import Machine

APIS = ("openai", "anthropic", "google")
MODELS = {"openai": "local-model", "anthropic": "claude-local", "google": "gemini-local"}
KEY = "sk-a-very-secret-key"
ANSWER = '{"goal": "sign in — ü", "count": 3}'
SCHEMA = {
    "type": "object",
    "properties": {"goal": {"type": "string"}, "count": {"type": "integer"}},
    "required": ["goal"],
}


def model_at(server: ModelServer, api: str, **options: Any) -> Model:
    given = {"api": api, "model": MODELS[api], "base_url": server.urls[api], "timeout_seconds": 20} | options
    secrets = {"TEST_KEY": KEY}.get
    return http.make(http.Options.model_validate(given), Machine(secrets, Path()))


def ask(model: Model, schema: dict[str, Any] | None = None, *, deltas: list[str] | None = None) -> Reply:
    return hear(model, schema, on_delta=None if deltas is None else deltas.append)


def hear(model: Model, schema: dict[str, Any] | None = None, *, on_delta: OnDelta | None) -> Reply:
    async def call() -> Reply:
        return await model.complete("Be brief.", "What now?", schema, max_output=100, on_delta=on_delta)

    return asyncio.run(call())


def failed(model: Model, *, streamed: bool = False) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        ask(model, deltas=[] if streamed else None)
    return caught.value


@pytest.mark.parametrize("api", APIS)
def test_an_answer_comes_with_its_usage_and_the_name_of_the_model(api: str) -> None:
    with ModelServer([Say("Go on.", (11, 7))]) as server:
        reply = ask(model_at(server, api))
    assert reply == Reply(text="Go on.", model=MODELS[api], usage=Usage(input_tokens=11, output_tokens=7), usd=None)
    assert (server.input_tokens, server.output_tokens) == (11, 7)


@pytest.mark.parametrize("api", APIS)
def test_a_streamed_answer_is_the_sum_of_its_deltas(api: str) -> None:
    deltas: list[str] = []
    with ModelServer([Say("Go on, and do not stop.", (11, 7))]) as server:
        reply = ask(model_at(server, api), deltas=deltas)
    assert len(deltas) > 1
    assert "".join(deltas) == reply.text == "Go on, and do not stop."
    assert reply.usage == Usage(input_tokens=11, output_tokens=7)


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("mode", ["auto", "native", "tool", "off"])
@pytest.mark.parametrize("streamed", [False, True])
def test_an_answer_held_to_a_schema_comes_back_as_json_text(api: str, mode: str, *, streamed: bool) -> None:
    deltas: list[str] = []
    with ModelServer([Say(ANSWER, (11, 7))]) as server:
        reply = ask(model_at(server, api, schema=mode), SCHEMA, deltas=deltas if streamed else None)
    asked = server.asked[0]
    resolved = {"auto": "tool" if api == "anthropic" else "native"}.get(mode, mode)
    assert json.loads(reply.text) == json.loads(ANSWER)
    assert "".join(deltas) == (reply.text if streamed else "")
    assert asked.tool == ("answer" if resolved == "tool" else "")
    assert sorted((asked.schema or {}).get("properties", ())) == ([] if resolved == "off" else ["count", "goal"])


# Anthropic's native mode is left out: that api closes every object, which is why `auto` uses a tool there.
@pytest.mark.parametrize(
    ("api", "mode"),
    [("openai", "native"), ("openai", "tool"), ("anthropic", "tool"), ("google", "native"), ("google", "tool")],
)
def test_an_open_object_in_a_schema_stays_open(api: str, mode: str) -> None:
    schema: dict[str, Any] = {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}
    schema |= {"properties": {"params": {"type": "object"}}, "required": ["params"]}
    with ModelServer([Say('{"params": {"a": 1}}')]) as server:
        reply = ask(model_at(server, api, schema=mode), schema)
    sent = {key: value for key, value in (server.asked[0].schema or {}).items() if key != "title"}
    assert json.loads(reply.text) == {"params": {"a": 1}}
    assert sent == {"type": "object", "properties": {"params": {"type": "object"}}, "required": ["params"]}


def test_a_schema_that_is_no_object_is_left_to_the_caller() -> None:
    with ModelServer([Say("[1]")]) as server:
        assert ask(model_at(server, "openai"), {"type": "array"}).text == "[1]"
    assert server.asked[0].schema is None


@pytest.mark.parametrize("api", APIS)
def test_system_context_and_key_arrive_in_their_own_places(api: str) -> None:
    with ModelServer([Say("Go on.")]) as server:
        ask(model_at(server, api, key_env="TEST_KEY"))
    asked = server.asked[0]
    assert (asked.api, asked.model, asked.system, asked.user) == (api, MODELS[api], "Be brief.", "What now?")
    assert [value.removeprefix("Bearer ") for value in asked.headers.values() if KEY in value] == [KEY]


def test_the_smaller_of_the_two_output_limits_is_asked_for() -> None:
    with ModelServer([Say("Go on."), Say("Go on.")]) as server:
        ask(model_at(server, "openai"))
        ask(model_at(server, "openai", max_output_tokens=30))
    assert [asked.body["max_tokens"] for asked in server.asked] == [100, 30]


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("streamed", [False, True])
def test_a_server_that_counts_nothing_leaves_usage_and_price_unknown(api: str, *, streamed: bool) -> None:
    price = {"input_per_million": 1.0, "output_per_million": 2.0}
    with ModelServer([Say("Go on.")]) as server:
        reply = ask(model_at(server, api, price=price), deltas=[] if streamed else None)
    assert reply == Reply(text="Go on.", model=MODELS[api], usage=Usage(), usd=None)


def test_a_configured_price_is_charged_to_the_token() -> None:
    price = {"input_per_million": 2.5, "output_per_million": 10.0}
    with ModelServer([Say("Go on.", (1000, 200))]) as server:
        assert ask(model_at(server, "openai", price=price)).usd == 0.0045


FAILURES = [
    (Fail(400), "bad_request", ProviderError),
    (Fail(401), "auth", ProviderError),
    (Fail(402), "quota", ProviderError),
    (Fail(403), "auth", ProviderError),
    (Fail(404), "bad_request", ProviderError),
    (Fail(422), "bad_request", ProviderError),
    (Fail(307, headers={"Location": "/v1/elsewhere"}), "bad_request", ProviderError),
    (Refused(usage=(1, 1)), "refused", ProviderError),
    (Fail(429), "rate_limited", Transient),
    (Fail(500), "overloaded", Transient),
    (Fail(502), "overloaded", Transient),
    (Fail(503), "overloaded", Transient),
    (Fail(529), "overloaded", Transient),
    (Html(503), "overloaded", Transient),
    (Fail(504), "timeout", Transient),
    (Html(), "malformed", Transient),
    (Fail(200, body="not json"), "malformed", Transient),
    (Cut(), "connection", Transient),
    (Empty(usage=(5, 1)), "empty", Transient),
    (Truncated("", (5, 1)), "truncated", Transient),
]


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("streamed", [False, True])
def test_an_answer_that_reached_its_limit_is_handed_on_as_cut(api: str, *, streamed: bool) -> None:
    with ModelServer([Truncated("half of it", (5, 1)), Say("All.", (5, 1))]) as server:
        replies = [ask(model_at(server, api), deltas=[] if streamed else None) for _ in range(2)]
    assert [(reply.text, reply.cut) for reply in replies] == [("half of it", True), ("All.", False)]


@pytest.mark.parametrize(("options", "do"), [({}, ""), ({"max_output_tokens": 9}, " and max_output_tokens")])
def test_a_limit_that_thinking_used_up_names_the_setting_and_what_it_cost(options: dict[str, Any], do: str) -> None:
    with ModelServer([Truncated("", (5, 1))]) as server:
        caught = failed(model_at(server, "openai", **options))
    assert (caught.kind, caught.do) == ("truncated", f"Raise call_output_tokens{do}.")
    assert caught.reply is not None
    assert caught.reply.usage == Usage(input_tokens=5, output_tokens=1)


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(("answer", "kind", "error"), FAILURES)
def test_every_failure_has_its_kind_and_is_asked_for_once(
    api: str, answer: Any, kind: str, error: type[ProviderError], *, streamed: bool
) -> None:
    with ModelServer([answer, Say("A second request was made.")]) as server:
        caught = failed(model_at(server, api), streamed=streamed)
    assert (caught.kind, type(caught), len(server.asked)) == (kind, error, 1)


@pytest.mark.parametrize("api", APIS)
def test_a_stream_that_ends_without_an_end_is_not_an_answer(api: str) -> None:
    with ModelServer([Unfinished()]) as server:
        caught = failed(model_at(server, api), streamed=True)
    assert (caught.kind, type(caught)) == ("connection", Transient)


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("body", [{}, {"choices": 5, "content": 5, "candidates": 5}])
def test_json_of_an_unknown_shape_is_a_failed_call_and_no_crash(api: str, body: dict[str, Any]) -> None:
    with ModelServer([Fail(200, body=body)]) as server:
        caught = failed(model_at(server, api))
    assert caught.kind in ("malformed", "empty")
    assert isinstance(caught, Transient)


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("streamed", [False, True])
def test_silence_ends_at_the_timeout(api: str, *, streamed: bool) -> None:
    with ModelServer([Hang()]) as server:
        caught = failed(model_at(server, api, timeout_seconds=0.1), streamed=streamed)
    assert (caught.kind, type(caught)) == ("timeout", Transient)
    assert caught.message == f"{server.urls[api]} did not finish within 0.1 seconds"


def test_a_spent_quota_is_told_from_a_rate_limit() -> None:
    body = {"error": {"message": "You have no credit left.", "type": "quota", "code": "insufficient_quota"}}
    with ModelServer([Fail(429, body=body)]) as server:
        caught = failed(model_at(server, "openai"))
    assert (caught.kind, type(caught)) == ("quota", ProviderError)


def test_the_servers_own_words_are_passed_on() -> None:
    with ModelServer([Fail(400, "The model is\n too small.")]) as server:
        caught = failed(model_at(server, "openai"))
    assert caught.message == f"{server.urls['openai']} answered 400: The model is too small."


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("status", [400, 401, 403, 429, 500])
def test_the_key_is_in_no_error_even_when_the_server_repeats_it(api: str, status: int) -> None:
    with ModelServer([Fail(status, f"Key {KEY} is wrong, {KEY}!")]) as server:
        caught = failed(model_at(server, api, key_env="TEST_KEY"))
    assert KEY not in f"{caught!r} {caught} {caught.message} {caught.do}"
    assert caught.__cause__ is None


def test_a_rejected_key_is_named_by_its_variable() -> None:
    with ModelServer([Fail(401)]) as server:
        caught = failed(model_at(server, "openai", key_env="TEST_KEY"))
    assert caught.do == "Put a valid key into the variable TEST_KEY."


def test_a_wrong_base_url_is_a_bad_request_that_says_where() -> None:
    with ModelServer([]) as server:
        root = server.urls["anthropic"]
        caught = failed(model_at(server, "openai", base_url=root))
    assert (caught.kind, type(caught)) == ("bad_request", ProviderError)
    assert caught.message == f"{root} answered 404: there is nothing at /chat/completions"


def test_a_port_where_nobody_listens_is_a_connection_failure() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
    options = http.Options(model="local-model", base_url=url)
    caught = failed(http.make(options, Machine(lambda name: None, Path())))
    assert (caught.kind, type(caught)) == ("connection", Transient)
    assert caught.message.startswith(f"the connection to {url} failed: ")


def test_an_error_of_the_listener_is_not_taken_for_one_of_the_model() -> None:
    def full(_: str) -> None:
        raise OSError("the disk is full")

    with ModelServer([Say("Go on.")]) as server, pytest.raises(OSError, match="the disk is full"):
        hear(model_at(server, "openai"), on_delta=full)


def test_a_missing_key_is_named_before_anything_is_sent() -> None:
    with pytest.raises(UserError) as caught:
        http.make(http.Options(api="anthropic", model="claude"), Machine(lambda name: None, Path()))
    assert caught.value.what == (
        "claude at https://api.anthropic.com needs a key and the variable ANTHROPIC_API_KEY is not set"
    )
    assert caught.value.do == (
        "Set it: export ANTHROPIC_API_KEY=…, or name another variable as key_env of this provider."
    )


def test_a_vendors_key_is_not_given_to_a_server_on_this_machine() -> None:
    with ModelServer([Say("Go on.")]) as server:
        options = http.Options(model="local-model", base_url=server.urls["openai"])
        ask(http.make(options, Machine(lambda name: KEY, Path())))
    assert server.asked[0].headers["authorization"] == "Bearer none"


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("streamed", [False, True])
def test_tokens_from_the_cache_are_counted_and_priced_as_such(api: str, *, streamed: bool) -> None:
    price = {"input_per_million": 10, "output_per_million": 100, "cached_per_million": 1}
    with ModelServer([Say("x", (1_000, 10), cached=400), Say("x", (1_000, 10), cached=400)]) as server:
        reply = ask(model_at(server, api, price=price), deltas=[] if streamed else None)
        del price["cached_per_million"]
        unknown = ask(model_at(server, api, price=price), deltas=[] if streamed else None)
    assert reply.usage == Usage(input_tokens=1_000, output_tokens=10, cached_tokens=400)
    assert reply.usd == pytest.approx((600 * 10 + 400 * 1 + 10 * 100) / 1_000_000)
    assert unknown.usd == pytest.approx((1_000 * 10 + 10 * 100) / 1_000_000)


@pytest.mark.parametrize(("more", "each"), [({}, 12.5), ({"cache_write_per_million": 20}, 20)])
@pytest.mark.parametrize("streamed", [False, True])
def test_tokens_written_to_the_cache_are_priced_as_such(more: dict[str, int], each: float, *, streamed: bool) -> None:
    price = {"input_per_million": 10, "output_per_million": 100, "cached_per_million": 1, **more}
    with ModelServer([Say("x", (1_000, 10), cached=400, written=500)]) as server:
        reply = ask(model_at(server, "anthropic", price=price), deltas=[] if streamed else None)
    assert reply.usage == Usage(input_tokens=1_000, output_tokens=10, cached_tokens=400)
    assert reply.usd == pytest.approx((100 * 10 + 400 * 1 + 500 * each + 10 * 100) / 1_000_000)


@pytest.mark.parametrize("api", APIS)
def test_the_beginning_that_comes_again_is_marked_where_the_api_has_marks(api: str) -> None:
    with ModelServer([Say("x", (11, 7))]) as server:
        model = model_at(server, api)
        marks = model.capabilities.cache_marks
        more = {"stable": 4} if marks else {}
        asyncio.run(model.complete("Be brief.", "Day: now?", max_output=100, **more))  # type: ignore[arg-type]
        (asked,) = server.asked
    assert marks is (api == "anthropic")
    assert ('"cache_control"' in json.dumps(asked.body)) is marks
    if marks:
        content = asked.body["messages"][0]["content"]
        assert [(part["text"], "cache_control" in part) for part in content] == [("Day:", True), (" now?", False)]
