"""One budget for the whole task, whoever answers: over three providers and many interruptions it is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.scripts import Agent, demo
from agents.test_deliveries import used
from agents.workers import KEY, PRICE, entry
from harness import PLAYBOOK, REQUEST, configure
from harness.place import Place, make_place
from model_server import ModelServer
from model_server.playbooks import from_playbook
from thoughtforge.providers.scripted import load

STOPS = 10
"""How often the task is interrupted."""
ROLES = {
    "business_analyst": {"provider": "codex"},
    "software_architect": {"provider": "claude"},
    "test_engineer": {"provider": "codex"},
    "software_developer": {"provider": "claude"},
}


def three(place: Place, server: ModelServer, **limits: object) -> None:
    """Three providers for one task."""
    wire = {"kind": "http", "base_url": server.urls["openai"], "model": "m", "price": PRICE}
    agents = {"codex": entry("codex", server), "claude": entry("claude", server)}
    configure(place.repository, providers={"wire": wire, **agents}, roles=ROLES, limits=limits)


def test_interrupted_ten_times_it_ends_with_every_token_counted(
    tmp_path: Path, programs: Path, record_property: pytest.FixtureRequest
) -> None:
    place = make_place(tmp_path)
    with ModelServer(Agent(demo(), from_playbook(load(PLAYBOOK)))) as server:
        three(place, server)
        done = place.run("start", REQUEST, "--json", "--max-steps", "1", timeout=300, **{KEY: "a-key"})
        for stop in range(1, STOPS + 1):
            assert (done.code, done.json["reason"]) == (4, "budget_steps"), done.err
            done = place.run("continue", "--json", "--max-steps", str(1 + 2 * stop), timeout=300, **{KEY: "a-key"})
        if done.code == 4:
            done = place.run("continue", "--json", "--max-steps", "100", timeout=300, **{KEY: "a-key"})
    assert (done.code, done.json["state"]) == (0, "done"), done.err
    assert {e["provider"] for e in place.events("call_started")} == {"wire", "codex", "claude"}
    assert used(place) == (server.input_tokens, server.output_tokens)
    print(f"\nhanded out {server.input_tokens + server.output_tokens} tokens, counted {sum(used(place))}")


@pytest.mark.parametrize("tokens", [9_000, 30_000])
def test_a_cap_is_never_passed_by_more_than_one_request(tmp_path: Path, programs: Path, tokens: int) -> None:
    place = make_place(tmp_path)
    with ModelServer(Agent(demo(), from_playbook(load(PLAYBOOK)))) as server:
        three(place, server, tokens=tokens)
        done = place.run("start", REQUEST, "--json", timeout=300, **{KEY: "a-key"})
        again = place.run("continue", "--json", timeout=300, **{KEY: "a-key"})
    assert (done.code, done.json["reason"], again.code) == (4, "budget_tokens", 4)
    handed_out = server.input_tokens + server.output_tokens
    print(f"\ncap {tokens}, handed out {handed_out}, counted {done.json['cost']['tokens']}")
    assert handed_out <= tokens
    assert done.json["cost"]["tokens"] <= tokens
