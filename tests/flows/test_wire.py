"""The whole design over HTTP, in the wire formats of two vendors, against a model server on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from harness import Done
from harness.place import Place, from_demo, make_place
from model_server import Asked, ModelServer

KEY = "a-dummy-key-of-no-use-4711"
PRICE = {"input_per_million": 2.0, "output_per_million": 8.0}


class Run(NamedTuple):
    """A design that was answered over the wire."""

    api: str
    place: Place
    done: Done
    asked: list[Asked]
    tokens: tuple[int, int]


@pytest.fixture(scope="module", params=["openai", "anthropic"])
def wired(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    folder = tmp_path_factory.mktemp(request.param)
    place = make_place(folder)
    with ModelServer(from_demo(folder)) as server:
        place.serve(server, request.param, key_env="TEST_MODEL_KEY", price=PRICE)
        done = place.design(TEST_MODEL_KEY=KEY)
        tokens = (server.input_tokens, server.output_tokens)
        yield Run(request.param, place, done, list(server.asked), tokens)


@pytest.fixture(scope="module")
def scripted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    place = make_place(tmp_path_factory.mktemp("scripted"))
    assert place.design().code == 0
    return place.specification()


def test_the_specification_is_the_one_the_scripted_provider_gives(wired: Run, scripted: dict[str, Any]) -> None:
    assert (wired.done.code, wired.done.json["state"], wired.done.json["labels"]) == (0, "done", [])
    assert wired.place.specification() == scripted


def test_every_request_is_one_system_text_and_one_user_message_with_a_schema(wired: Run) -> None:
    roles = [[message["role"] for message in asked.body["messages"]] for asked in wired.asked]
    expected = ["user"] if wired.api == "anthropic" else ["system", "user"]
    assert roles == [expected] * 10
    assert all(asked.system.startswith("# ") and asked.user.startswith("## task_frame") for asked in wired.asked)
    fields = [set((asked.schema or {})["properties"]) for asked in wired.asked]
    action = {"thought", "note", "tool", "params"}
    assert fields[1:6] == [action] * 5
    assert all(name in fields[0] for name in ("extracted_intent", "identified_ambiguities"))
    assert all(name in fields[9] for name in ("blocking_issues", "advisory_issues"))


def test_what_the_server_got_is_what_is_on_record(wired: Run) -> None:
    started = wired.place.events("call_started")
    sent = [(wired.place.blob(e["system"]), wired.place.blob(e["context"])) for e in started]
    assert sent == [(asked.system, asked.user) for asked in wired.asked]
    assert max(e["context_tokens"] for e in started) <= 8_000
    assert all(max(0, e["context_tokens"] - sum(e["parts"].values())) <= 10 for e in started)


def test_usage_and_cost_are_those_the_server_handed_out(wired: Run) -> None:
    cost = wired.place.run("cost", "--json").json
    given, made = wired.tokens
    usd = round((given * 2.0 + made * 8.0) / 1_000_000, 6)
    total = cost["total"]
    assert (total["input_tokens_reported"], total["output_tokens_reported"]) == (given, made)
    assert (total["tokens"], total["usd"], total["usd_unknown_calls"]) == (given + made, usd, 0)
    assert (sum(r["prompt_tokens"] for r in cost["rows"]), sum(r["completion_tokens"] for r in cost["rows"])) == (
        given,
        made,
    )
    assert round(sum(r["usd"] for r in cost["rows"]), 6) == usd
    assert sum(r["calls"] for r in cost["rows"]) == total["steps"] == len(wired.asked) == 10


def test_the_key_travels_in_its_header_and_stays_nowhere(wired: Run) -> None:
    carried = [{name: value for name, value in asked.headers.items() if KEY in value} for asked in wired.asked]
    # Anthropic takes either form; which one is sent is the choice of its own SDK.
    fitting = [{"authorization": f"Bearer {KEY}"}, *([{"x-api-key": KEY}] if wired.api == "anthropic" else [])]
    assert carried[0] in fitting
    assert carried == [carried[0]] * 10
    kept = [path for path in wired.place.home.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
    assert kept == []
    assert KEY not in wired.done.out + wired.done.err
    assert all(KEY not in asked.user + asked.system + str(asked.body) for asked in wired.asked)


def test_the_record_of_a_wired_run_is_whole(wired: Run) -> None:
    proof = wired.place.run("verify", "--json")
    assert (proof.code, proof.json["damage"], proof.json["events"]) == (0, [], len(wired.place.events()))


@pytest.mark.parametrize(("host", "leaves"), [("127.0.0.1", False), ("0.0.0.0", True)])
def test_a_provider_that_is_not_on_this_machine_is_named_as_such(tmp_path: Path, host: str, leaves: bool) -> None:
    # 0.0.0.0 is no loopback address by its number, yet the kernel keeps what is sent there on this machine.
    place = make_place(tmp_path)
    with ModelServer(from_demo(tmp_path)) as server:
        place.serve(server, base_url=f"http://{host}:{server.port}/v1", key_env="", price=None)
        done = place.run("design", "Add a flag", "--through", "analyze", "--allow-unknown-cost")
        assert (done.code, bool(server.asked)) == (0, True)
    said = [line for line in done.err.splitlines() if "to another machine" in line]
    assert said == ["provider wire sends parts of the repository to another machine"] * leaves
    total = place.run("cost", "--json").json["total"]
    assert (total["usd"], total["usd_unknown_calls"]) == (0.0, len(server.asked))
