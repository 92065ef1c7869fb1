"""The conversation: corrections, going back, messages meanwhile, and actions that do not fit."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from flows.thoughts import INTENT, NOTE, Garden, agreed, built, make_app_at, make_garden, polished
from harness.place import ended, until
from thoughtforge.service.thoughts import Thought, begin


@pytest.fixture
def garden(tmp_path: Path) -> Garden:
    """A fresh place outside any repository."""
    return make_garden(tmp_path)


def intent(title: str, **when: Any) -> dict[str, Any]:
    """The reply with another title."""
    return {
        "when": {"context": ["form of intent", *when.pop("context", [])], **when},
        "reply": {**INTENT, "title": title},
    }


def test_nothing_is_distilled_before_a_person_asks_for_it(garden: Garden) -> None:
    garden.script(*agreed())
    asyncio.run(begin(make_app_at(garden), Thought(text=NOTE, distill=False)))
    assert garden.json("say", "last", "And mint.")["phase"] == "brain_dump"
    assert garden.json("resume", "last")["exit_code"] == 3
    assert garden.events("call_started") == []
    shown = garden.json("distill", "last")
    assert (shown["phase"], shown["exit_code"]) == ("human_review", 3)
    assert "And mint." in garden.contexts("distill")[0]


def test_a_correction_revises_and_shows_the_whole_again(garden: Garden) -> None:
    garden.script(intent("Second", context=["call it Second"]), intent("First"))
    assert garden.begin()["message"].startswith("# First")
    shown = garden.json("say", "last", "call it Second")
    assert (shown["phase"], shown["message"].splitlines()[0]) == ("human_review", "# Second")
    assert "## Changed since the last version\n```diff\n- # First\n+ # Second\n```" in shown["message"]
    assert [m["role"] for m in garden.view("chat_history.json")] == ["human", "ai", "human", "ai"]


def test_realign_puts_aside_what_came_after_the_last_correction(garden: Garden) -> None:
    garden.script(intent("Third"))
    garden.begin()
    garden.json("say", "last", "Use clay pots.")
    garden.json("say", "last", " Realign From Here ")
    context = garden.contexts("distill")[-1]
    assert "Use clay pots." in context
    assert "ealign" not in context.replace("# Third", "")
    texts = [m["content"] for m in garden.view("chat_history.json")]
    assert " Realign From Here " in texts or "Realign From Here" in [text.strip() for text in texts]


def test_realign_without_a_correction_says_so_and_changes_nothing(garden: Garden) -> None:
    garden.script(intent("Only"))
    garden.begin()
    shown = garden.json("say", "last", "realign from here")
    assert shown["message"] == "There is no correction to go back to yet; nothing was changed."
    assert (shown["phase"], len(garden.events("call_started"))) == ("human_review", 1)


def test_a_message_sent_during_a_call_is_kept_and_used_in_the_next_one(garden: Garden) -> None:
    slow = {**intent("Slow", **{"not": "and mint"}), "delay": 3}
    garden.script(slow, intent("With mint"))
    asyncio.run(begin(make_app_at(garden), Thought(text=NOTE)))
    running = garden.spawn("resume", "last", "--json")
    until(lambda: garden.events("call_started"), "the call")
    said = garden.json("say", "last", "and mint")
    assert said["runner"] is not None
    done = ended(running)
    assert done.json["message"].startswith("# With mint")
    assert len(garden.events("call_ended")) == 2


def test_the_chat_starts_afresh_after_a_confirmation_and_the_log_keeps_all(garden: Garden) -> None:
    garden.script(*agreed(), *built(), *polished())
    garden.begin()
    garden.json("confirm", "last")
    assert {m["phase"] for m in garden.view("chat_history.json")} == {"spec_building"}
    garden.json("confirm", "last")
    assert {m["phase"] for m in garden.view("chat_history.json")} == {"polishing"}
    assert {e["phase"] for e in garden.events("said")} == {"distilling", "spec_building", "polishing"}


@pytest.mark.parametrize("action", ["distill", "provide", "override"])
def test_an_action_that_does_not_fit_is_refused_with_where_it_stands(garden: Garden, action: str) -> None:
    garden.script(*agreed())
    garden.begin()
    args = ["x"] if action == "provide" else []
    refused = garden.json(action, "last", *args)
    assert refused["exit_code"] == 2
    assert refused["error"]["what"] == f"{action} does not fit here; task {garden.task} is human_review"


def test_a_terminated_thought_is_over_and_frees_its_slot(garden: Garden) -> None:
    garden.script(*agreed(), concurrency={"max_parallel_runs": 1})
    garden.begin()
    first = garden.task
    with pytest.raises(Exception, match="1/1"):
        garden.begin()
    assert garden.json("terminate", "last", "--yes")["halt_reason"] == "human_terminated"
    for action in ("resume", "confirm", "terminate", "override"):
        assert garden.run(action, first).code == 2
    garden.begin()


def test_intent_and_words_of_a_person_never_advance_anything(garden: Garden) -> None:
    garden.script(intent("Still"))
    garden.begin()
    for words in ("confirm", "Confirmed!", "distill", "yes, go on", "/confirm"):
        assert garden.json("say", "last", words)["phase"] == "human_review"


def test_words_are_counted_also_where_none_are_set_apart(garden: Garden) -> None:
    garden.script(*agreed())
    assert garden.begin("我想要一个阳台花园的计划。")["phase"] == "human_review"
