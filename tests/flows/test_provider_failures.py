"""Providers that fail: once is tried again, twice halts with the next action; nothing is lost and continue works."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.place import Place, from_demo, make_place
from model_server import Answer, Asked, Cut, Empty, Fail, Hang, Html, ModelServer, Say, Truncated

KINDS: list[tuple[str, Answer, str]] = [
    ("429", Fail(429), "rate_limited"),
    ("500", Fail(500), "overloaded"),
    ("empty", Empty(), "empty"),
    ("truncated", Truncated(""), "truncated"),
    ("html", Html(), "malformed"),
    ("cut", Cut(), "connection"),
]


class Failing:
    """A server that fails so often and then answers."""

    def __init__(self, folder: Path, answer: Answer, times: int) -> None:
        self.good = from_demo(folder)
        self.bad = answer
        self.left = times

    def __call__(self, asked: Asked) -> Answer:
        if self.left:
            self.left -= 1
            return self.bad
        return self.good(asked)


@pytest.mark.parametrize(("answer", "kind"), [(a, k) for _, a, k in KINDS], ids=[name for name, _, _ in KINDS])
def test_two_failures_halt_the_task_and_it_goes_on_later(tmp_path: Path, answer: Answer, kind: str) -> None:
    place = make_place(tmp_path)
    with ModelServer(Failing(tmp_path, answer, 2)) as server:
        place.serve(server, config={"rate_limit_seconds": 1})
        done = place.design("--through", "analyze")
        assert (done.code, done.json["state"], done.json["reason"]) == (1, "halted", "provider_failed")
        assert done.json["detail"].startswith(f"wire ({kind}): ")
        task = place.task
        assert (
            done.json["next_action"] == f"Check the provider: thoughtforge doctor; then: thoughtforge continue {task}"
        )
        assert [e["kind"] for e in place.events("call_failed")] == [kind, kind]
        assert len(server.asked) == 2
        assert place.run("continue", "--json").code == 0
    assert place.run("verify").code == 0


def test_a_provider_that_is_asked_too_often_is_waited_for_and_costs_nothing_meanwhile(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    with ModelServer(Failing(tmp_path, Fail(429), 2)) as server:
        place.serve(server)
        done = place.design("--through", "analyze")
    assert (done.code, [e["kind"] for e in place.events("call_failed")]) == (0, ["rate_limited", "rate_limited"])
    waits = [e["text"] for e in place.events("warning_given") if e["code"] == "waiting"]
    assert waits == ["wire is rate-limited; retrying in 2 s"]
    answered = sum(e["usage"]["input_tokens"] + e["usage"]["output_tokens"] for e in place.events("call_ended"))
    assert done.json["cost"]["tokens"] == answered


SO_FAR = "## your answer so far"


class Cutting:
    """A server whose every answer is cut in the middle; asked for the rest, it gives the rest."""

    def __init__(self, folder: Path) -> None:
        self.good = from_demo(folder)
        self.rest = ""

    def __call__(self, asked: Asked) -> Answer:
        if SO_FAR in asked.user:
            return Say(self.rest, (9, 9))
        answer = self.good(asked)
        assert isinstance(answer, Say)
        at = len(answer.text) // 2
        self.rest = answer.text[at:]
        return Truncated(answer.text[:at], (9, 9))


def test_an_answer_that_is_cut_at_its_limit_is_continued(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    with ModelServer(Cutting(tmp_path)) as server:
        place.serve(server)
        assert place.design("--through", "analyze").code == 0
    assert [SO_FAR in asked.user for asked in server.asked] == [False, True] * (len(server.asked) // 2)
    assert {asked.body["max_tokens"] for asked in server.asked} == {16_384}
    assert [asked.schema is None for asked in server.asked[:2]] == [False, True]
    assert "limit of 16,384 tokens" in server.asked[1].user
    assert [event["cut"] for event in place.events("call_ended")] == [True, False] * (len(server.asked) // 2)
    assert (place.events("call_failed"), place.run("verify").code) == ([], 0)


def test_an_answer_that_never_ends_is_refused_with_the_setting_that_bounds_it(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    begins = '{"extracted_intent": {"primary_goal": "a goal"}, "notes": "'
    with ModelServer(lambda asked: Truncated(f"on and on {'z' * 30} " if SO_FAR in asked.user else begins)) as server:
        place.serve(server, config={"call_output_tokens": 512, "rules": {"repairs": 1}})
        done = place.design()
    assert (done.code, len(place.events("call_ended"))) == (3, 6), done.out
    told = "the answer breaks off before its object ends; one answer holds at most 512 tokens (call_output_tokens)"
    assert any(told in asked.user for asked in server.asked), done.out


def test_an_example_in_front_of_a_cut_answer_is_not_the_answer(tmp_path: Path) -> None:
    place, good = make_place(tmp_path), from_demo(tmp_path)
    begins = 'An intake looks like {"extracted_intent": {"primary_goal": "a goal"}}, and for this request I'

    def answer(asked: Asked) -> Answer:
        return good(asked) if SO_FAR in asked.user else Truncated(begins, (9, 9))

    with ModelServer(answer) as server:
        place.serve(server)
        place.design("--max-steps", "2")
    assert [SO_FAR in asked.user for asked in server.asked] == [False, True]


def test_the_advice_at_a_cut_off_names_the_setting_that_bounds_it(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    with ModelServer(lambda asked: Truncated('{"extracted_intent": {')) as server:
        place.serve(server, max_output_tokens=512, config={"rules": {"repairs": 1}})
        place.design()
    assert {asked.body["max_tokens"] for asked in server.asked} == {512}
    assert any("at most 512 tokens (max_output_tokens)" in asked.user for asked in server.asked)


@pytest.mark.parametrize("answer", [Fail(429), Fail(503), Html(502)], ids=["429", "503", "html"])
def test_one_failure_is_tried_again_and_forgotten(tmp_path: Path, answer: Answer) -> None:
    place = make_place(tmp_path)
    with ModelServer(Failing(tmp_path, answer, 1)) as server:
        place.serve(server)
        assert place.design("--through", "analyze").code == 0
        assert len(server.asked) == 7
    failed = [row for row in place.run("inspect", "--steps", "--json").json["steps"] if row["result"] != "ok"]
    assert [row["step"] for row in failed] == [1]
    assert len(place.events("call_failed")) == 1


def test_a_key_that_is_not_accepted_is_never_tried_twice(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    key = "a-key-nobody-accepts-77"
    with ModelServer(Failing(tmp_path, Fail(401, f"bad key {key}"), 1)) as server:
        place.serve(server, key_env="MY_MODEL_KEY")
        done = place.design("--through", "analyze", MY_MODEL_KEY=key)
        assert (done.code, len(server.asked)) == (1, 1)
        assert "(auth)" in done.json["detail"]
        assert "Put a valid key into the variable MY_MODEL_KEY." in done.json["detail"]
        assert place.run("continue", "--json", MY_MODEL_KEY="another-key-of-no-use").code == 0
    kept = [path for path in place.folder.rglob("*") if path.is_file() and key.encode() in path.read_bytes()]
    assert (kept, key in done.out + done.err) == ([], False)


def test_a_server_that_never_answers_runs_into_the_timeout(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    with ModelServer(lambda asked: Hang()) as server:
        place.serve(server, timeout_seconds=0.5)
        done = place.design()
    assert (done.code, done.json["reason"]) == (1, "provider_failed")
    assert [e["kind"] for e in place.events("call_failed")] == ["timeout", "timeout"]
    assert "Raise timeout_seconds" in done.json["detail"]


def test_a_server_that_is_not_there_is_named(place: Place, tmp_path: Path) -> None:
    with ModelServer([]) as gone:
        url = gone.urls["openai"]
    with ModelServer([]) as server:
        place.serve(server, base_url=url)
        done = place.design()
    assert (done.code, done.json["reason"]) == (1, "provider_failed")
    assert f"the connection to {url} failed" in done.json["detail"]
