"""The gates of a thought have one door each: what can be done is named everywhere alike, and nothing goes round it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from doubles import Said, Server
from flows.test_think_again import polished as steady
from flows.thoughts import (
    FINDING,
    INTENT,
    PROPOSAL,
    Garden,
    Rule,
    agreed,
    built,
    fixed,
    make_app_at,
    make_garden,
    polished,
    review,
)
from thoughtforge.service.messages import halt_abandoned
from thoughtforge.service.thoughts import Thought, begin

UNSETTLED = {
    **PROPOSAL,
    "resolved": PROPOSAL["resolved"][:1],
    "open": [{"id": "Q-1", "question": "Which herbs?"}],
    "criteria": [],
}
AGAIN = {"when": {"context": "form of plan_review"}, "reply": review({**FINDING, "severity": "critical"})}
FIX = {"when": {"context": "form of plan_fix"}, "reply": fixed(steps_plan="Ann waters them.")}
STILL = {"when": {"context": "form of recheck"}, "reply": {"fixed": [], "still": ["F-001"]}}


@pytest.fixture
def garden(tmp_path: Path) -> Garden:
    """A fresh place outside any repository."""
    return make_garden(tmp_path)


@contextmanager
def posted() -> Iterator[tuple[list[dict[str, str]], dict[str, Any]]]:
    """What a webhook is told, and the settings that lead there."""
    told: list[dict[str, str]] = []
    with Server(lambda asked: (told.append(asked.json), Said(200, {}))[1]) as server:
        yield told, {"channels": {"mine": {"kind": "webhook", "url": server.url}}}


@pytest.mark.parametrize("command", [("approve", "last"), ("confirm", "last"), ("approve", "last", "--exit")])
def test_no_command_confirms_a_proposal_with_open_points(garden: Garden, command: tuple[str, ...]) -> None:
    garden.script(*agreed(proposal=UNSETTLED), *built(), *polished())
    garden.begin()
    garden.json("confirm", "last")
    before = garden.events()
    refused = garden.json(*command)
    assert refused["exit_code"] == 2
    assert refused["error"]["what"] == "you cannot confirm the proposal yet: 2 points open"
    leave = f"thoughtforge {command[0]} {garden.task} --leave-open"
    assert refused["error"]["do"] == (
        f'Answer: thoughtforge say {garden.task} "Q-1: ANSWER"; or leave them open on purpose: {leave}'
    )
    assert garden.events() == before


DOUBTFUL = {
    **PROPOSAL,
    "challenges": [
        {"id": "C-1", "area": "scope", "concern": "Two days are free.", "reasoning": "Both fit.", "resolution": ""}
    ],
    "open": [{"id": "C-1", "question": "Which Saturdays?"}],
}
FORMS = ("plan_section", "plan_review", "recheck", "plan_fix")


def in_talk(garden: Garden, *more: Rule) -> None:
    """A thought whose proposal asks the person something."""
    garden.script(*more, *agreed(proposal=DOUBTFUL), *built(), *polished())
    garden.begin()
    garden.json("confirm", "last")


def test_a_question_to_the_person_is_not_confirmed_away(garden: Garden) -> None:
    in_talk(garden)
    refused = garden.json("confirm", "last")
    assert (refused["exit_code"], refused["error"]["details"]) == (2, ["C-1: Which Saturdays?"])


def test_what_is_left_open_on_purpose_reaches_every_later_role(garden: Garden) -> None:
    in_talk(garden)
    done = garden.json("confirm", "last", "--leave-open")
    assert (done["phase"], done["exit_code"]) == ("done", 3)
    for name in ("spec.md", "constraints.md"):
        assert "## Left Open" in garden.doc(name)
        assert "- **C-1** Which Saturdays?" in garden.doc(name)
    later = [text for text in garden.contexts() if any(f"form of {form}" in text for form in FORMS)]
    assert len(later) > len(FORMS)
    # a recheck asks about points by their ids and holds no constraints
    assert [text for text in later if "form of recheck" not in text and "**C-1** Which Saturdays?" not in text] == []


def test_an_answer_by_id_closes_a_question_the_proposer_leaves_as_it_was(garden: Garden) -> None:
    in_talk(garden)
    shown = garden.json("say", "last", "C-1: build on 13 and 20 March")
    assert (shown["phase"], shown["questions"]) == ("spec_building", [])
    assert garden.json("confirm", "last")["phase"] == "done"
    assert "Resolution: build on 13 and 20 March" in garden.doc("spec.md")


def test_a_question_that_asks_back_stays_open(garden: Garden) -> None:
    back = {**DOUBTFUL, "open": [{"id": "C-1", "question": "The 13th or the 20th?"}]}
    again = {"when": {"context": ["form of proposal", "C-1: whichever"]}, "reply": back}
    in_talk(garden, again)
    shown = garden.json("say", "last", "C-1: whichever")
    assert [one["text"] for one in shown["questions"]] == ["The 13th or the 20th?"]
    assert garden.json("confirm", "last")["exit_code"] == 2


def test_an_answer_after_done_closes_the_question_and_travels_with_it(garden: Garden) -> None:
    answer, dated = "C-1: build on 13 and 20 March", fixed(steps_plan="Ann waters them, on 13 and 20 March.")
    taken = [
        {"when": {"context": ["form of plan_fix", "13 and 20"]}, "reply": dated},
        {"when": {"context": ["form of recheck", "13 and 20"]}, "reply": {"fixed": ["F-002"], "still": []}},
    ]
    in_talk(garden, *taken, *steady())
    garden.json("confirm", "last", "--leave-open")
    again = garden.json("say", "last", answer)
    assert (again["phase"], again["exit_code"], again["questions"]) == ("done", 0, [])
    (fixing,) = [text for text in garden.contexts() if "form of plan_fix" in text and "13 and 20" in text]
    assert "C-1 (“Which Saturdays?”): build on 13 and 20 March" in fixing


@pytest.mark.parametrize("command", ["say", "feedback", "hint", "reject"])
def test_words_at_a_gate_ask_for_changes_by_any_command(garden: Garden, command: str) -> None:
    renamed = {"when": {"context": ["form of intent", "call it"]}, "reply": {**INTENT, "title": "Balcony herbs"}}
    garden.script(renamed, *agreed())
    garden.begin()
    assert garden.json(command, "last", "ok, looks good, but call it Balcony herbs")["exit_code"] in (0, 3)
    shown = garden.json("resume", "last")
    assert (shown["phase"], shown["message"].splitlines()[0]) == ("human_review", "# Balcony herbs")
    assert garden.events("decision_made") == []


def test_approve_records_what_confirm_records_and_continues_only_when_asked(garden: Garden) -> None:
    garden.script(*agreed(), *built(), *polished())
    garden.begin()
    approved = garden.json("approve", "last")
    assert (approved["exit_code"], approved["what"]) == (0, "approved")
    assert approved["next_action"] == f"Continue: thoughtforge continue {garden.task}"
    assert garden.json("continue", "last")["phase"] == "spec_building"
    assert garden.json("confirm", "last")["phase"] == "done"
    assert [event["decision"] for event in garden.events("decision_made")] == ["approve", "approve"]


def test_a_later_end_is_no_way_round_a_confirmation_either(garden: Garden) -> None:
    garden.script(*agreed(proposal=UNSETTLED), *built(), *polished())
    garden.begin()
    garden.json("confirm", "last")
    refused = garden.json("continue", "last", "--extend-to", "polish")
    assert (refused["exit_code"], garden.json("resume", "last")["phase"]) == (2, "spec_building")
    assert refused["error"]["what"] == f"continue --extend-to does not fit here; task {garden.task} is spec_building"


def test_status_notices_and_refusals_name_the_commands_of_a_thought(garden: Garden) -> None:
    with posted() as (notices, channels):
        garden.script(*agreed(), *built(), *polished(), notifications=channels)
        shown = garden.begin()
    task = garden.task
    do = f"Decide: thoughtforge say {task} TEXT | confirm {task} | terminate {task}"
    assert (shown["phase"], shown["next_action"]) == ("human_review", do)
    assert garden.json("status", "last")["next_action"] == do
    assert garden.json("override", "last", "--yes")["error"]["do"] == do
    assert garden.view("status.json")["next_action"] == do
    assert [row["next_action"] for row in garden.json("status")["tasks"]] == [do]
    assert [notice["summary"] for notice in notices] == [f"your decision on distill, version 1. {do}"]


def test_a_damaged_record_of_another_thought_is_passed_over_and_named(garden: Garden) -> None:
    garden.script(*agreed(), concurrency={"max_parallel_runs": 2})
    app = make_app_at(garden)
    first = asyncio.run(begin(app, Thought(text="A plan for herbs.")))
    asyncio.run(begin(app, Thought(text="A plan for trees.")))
    assert garden.run("think", garden.note()).code == 2
    record = garden.home / "tasks" / first / "events.jsonl"
    record.write_text(record.read_text().replace("task_created", "task_creatod"))
    told = garden.json("think", garden.note())
    assert (told["phase"], told["warnings"][1:]) == (
        "halted",
        [
            f"{first}: its record is damaged, so it does not count as under way; "
            f"see the damage: thoughtforge verify {first}",
        ],
    )
    assert "2/2" in garden.run("think", garden.note()).err
    assert halt_abandoned(app) == []
    assert garden.json("resolve", "E-1", "Yes.")["error"]["what"] == "there is no open question E-1"


def test_a_draft_takes_a_slot_unless_rules_alone_write_it(garden: Garden) -> None:
    garden.script(*agreed(), concurrency={"max_parallel_runs": 1})
    assert garden.json("think", garden.note())["phase"] == "halted"
    assert "1/1" in garden.run("think", garden.note()).err
    for _ in range(2):
        assert garden.json("think", garden.note(), "--provider", "builtin")["phase"] == "done"


def test_an_override_is_told_as_accepted_by_a_person_with_what_is_open(garden: Garden) -> None:
    with posted() as (notices, channels):
        garden.script(*agreed(), *built(), AGAIN, FIX, STILL, polish={"max_iterations": 2}, notifications=channels)
        garden.json("think", garden.note())
        done = garden.run("override", "last", "--yes")
    place = garden.project / "docs" / "plan.md"
    how = "Accepted by a person without convergence, after 2 reviews: 1 critical, 0 medium, 0 minor."
    how += " The best iteration is 2."
    last = notices[-1]
    assert (last["phase"], last["event_type"]) == ("done", "milestone_complete")
    assert last["summary"].startswith(f"{how} It is in {place}. Still open: F-001 critical: Watering (Steps). ")
    assert [how, f"plan: {place}", "found and not fixed:", "F-001 critical: Watering (Steps)"] == [
        line.strip() for line in done.out.splitlines()[2:6]
    ]


def test_what_converged_is_told_with_its_counts_and_its_place(garden: Garden) -> None:
    with posted() as (notices, channels):
        garden.script(*agreed(), *built(), *polished(), notifications=channels)
        done = garden.json("think", garden.note())
    how = "Converged after 3 reviews: 0 critical, 0 medium, 0 minor. The best iteration is 3."
    assert (done["summary"], done["deliverable"]) == (how, str(garden.project / "docs" / "plan.md"))
    assert notices[-1]["event_type"] == "convergence_success"
    assert notices[-1]["summary"].startswith(f"{how} It is in {done['deliverable']}. Read the result: ")


def test_a_draft_with_open_questions_is_told_as_waiting_for_a_person(garden: Garden) -> None:
    with posted() as (notices, channels):
        garden.script(notifications=channels)
        done = garden.json("think", garden.note(), "--provider", "builtin")
    assert (done["phase"], done["exit_code"], done["summary"]) == ("done", 3, "Written by rules and not reviewed.")
    assert notices[-1]["event_type"] == "human_needed"
    assert f"It is in {garden.project / 'docs' / 'plan.md'}. Unanswered: " in notices[-1]["summary"]


def test_a_point_without_a_trace_is_asked_for_once_and_then_shown(garden: Garden) -> None:
    silent = {**PROPOSAL, "traced": PROPOSAL["traced"][:1]}
    garden.script(*agreed(proposal=silent))
    garden.begin()
    shown = garden.json("confirm", "last")
    first, second = garden.contexts("spec")
    assert "what is missing" not in first
    assert "where they went:\n- CON-1: Budget is 80 euros." in second
    assert shown["message"].endswith("## Nobody says where these went\n- CON-1 Budget is 80 euros.")
    gate = [event for event in garden.events("measured") if event["what"] == "confirm"][-1]
    assert (gate["outcome"], gate["summary"]) == ("pass", "0 open, 1 criteria, 1 without a trace")


def test_still_open_is_what_the_newest_version_leaves_open(garden: Garden) -> None:
    decided = {"when": {"context": ["form of proposal", "Basil it is"]}, "reply": PROPOSAL}
    garden.script(decided, *agreed(proposal=UNSETTLED))
    assert [one["id"] for one in garden.begin()["questions"]] == ["Q-1", "U-1"]
    shown = garden.json("confirm", "last")
    assert [one["id"] for one in shown["questions"]] == [row["id"] for row in UNSETTLED["open"]]
    shown = garden.json("say", "last", "Basil it is.")
    assert shown["questions"] == []
    assert "## Changed since the last version\n```diff\n- Q-1: " in shown["message"]
