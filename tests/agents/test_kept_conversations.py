"""A change plan forged by agents that keep a conversation: each goes on in its own from round to round."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.scripts import Agent, from_rules, ours
from agents.workers import APIS, KEY, entry
from flows.forge_runs import AUDITS, DRAFTS, REVISES, WISH, forging, make_plans
from harness import configure
from harness.place import Place
from model_server import Answer, Asked, ModelServer, Say
from model_server.playbooks import from_playbook
from thoughtforge.providers.scripted import load


class Script:
    """What the model says of the usual plan: research with our tools, then answers without."""

    def __init__(self, place: Place) -> None:
        self._acts = Agent(from_rules([forging()["research"]]))
        self._answers = from_playbook(load(place.person / "playbook.yaml"))
        self.answered: list[Asked] = []

    def __call__(self, asked: Asked) -> Answer:
        if any(map(ours, asked.tools)) or asked.system.startswith("You are a title generator"):
            return self._acts(asked)
        self.answered.append(asked)
        answer = self._answers(asked)
        return replace(answer, usage=(300 + len(self.answered), 20)) if isinstance(answer, Say) else answer


def calls(place: Place) -> list[tuple[str, str, str]]:
    """The conversation of each answer, the session it continued and the one it left."""
    left = {e["call"]: e["session"] for e in place.events("call_ended")}
    started = [e for e in place.events("call_started") if e["conversation"]]
    return [(e["conversation"], e["session"], left[e["call"]]) for e in started]


def warnings(place: Place) -> list[str]:
    return [e["text"] for e in place.events("warning_given") if e["code"] == "conversation"]


@pytest.mark.parametrize("name", sorted(APIS))
def test_drafter_and_auditor_go_on_in_their_conversations_and_a_restart_begins_new_ones(
    name: str, tmp_path: Path, programs: Path
) -> None:
    place = make_plans(tmp_path)
    script = Script(place)
    with ModelServer(script) as server:
        configure(place.repository, providers={"agent": entry(name, server, keep_conversation=True)})
        done = place.run("forge", WISH, "--json", timeout=300, **{KEY: "a-key"})
        assert (done.code, done.json["status"]) == (3, "REVIEW"), done.out + done.err
        draft, audit, revision, second = script.answered
        again = place.run("forge", "plan-001", timeout=300, **{KEY: "a-key"})
        assert again.code == 3, again.out + again.err
    order = (DRAFTS, AUDITS, REVISES, AUDITS, AUDITS)
    assert [words in one.system for words, one in zip(order, script.answered, strict=True)] == [True] * 5
    assert revision.user.startswith(draft.user)
    assert second.user.startswith(audit.user)
    assert not audit.user.startswith(draft.user)
    assert not script.answered[4].user.startswith(audit.user)
    told = calls(place)
    drafter, auditor, third = told[0][2], told[1][2], told[4][2]
    assert told == [
        ("drafter", "", drafter),
        ("auditor", "", auditor),
        ("drafter", drafter, drafter),
        ("auditor", auditor, auditor),
        ("auditor", "", third),
    ]
    assert len({drafter, auditor, third, ""}) == 4
    anew = "the conversation of the auditor with agent begins anew: the process that kept it has ended"
    assert (warnings(place), f"! {anew}" in again.out + again.err) == ([anew], True)
    assert used(place) == (server.input_tokens, server.output_tokens)


def test_without_the_setting_an_agent_keeps_nothing(tmp_path: Path, programs: Path) -> None:
    place = make_plans(tmp_path)
    script = Script(place)
    with ModelServer(script) as server:
        configure(place.repository, providers={"agent": entry("codex", server)})
        done = place.run("forge", WISH, "--json", timeout=300, **{KEY: "a-key"})
    assert (done.code, done.json["status"]) == (3, "REVIEW"), done.out + done.err
    draft, _, revision, _ = script.answered
    assert draft.user not in revision.user
    assert calls(place) == []
    assert {e["session"] for kind in ("call_started", "call_ended") for e in place.events(kind)} == {""}
    assert [home.name for home in place.home.glob("homes/*")] == ["plan-001-plan-drafter-agent"]


def used(place: Place) -> tuple[int, int]:
    """What the record says that all calls used."""
    ends: list[dict[str, Any]] = [e["usage"] for e in place.events("call_ended")]
    return sum(c["input_tokens"] for c in ends), sum(c["output_tokens"] for c in ends)
