"""How agents were kept is in the report: behind walls or not, and which hosts they reached."""

from __future__ import annotations

from pathlib import Path

from agents.played import KEY, played
from harness import PLAYBOOK, REQUEST, configure
from harness.place import from_demo, make_place
from model_server import ModelServer
from thoughtforge.agent.calls import KEPT, isolation_report, record_isolation
from thoughtforge.agent.run import Agent
from thoughtforge.agent_runtime.cage import NO_WALLS
from thoughtforge.calls.port import Capabilities
from unit.agent.at_work import GREEN, Place, at_work

ANSWERS = """
status, answer = model(PROMPT)
ANSWER = json.loads(answer)["choices"][0]["message"]["content"]
"""
REACHED = "it reached auth.example for its login; the engine did not read that traffic"


def test_the_report_says_that_an_agent_was_kept_in_a_cage(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    with ModelServer(from_demo(tmp_path)) as server:
        providers = {
            "script": {"kind": "scripted", "playbook": str(PLAYBOOK)},
            "agent": played(place, server, ANSWERS, worker=False),
        }
        configure(place.repository, providers=providers, roles={"business_analyst": {"provider": "agent"}})
        done = place.run("start", REQUEST, "--json", timeout=300, **{KEY: "the-real-key"})
    assert (done.code, done.json["state"]) == (0, "done"), done.out
    report = place.folder / "report.md"
    assert f"## Agents\n\n- agent: {KEPT}\n" in report.read_text()


class Kept:
    """A model that runs in a cage."""

    capabilities = Capabilities(program=True)


class Plain:
    """A model behind an endpoint."""

    capabilities = Capabilities()


def test_everything_that_was_known_of_an_agent_is_told_once() -> None:
    walls = NO_WALLS.format(program="codex", note="no bubblewrap here")

    async def told(place: Place) -> tuple[list[str], int]:
        caged, plain = Agent(None, "codex", Kept()), Agent(None, "wire", Plain())  # type: ignore[arg-type]
        before = place.run.record.journal.state.seq
        for notes in ((), (REACHED,), (), (walls,), (REACHED, walls)):
            record_isolation(place.run, caged, notes)
        record_isolation(place.run, plain, ())
        return list(isolation_report(place.run.record.journal.state)), place.run.record.journal.state.seq - before

    assert at_work(told, GREEN) == ([f"codex: {KEPT}", f"codex: {REACHED}", f"codex: {walls}"], 3)
