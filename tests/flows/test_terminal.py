"""A person at a terminal: a whole thought in one conversation, questions before what cannot be undone, Ctrl-C."""

from __future__ import annotations

import signal
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from flows.thoughts import FINDING, INTENT, Garden, agreed, built, make_garden, polished, review
from harness import REQUEST
from harness.place import Place, until
from harness.terminal import CTRL_C, CTRL_D, Terminal, terminal

CONVERSATION = ["Herb garden", "Balcony herbs"]


@pytest.fixture
def garden(tmp_path: Path) -> Garden:
    """A fresh place outside any repository."""
    return make_garden(tmp_path)


def at(garden: Garden, *args: str) -> AbstractContextManager[Terminal]:
    """The command on a terminal of the garden's person."""
    return terminal(*args, cwd=garden.folder, home=garden.person)


def test_a_thought_from_the_dump_to_the_plan_in_one_conversation(garden: Garden) -> None:
    renamed = {"when": {"context": ["form of intent", "call it"]}, "reply": {**INTENT, "title": "Balcony herbs"}}
    garden.script(renamed, *agreed(), *built(), *polished())
    with at(garden, "think") as person:
        person.expect("you> ")
        person.type("I want a plan for a small herb garden on the balcony.\n")
        person.expect("you> ")
        person.type("/distill\n")
        person.expect("# Herb garden")
        person.expect("you> ")
        person.type("call it Balcony herbs\n")
        person.expect("# Balcony herbs")
        person.expect("you> ")
        person.type("/nonsense\n")
        person.expect("there is no action /nonsense")
        for _ in range(2):
            person.expect("you> ")
            person.type("/confirm\n")
        person.expect(": done")
        assert person.ended() == 0
    assert (garden.project / "docs" / "plan.md").is_file()
    said = [event["text"] for event in garden.events("said") if event["role"] == "human"]
    assert said[-1] == "call it Balcony herbs"
    assert garden.doc("intent.md").startswith("# Balcony herbs")


def test_what_is_typed_ahead_is_said_and_confirms_nothing(garden: Garden) -> None:
    minted = {"when": {"context": ["form of intent", "and mint"]}, "reply": {**INTENT, "title": "Balcony herbs"}}
    first, proposal = agreed()
    garden.script(minted, {**first, "delay": 5}, proposal)
    with at(garden, "think", garden.note()) as person:
        person.expect("task ")
        until(lambda: garden.events("call_started"), "the first call")
        person.type("/confirm\nand mint\n")
        person.expect("/confirm was typed before you saw this and counts for nothing; type it again")
        person.expect("# Balcony herbs")
        person.expect("you> ")
        assert garden.events("decision_made") == []
        person.type("/confirm\n")
        person.expect("# Proposal")
        person.expect("you> ")
        person.type("/quit\n")
        person.ended()
    assert [one["stage"] for one in garden.events("decision_made")] == ["distill"]


def test_chat_shows_what_was_said_and_leaves_the_thought_as_it_is(garden: Garden) -> None:
    garden.script(*agreed())
    garden.begin()
    before = garden.events()
    with at(garden, "chat", "last") as person:
        person.expect("human: I want a plan for a small herb garden")
        person.expect("ai: # Herb garden")
        person.expect("you> ")
        person.type(CTRL_D)
        assert person.ended() == 3
    assert garden.events() == before


def test_the_end_is_asked_about_once_more(garden: Garden) -> None:
    garden.script(*agreed())
    garden.begin()
    with at(garden, "chat", "last") as person:
        for answer, then in (("n", "human_review"), ("y", "human_terminated")):
            person.expect("you> ")
            person.type("/terminate\n")
            person.expect(f"terminate {garden.task}? [y/N]: ")
            person.type(f"{answer}\n")
            person.expect(then)
        assert person.ended() == 1


@pytest.mark.parametrize(("action", "answer", "phase"), [("override", "n", "halted"), ("override", "y", "done")])
def test_accepting_what_is_open_is_asked_about_once_more(garden: Garden, action: str, answer: str, phase: str) -> None:
    worse = {"when": {"context": "form of plan_review"}, "reply": review({**FINDING, "severity": "critical"})}
    still = {"when": {"context": "form of recheck"}, "reply": {"fixed": [], "still": ["F-001"]}}
    garden.script(*agreed(), *built(), worse, still, polished()[1])
    assert garden.json("think", garden.note())["phase"] == "halted"
    with at(garden, action, "last") as person:
        person.expect(f"{action} {garden.task}? [y/N]: ")
        person.type(f"{answer}\n")
        person.ended()
    assert garden.json("chat", "last")["phase"] == phase


def test_provide_and_resume_are_not_asked_about(garden: Garden) -> None:
    stuck = {
        "when": {"context": "- aim_objective:", "not": "Sun, all day"},
        "reply": {"stuck": True, "reason": "Sun or shade?", "content": {}},
    }
    garden.script(*agreed(), stuck, *built(), *polished())
    assert garden.json("think", garden.note())["halt_reason"] == "stuck"
    with at(garden, "provide", "last", "Sun, all day.") as person:
        person.expect(": done")
        assert person.ended() == 0
        assert "[y/N]" not in person.seen


def test_every_action_of_an_agent_is_asked_about_when_a_person_wants_that(place: Place) -> None:
    with terminal("design", REQUEST, "--interactive", cwd=place.repository, home=place.person) as person:
        person.expect("The agent wants to use write(contract=intake_record)")
        person.expect("Allow, deny or stop (a, d, s) [a]: ")
        person.type("\n")
        person.expect("The agent wants to use search_codebase(")
        person.expect("Allow, deny or stop (a, d, s) [a]: ")
        person.type("d\n")
        person.expect("Why [not wanted]: ")
        person.type("look at the README instead\n")
        person.expect("The agent wants to use ")
        person.expect("Allow, deny or stop (a, d, s) [a]: ")
        person.type("s\n")
        assert person.ended() == 3
    taken = place.events("action_taken")
    assert [(e["tool"], e["outcome"]) for e in taken][0] == ("search_codebase", "denied")
    assert "look at the README instead" in taken[0]["summary"]
    assert place.run("status", "last", "--json").json["reason"] == "paused"


def test_the_first_ctrl_c_lets_the_call_finish_and_the_second_ends_at_once(garden: Garden) -> None:
    slow = [{**rule, "delay": 3} for rule in agreed()]
    garden.script(*slow)
    with at(garden, "think", garden.note()) as person:
        until(lambda: _calls(garden), "the call")
        person.type(CTRL_C)
        person.expect("it stops after the running call; press Ctrl-C again to end it at once")
        assert person.ended() == 128 + signal.SIGINT
    assert [len(garden.events(kind)) for kind in ("call_started", "call_ended")] == [1, 1]
    garden.script(*[{**rule, "delay": 60} for rule in agreed()])
    garden.json("say", "last", "and mint")
    with at(garden, "resume", "last") as person:
        until(lambda: len(_calls(garden)) == 2, "the second call")
        person.type(CTRL_C)
        person.expect("press Ctrl-C again to end it at once")
        person.type(CTRL_C)
        assert person.ended() == 128 + signal.SIGINT
    garden.script(*agreed())
    assert garden.json("resume", "last")["phase"] == "human_review"


def _calls(garden: Garden) -> list[str]:
    try:
        return [event["call"] for event in garden.events("call_started")]
    except (ValueError, FileNotFoundError):
        return []
