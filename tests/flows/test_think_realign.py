"""Going back in a conversation: what there is to go back to, and what is said when there is nothing."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from flows.thoughts import INTENT, NOTE, Garden, agreed, make_app_at, make_garden
from harness.place import ended, until
from thoughtforge.service.thoughts import Thought, begin

NOTHING = "There is no correction to go back to yet; everything said so far is kept."


@pytest.fixture
def garden(tmp_path: Path) -> Garden:
    """A fresh place outside any repository."""
    return make_garden(tmp_path)


def test_a_realign_while_everything_is_being_said_is_answered_and_told_to_no_agent(garden: Garden) -> None:
    garden.script(*agreed())
    asyncio.run(begin(make_app_at(garden), Thought(text=NOTE, distill=False)))
    for _ in range(2):
        shown = garden.json("say", "last", " Realign from HERE\n")
        assert (shown["phase"], shown["message"], shown["exit_code"]) == ("brain_dump", NOTHING, 3)
    assert [m["content"] for m in garden.view("chat_history.json")][2] == NOTHING
    assert garden.json("distill", "last")["phase"] == "human_review"
    (context,) = garden.contexts("distill")
    assert (NOTE in context, "ealign" in context, NOTHING in context) == (True, False, False)


def test_a_realign_goes_back_to_what_was_said_while_the_first_distillation_ran(garden: Garden) -> None:
    slow = {"when": {"context": "form of intent"}, "reply": {**INTENT, "title": "Slow"}, "delay": 3, "times": 1}
    garden.script(slow, *agreed())
    asyncio.run(begin(make_app_at(garden), Thought(text=NOTE)))
    running = garden.spawn("resume", "last", "--json")
    until(lambda: garden.events("call_started"), "the call")
    garden.json("say", "last", "Basil only.")
    assert ended(running).json["phase"] == "human_review"
    garden.json("say", "last", "realign from here")
    told = [line for line in garden.contexts("distill")[-1].splitlines() if line.startswith(("ai: ", "human: "))]
    assert told == ["human: Basil only."]


def test_a_realign_said_while_the_first_distillation_runs_keeps_that_distillation(garden: Garden) -> None:
    slow = {"when": {"context": "form of intent"}, "reply": {**INTENT, "title": "Slow"}, "delay": 3, "times": 1}
    garden.script(slow, *agreed())
    asyncio.run(begin(make_app_at(garden), Thought(text=NOTE)))
    running = garden.spawn("resume", "last", "--json")
    until(lambda: garden.events("call_started"), "the call")
    garden.json("say", "last", "realign from here")
    shown = ended(running).json
    assert (shown["phase"], len(garden.contexts("distill"))) == ("human_review", 1)
    assert shown["message"] == "There is no correction to go back to yet; nothing was changed."
