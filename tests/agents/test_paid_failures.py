"""An agent asked for one answer that fails after its model was paid: the record has what the server handed out."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

from agents.played import KEY, played
from harness import REQUEST, Done, configure
from harness.place import Place, make_place
from model_server import Answer, Asked, Fail, ModelServer, Say

TWICE = """
model()
status, answer = model()
ERROR = f"API error {status}: the model said no"
"""


def design(place: Place, server: ModelServer, play: str) -> Done:
    """The usual specification, with a played agent in every role."""
    configure(place.repository, providers={"agent": played(place, server, play)}, rate_limit_seconds=1)
    return place.run("design", REQUEST, "--json", timeout=200, **{KEY: "the-real-key"})


@pytest.mark.parametrize(("status", "calls"), [(429, 2), (400, 1)])
def test_what_the_server_handed_out_before_a_failure_is_on_record(tmp_path: Path, status: int, calls: int) -> None:
    place, number = make_place(tmp_path), count()

    def script(asked: Asked) -> Answer:
        return Fail(status) if next(number) % 2 else Say("I would rather talk.", (50_000, 3_000))

    with ModelServer(script) as server:
        done = design(place, server, TWICE)
    failed = place.events("call_failed")
    assert (done.code, done.json["reason"], len(failed)) == (1, "provider_failed", calls)
    assert sum(e["usage"]["input_tokens"] for e in failed) == server.input_tokens == 50_000 * calls
    assert sum(e["usage"]["output_tokens"] for e in failed) == server.output_tokens
    cost = done.json["cost"]
    assert (cost["tokens"], cost["usd"]) == (53_000 * calls, pytest.approx(0.053 * calls))


def test_an_agent_that_repeats_a_rate_limited_request_is_waited_for(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    with ModelServer(lambda asked: Fail(429)) as server:
        done = design(place, server, "while True: model()")
    assert (done.code, done.json["cost"]["tokens"], done.json["cost"]["usd"]) == (1, 0, 0.0)
    assert [e["kind"] for e in place.events("call_failed")] == ["rate_limited", "rate_limited"]
    assert len(server.asked) == 4
