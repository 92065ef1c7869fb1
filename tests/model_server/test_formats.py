"""The vendors' own clients read what the server says: text, tool calls, results and every kind of failure."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import pytest

from model_server import (
    Answer,
    Asked,
    Call,
    Cut,
    Empty,
    Fail,
    Foreign,
    Garbled,
    ModelServer,
    Refused,
    Result,
    Say,
    Stall,
    Tool,
    Truncated,
    Unfinished,
    Use,
)
from model_server.pieces import numbered

SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
WANTED = Use("read", {"path": "a.py"}, text="First look.", usage=(90, 7), also=(Call("read", {"path": "b.py"}),))
APIS = ("anthropic", "openai", "responses", "google")


class Heard(NamedTuple):
    """What a client understood."""

    text: str = ""
    calls: tuple[tuple[str, Any], ...] = ()
    finish: str | None = ""
    tokens: tuple[int, int, int] = (0, 0, 0)
    """Input, output, and how much of the input was cached."""


def anthropic(server: ModelServer, *, streamed: bool, history: list[Any] | None = None) -> Heard:
    from anthropic import Anthropic

    client = Anthropic(api_key="k", base_url=server.urls["anthropic"], max_retries=0, timeout=2)
    asking: dict[str, Any] = {"model": "m", "max_tokens": 9, "system": "Be brief."}
    asking |= {"tools": [{"name": "read", "description": "Reads.", "input_schema": SCHEMA}]}
    asking |= {"messages": [{"role": "user", "content": "Go."}, *(history or ())]}
    with client:
        if streamed:
            with client.messages.stream(**asking) as stream:
                reply = stream.get_final_message()
        else:
            reply = client.messages.create(**asking)
    calls = tuple((part.name, part.input) for part in reply.content if part.type == "tool_use")
    text = "".join(part.text for part in reply.content if part.type == "text")
    cached = reply.usage.cache_read_input_tokens or 0
    used = (reply.usage.input_tokens + cached, reply.usage.output_tokens, cached)
    return Heard(text, calls, reply.stop_reason, used)


def openai(server: ModelServer, *, streamed: bool, history: list[Any] | None = None) -> Heard:
    from openai import OpenAI

    client = OpenAI(api_key="k", base_url=server.urls["openai"], max_retries=0, timeout=2)
    asking: dict[str, Any] = {"model": "m"}
    function = {"name": "read", "description": "Reads.", "parameters": SCHEMA}
    asking |= {"tools": [{"type": "function", "function": function}]}
    begun = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Go."}]
    asking |= {"messages": [*begun, *(history or ())]}
    with client:
        if streamed:
            with client.chat.completions.stream(**asking, stream_options={"include_usage": True}) as stream:
                reply: Any = stream.get_final_completion()
        else:
            reply = client.chat.completions.create(**asking)
    (choice,) = reply.choices
    calls = tuple((call.function.name, json.loads(call.function.arguments)) for call in choice.message.tool_calls or ())
    details = reply.usage.prompt_tokens_details
    used = (reply.usage.prompt_tokens, reply.usage.completion_tokens, details.cached_tokens if details else 0)
    return Heard(choice.message.content or "", calls, choice.finish_reason, used)


def responses(server: ModelServer, *, streamed: bool, history: list[Any] | None = None) -> Heard:
    from openai import OpenAI

    client = OpenAI(api_key="k", base_url=server.urls["responses"], max_retries=0, timeout=2)
    asking: dict[str, Any] = {"model": "m", "instructions": "Be brief."}
    asking |= {"tools": [{"type": "function", "name": "read", "description": "Reads.", "parameters": SCHEMA}]}
    asking |= {"input": [{"role": "user", "content": "Go."}, *(history or ())]}
    with client:
        if streamed:
            with client.responses.stream(**asking) as stream:
                reply: Any = stream.get_final_response()
        else:
            reply = client.responses.create(**asking)
    calls = tuple((item.name, json.loads(item.arguments)) for item in reply.output if item.type == "function_call")
    used = (reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.input_tokens_details.cached_tokens)
    return Heard(reply.output_text, calls, reply.status, used)


def google(server: ModelServer, *, streamed: bool, history: list[Any] | None = None) -> Heard:
    from google.genai import Client

    options: Any = {"base_url": server.urls["google"], "timeout": 2000, "retry_options": {"attempts": 1}}
    function = {"name": "read", "description": "Reads.", "parameters_json_schema": SCHEMA}
    config: Any = {"system_instruction": "Be brief.", "tools": [{"function_declarations": [function]}]}
    config |= {"automatic_function_calling": {"disable": True}}
    asking: Any = {"model": "m", "contents": [{"role": "user", "parts": [{"text": "Go."}]}, *(history or ())]}
    with Client(api_key="k", http_options=options) as client:
        models = client.models
        if streamed:
            parts = list(models.generate_content_stream(**asking, config=config))
        else:
            parts = [models.generate_content(**asking, config=config)]
    found = [piece for part in parts for piece in (part.candidates[0].content.parts or ())]  # type: ignore[index,union-attr]
    calls = tuple((piece.function_call.name, piece.function_call.args) for piece in found if piece.function_call)
    last: Any = parts[-1]
    usage = last.usage_metadata
    used = (usage.prompt_token_count, usage.candidates_token_count, usage.cached_content_token_count or 0)
    finish = last.candidates[0].finish_reason
    return Heard("".join(piece.text or "" for piece in found), calls, finish and finish.value, used)  # type: ignore[arg-type]


CLIENTS: dict[str, Callable[..., Heard]] = {
    "anthropic": anthropic,
    "openai": openai,
    "responses": responses,
    "google": google,
}
TEXT = {"anthropic": "end_turn", "openai": "stop", "responses": "completed", "google": "STOP"}
TOOLS = {"anthropic": "tool_use", "openai": "tool_calls", "responses": "completed", "google": "STOP"}


@pytest.fixture(params=APIS)
def api(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(params=[False, True], ids=["whole", "streamed"])
def streamed(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def test_a_text_arrives_with_its_tokens(api: str, *, streamed: bool) -> None:
    with ModelServer([Say("Good day.", usage=(120, 9), cached=100)]) as server:
        heard = CLIENTS[api](server, streamed=streamed)
    assert heard == Heard("Good day.", (), TEXT[api], (120, 9, 100))
    assert (server.tokens, server.input_tokens, server.output_tokens) == ([(120, 9)], 120, 9)


def test_several_calls_arrive_after_a_text(api: str, *, streamed: bool) -> None:
    with ModelServer([WANTED]) as server:
        heard = CLIENTS[api](server, streamed=streamed)
    calls = (("read", {"path": "a.py"}), ("read", {"path": "b.py"}))
    assert heard == Heard("First look.", calls, TOOLS[api], (90, 7, 0))


def test_what_was_asked_is_told_alike_in_every_format(api: str, *, streamed: bool) -> None:
    with ModelServer([Say("Hi.", usage=(1, 1))]) as server:
        CLIENTS[api](server, streamed=streamed)
    (asked,) = server.asked
    assert (asked.api, asked.model, asked.system, asked.user) == (api, "m", "Be brief.", "Go.")
    assert (asked.tools, asked.offered, asked.tool) == ((Tool("read", SCHEMA, "Reads."),), ("read",), "")
    assert (asked.stream, asked.calls, asked.results) == (streamed, (), ())
    assert asked.login == ({"x-goog-api-key": "k"} if api == "google" else {"authorization": "Bearer k"})
    assert server.bytes == [asked.size] == [int(asked.headers["content-length"])]


HISTORY: dict[str, list[Any]] = {
    "anthropic": [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "read", "input": {"path": "a"}}]},
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "none"}]}
                | {"is_error": True}
            ],
        },
    ],
    "openai": [
        {
            "role": "assistant",
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{"path": "a"}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "none"},
    ],
    "responses": [
        {"type": "function_call", "call_id": "c1", "name": "read", "arguments": '{"path": "a"}'},
        {"type": "function_call_output", "call_id": "c1", "output": "none"},
    ],
    "google": [
        {"role": "model", "parts": [{"function_call": {"name": "read", "args": {"path": "a"}}}]},
        {"role": "user", "parts": [{"function_response": {"name": "read", "response": {"error": "none"}}}]},
    ],
}


def test_results_of_earlier_calls_are_told_and_a_new_call_has_a_new_id(api: str) -> None:
    seen: list[Asked] = []

    def answer(asked: Asked) -> Answer:
        seen.append(asked)
        return Use("read", {"path": "b"}, usage=(1, 1))

    with ModelServer(answer) as server:
        CLIENTS[api](server, streamed=True, history=HISTORY[api])
    (asked,) = seen
    assert [(call.tool, call.input) for call in asked.calls] == [("read", {"path": "a"})]
    assert asked.results == (Result("read", "none", True if api in ("anthropic", "google") else None),)
    assert [ident for ident, _ in numbered(asked, WANTED.said, "call_")] == ["call_2", "call_3"]


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 429, 500, 529])
def test_an_error_comes_in_the_form_of_the_format(api: str, *, streamed: bool, status: int) -> None:
    with ModelServer([Fail(status, "no luck", headers={"retry-after": "3"})]) as server:
        with pytest.raises(Exception, match="no luck") as caught:
            CLIENTS[api](server, streamed=streamed)
        assert getattr(caught.value, "status_code", getattr(caught.value, "code", None)) == status


@pytest.mark.parametrize("calls", [(), (Call("read", {"path": "a.py"}),)], ids=["text", "call"])
@pytest.mark.parametrize("answer", [Garbled(), Cut(), Stall(seconds=0.3)])
def test_a_broken_answer_is_an_error_to_every_client(
    api: str, *, streamed: bool, answer: Garbled | Cut | Stall, calls: tuple[Call, ...]
) -> None:
    with ModelServer([replace(answer, calls=calls)]) as server:
        with pytest.raises(Exception, match=".") as caught:
            CLIENTS[api](server, streamed=streamed)
        assert not isinstance(caught.value, AssertionError)
        assert len(server.asked) == 1


@pytest.mark.parametrize("answer", [Foreign(), Unfinished(), Empty(usage=(1, 1)), Truncated("half", usage=(1, 1))])
def test_an_answer_that_is_no_answer_is_never_heard_as_a_complete_text(
    api: str, *, streamed: bool, answer: Answer
) -> None:
    with ModelServer([answer]) as server:
        try:
            heard = CLIENTS[api](server, streamed=streamed)
        except Exception as error:  # noqa: BLE001 the clients have no exception in common
            heard = Heard(finish=type(error).__name__)
    assert heard.text == "" or heard.finish != TEXT[api]
    assert heard.calls == ()


def test_a_refusal_says_so(api: str, *, streamed: bool) -> None:
    with ModelServer([Refused(usage=(1, 1))]) as server:
        heard = CLIENTS[api](server, streamed=streamed)
    finish = {"anthropic": "refusal", "openai": "stop", "responses": "completed", "google": "SAFETY"}
    assert heard == Heard("", (), finish[api], (1, 1, 0))
