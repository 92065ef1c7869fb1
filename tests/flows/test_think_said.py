"""What a person says while a thought is built or polished reaches the next request and every later one it concerns."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from flows.test_think_material import form_of, serve
from flows.thoughts import FINDING, Garden, Rule, agreed, built, fixed, make_garden, polished, review, section
from harness.place import ended, until
from model_server import Asked, ModelServer
from model_server.playbooks import from_playbook
from thoughtforge.providers.scripted import load

WORDS = "Anne only has white paint."
HEADING = "### what the person said since they confirmed the proposal"


@pytest.fixture
def garden(tmp_path: Path) -> Garden:
    """A fresh place outside any repository."""
    return make_garden(tmp_path)


@contextmanager
def served(garden: Garden, *rules: Rule) -> Iterator[list[Asked]]:
    """A model on loopback that answers by these rules; every request it got."""
    script = garden.folder / "served.yaml"
    script.write_text(json.dumps({"rules": [*rules]}))
    with ModelServer(from_playbook(load(script))) as server:
        serve(garden, server)
        yield server.asked


def later(asked: Sequence[Asked], after: str) -> list[Asked]:
    """The requests after the first one that holds this."""
    first = next(number for number, one in enumerate(asked) if after in one.user)
    return [*asked[first + 1 :]]


def told(asked: Asked) -> str:
    """What stands under the heading for what the person said."""
    return asked.user.partition(HEADING)[2].partition("\n### ")[0]


def say_during(garden: Garden, asked: Sequence[Asked], shown: str, words: str) -> dict[str, object]:
    """Begin a thought and say something while the request that holds this is under way; how it ended."""
    running = garden.spawn("think", garden.note(), "--yes", "--json")
    until(lambda: any(shown in one.user for one in asked), "the request")
    assert garden.json("say", "last", words)["runner"] is not None
    found: dict[str, object] = ended(running).json
    return found


def test_words_said_during_the_first_section_reach_every_later_request(garden: Garden) -> None:
    with served(garden, *agreed(), section("aim", delay=9), *built(), *polished()) as asked:
        done = say_during(garden, asked, "- aim_objective:", WORDS)
    assert done["phase"] == "done"
    after = later(asked, "- aim_objective:")
    assert {form_of(one) for one in after} == {"plan_section", "plan_review", "recheck", "plan_fix"}
    assert [form_of(one) for one in after if WORDS not in told(one)] == []


def test_words_said_during_a_review_become_a_point_of_the_person(garden: Garden) -> None:
    slow = {"when": {"context": "form of plan_review"}, "reply": review(), "delay": 9, "times": 1}
    rest = [
        {"when": {"context": "form of plan_review"}, "reply": review()},
        {"when": {"context": "form of plan_fix"}, "reply": fixed(steps_plan="Anne paints it white.")},
        {"when": {"context": "form of recheck"}, "reply": {"fixed": ["F-001"], "still": []}},
    ]
    with served(garden, *agreed(), *built(), slow, *rest) as asked:
        done = say_during(garden, asked, "form of plan_review", WORDS)
    assert done["phase"] == "done"
    (fixing,) = [one for one in asked if form_of(one) == "plan_fix"]
    assert f"- F-001 (medium): {WORDS}" in fixing.user
    assert "Anne paints it white." in garden.doc("plan.md")


def test_words_said_during_a_fix_are_taken_up_by_the_review_after_it(garden: Garden) -> None:
    rules = [{**one, "delay": 9} if "plan_fix" in str(one["when"]) else one for one in polished()]
    later_fix = {"when": {"context": ["form of plan_fix", "F-002"]}, "reply": fixed(steps_plan="Anne paints it white.")}
    closed = {"when": {"context": ["form of recheck", "F-002"]}, "reply": {"fixed": ["F-002"], "still": []}}
    with served(garden, *agreed(), *built(), later_fix, closed, *rules) as asked:
        done = say_during(garden, asked, "form of plan_fix", WORDS)
    assert done["phase"] == "done"
    assert [form_of(one) for one in later(asked, "form of plan_fix") if WORDS not in told(one)] == []
    assert "Anne paints it white." in garden.doc("plan.md")


def test_words_said_at_a_halt_reach_the_fixer_after_resume(garden: Garden) -> None:
    critical = {**FINDING, "severity": "critical"}
    rules = [
        {"when": {"context": ["form of plan_fix", WORDS]}, "reply": fixed(steps_plan="Anne paints it white.")},
        {"when": {"context": "form of plan_fix"}, "reply": {"sections": []}},
        {"when": {"context": "form of plan_review", "not": "paints it white"}, "reply": review(critical)},
        {"when": {"context": "form of plan_review"}, "reply": review()},
        {
            "when": {"context": ["form of recheck", "paints it white"]},
            "reply": {"fixed": ["F-001", "F-002"], "still": []},
        },
        {"when": {"context": "form of recheck"}, "reply": {"fixed": [], "still": ["F-001"]}},
    ]
    with served(garden, *agreed(), *built(), *rules) as asked:
        assert garden.json("think", garden.note(), "--yes")["phase"] == "halted"
        garden.json("say", "last", WORDS)
        before = len(asked)
        assert garden.json("resume", "last")["phase"] == "done"
        assert form_of(asked[before]) == "plan_fix"
        assert [form_of(one) for one in asked[before:] if WORDS not in told(one)] == []


def test_an_answer_travels_with_the_question_it_answers(garden: Garden) -> None:
    stuck = {"stuck": True, "reason": "Who buys the soil?", "content": {}}
    asks = {"when": {"context": "- aim_objective:", "not": "Bo buys it"}, "reply": stuck}
    with served(garden, *agreed(), asks, *built(), *polished()) as asked:
        assert garden.json("think", garden.note(), "--yes")["halt_reason"] == "stuck"
        before = len(asked)
        assert garden.json("provide", "last", "Bo buys it")["phase"] == "done"
    line = "asked “Aim: Who buys the soil?”, they answered: Bo buys it"
    assert [form_of(one) for one in asked[before:] if line not in told(one)] == []
