"""The demonstration's whole task, from one sentence to a verified branch, by each real agent in its cage."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agents.scripts import Agent, demo
from agents.workers import APIS, KEY, entry
from harness import PLAYBOOK, REQUEST, configure, git
from harness.place import Place, make_place
from model_server import ModelServer
from model_server.playbooks import from_playbook
from thoughtforge.providers.scripted import load

Exits = dict[str, list[tuple[str, str]]]


def exits(place: Place) -> Exits:
    """The conditions of every stage's exit as they were measured at last."""
    last = {e["stage"]: e["criteria"] for e in place.events("measured") if e["what"] == "exit"}
    return {stage: [(c["name"], c["outcome"]) for c in criteria] for stage, criteria in last.items()}


@pytest.fixture(scope="module")
def scripted(tmp_path_factory: pytest.TempPathFactory) -> Exits:
    """The exits of the same task without any agent."""
    place = make_place(tmp_path_factory.mktemp("scripted"))
    assert place.run("start", REQUEST, "--json", timeout=300).code == 0
    return exits(place)


@pytest.mark.parametrize("name", sorted(APIS))
def test_it_is_delivered_with_the_same_exits(name: str, tmp_path: Path, programs: Path, scripted: Exits) -> None:
    place = make_place(tmp_path)
    agent = Agent(demo(), from_playbook(load(PLAYBOOK)))
    with ModelServer(agent) as server:
        configure(place.repository, providers={"agent": entry(name, server)})
        done = place.run("start", REQUEST, "--json", timeout=600, **{KEY: "a-key"})
    assert (done.code, done.json["state"]) == (0, "done"), done.err
    assert exits(place) == scripted
    assert git("rev-parse", "--verify", done.json["branch"], cwd=place.repository).strip()
    turns = [e for e in place.events("measured") if e["what"] == "turn"]
    assert {e["stage"] for e in turns} == {"clarify", "analyze", "red", "green", "refactor", "deliver"}
    assert {(e["outcome"], e["facts"]["strays"]) for e in turns} == {("pass", 0)}
    refused = [e for e in place.events("action_taken") if e["outcome"] == "refused"]
    assert [e["params"]["path"] for e in refused] == ["tests/test_json_report.py"]
    assert place.run("verify").code == 0
    assert used(place) == (server.input_tokens, server.output_tokens)


def used(place: Place) -> tuple[int, int]:
    """What the record says that all calls used."""
    calls: list[dict[str, Any]] = [e["usage"] for e in place.events("call_ended")]
    return sum(c["input_tokens"] for c in calls), sum(c["output_tokens"] for c in calls)
