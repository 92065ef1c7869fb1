"""A thought becomes a polished plan: the commits, the documents, the views, from the installed command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from doubles import Said, Server
from flows.thoughts import (
    FINDING,
    INTENT,
    NOTE,
    PROPOSAL,
    Garden,
    agreed,
    built,
    make_garden,
    plan_text,
    polished,
    review,
    section,
)
from thoughtforge.agent.memory import PENDING
from thoughtforge.store.file_task import read_folder
from thoughtforge.store.verify import verify

COMMITS = ["Review 3", "Review 2", "Fix 1", "Review 1", "Plan", "Specification and constraints", "Intent", "Begin"]


@pytest.fixture
def garden(tmp_path: Path) -> Garden:
    """A fresh place outside any repository."""
    return make_garden(tmp_path)


def test_a_note_from_stdin_is_as_good_as_a_file(garden: Garden) -> None:
    done = garden.json("think", "-", stdin=NOTE)
    assert (done["exit_code"], done["phase"], done["deliverable_type"]) == (3, "done", "plan")
    assert garden.log() == ["Plan", "Specification and constraints", "Intent", "Begin"]


def test_code_by_rules_alone_says_that_an_agent_is_needed_and_keeps_no_slot(garden: Garden) -> None:
    text = "Build a command line tool in Python that renames photos. It must run offline."
    for number in range(4):
        done = garden.json("think", garden.note(text, f"{number}.md"))
        assert (done["exit_code"], done["phase"], done["deliverable_type"]) == (3, "building", "code")
        assert done["detail"] == "code is written by an agent, and none is connected"


def test_a_scripted_thought_goes_through_all_four_phases(garden: Garden) -> None:
    garden.script(*agreed(), *built(), *polished())
    done = garden.json("think", garden.note())
    assert (done["exit_code"], done["phase"], done["labels"]) == (0, "done", ["draft", "scripted"])
    assert garden.log() == COMMITS
    assert garden.doc("plan.md") == plan_text(steps_plan="Ann waters them.")
    result = done["polished"]
    assert (result["outcome"], result["guard"], result["iterations"], result["open"]) == (
        "converged",
        "termination",
        3,
        [],
    )
    assert done["message"].startswith("Done (converged) after 3 reviews: 0 critical, 0 medium, 0 minor. It lies in /")
    assert verify(garden.record).damage == ()
    assert len(garden.events("edit_planned")) == 1
    assert read_folder(garden.record).snapshot.of(PENDING) == ()


def test_the_views_say_what_the_log_says(garden: Garden) -> None:
    garden.script(*agreed(), *built(), *polished())
    garden.json("think", garden.note())
    status, state = garden.view("status.json"), garden.view("polish_state.json")
    keys = ("project_name", "phase", "halted_in", "deliverable_type", "agent", "halt_reason")
    assert [status[key] for key in keys] == ["Herb garden", "done", None, "plan", "script", None]
    assert state["error_counts"] == {"critical": 0, "medium": 0, "minor": 0, "total": 0}
    assert [(row["iteration"], row["total"]) for row in state["convergence_trajectory"]] == [(1, 1), (2, 0), (3, 0)]
    assert (state["iteration"], state["tests_passed"], state["completed"], state["halt_reason"]) == (
        3,
        None,
        True,
        None,
    )
    assert [message["phase"] for message in garden.view("chat_history.json")] == ["polishing"]
    assert (garden.record / "polish_log.md").read_text() == garden.doc("polish_log.md")


def test_a_deleted_or_damaged_view_is_written_anew(garden: Garden) -> None:
    garden.script(*agreed())
    garden.json("think", garden.note(), "--yes")
    (garden.record / "status.json").write_text("{")
    (garden.record / "chat_history.json").unlink()
    garden.json("say", "last", "Please go on.")
    assert garden.view("status.json")["phase"] == "halted"
    assert garden.view("chat_history.json")[-1]["content"] == "Please go on."


def test_the_review_commit_holds_the_log_of_that_very_review(garden: Garden) -> None:
    garden.script(*agreed(), *built(), *polished())
    garden.json("think", garden.note())
    reviewed = garden.events("polish_reviewed")
    shown = [garden.git("show", f"{event['commit']}:docs/polish_log.md") for event in reviewed]
    assert [text.count("## Iteration") for text in shown] == [1, 2, 3]
    assert "**Fixes Applied:** not yet" in shown[0]
    assert "**Fixes Applied:** F-001" in shown[1]
    assert garden.view("polish_state.json")["last_review"]["findings"] == []


ALL_FIXED = {"fixed": [f"F-00{number}" for number in range(1, 5)], "still": []}


def test_a_person_s_edits_get_a_commit_of_their_own_and_are_reviewed(garden: Garden) -> None:
    many = [
        {**FINDING, "title": f"Point {n}", "description": f"The {w} is missing here."} for n, w in enumerate("abcd")
    ]
    garden.script(
        *agreed(),
        *built(),
        {"when": {"context": "form of plan_review"}, "reply": review(*many), "times": 1},
        {"when": {"context": "form of plan_fix"}, "error": {"transient": False}, "times": 1},
        *polished()[1:],
        {"when": {"context": "form of recheck"}, "reply": ALL_FIXED},
    )
    halted = garden.json("think", garden.note())
    assert (halted["phase"], halted["halted_in"], halted["halt_reason"]) == ("halted", "polishing", "agent_failed")
    plan = garden.project / "docs" / "plan.md"
    plan.write_text(plan.read_text() + "\nCall Bo about the pots.\n")
    garden.script({"when": {"context": "form of recheck"}, "reply": ALL_FIXED}, *polished()[1:])
    done = garden.json("resume", "last")
    assert (done["exit_code"], done["phase"]) == (0, "done")
    assert "Edits by a person" in garden.log()
    assert "Call Bo about the pots." in garden.contexts("polish")[2]


def test_constraints_are_read_at_every_review(garden: Garden) -> None:
    garden.script(*agreed(), *built())
    garden.json("think", garden.note())
    garden.script(*polished())
    (garden.project / "docs" / "constraints.md").write_text("Only basil counts.\n")
    assert garden.json("resume", "last")["phase"] == "done"
    assert "Only basil counts." in garden.contexts("polish")[1]


def test_a_section_the_agent_leaves_empty_is_asked_for_once_more(garden: Garden) -> None:
    empty = section("steps")
    empty["reply"]["content"]["steps_plan"] = "TBD"
    garden.script(*agreed(), {**empty, "times": 1}, *built(), *polished())
    assert garden.json("think", garden.note())["phase"] == "done"
    assert "Steps: steps_plan (Plan in the table) holds a placeholder (TBD)" in garden.contexts("build")[3]


def test_what_is_filled_stays_filled_when_a_build_stops_and_goes_on(garden: Garden) -> None:
    reply = {"stuck": True, "reason": "When does spring begin?", "content": {}}
    when = {**section("time")["when"], "not": "In March"}
    garden.script(*agreed(), {"when": when, "reply": reply}, *built(), *polished())
    halted = garden.json("think", garden.note())
    assert (halted["exit_code"], halted["halt_reason"], halted["detail"]) == (
        1,
        "stuck",
        "Time: When does spring begin?",
    )
    assert garden.log()[0] == "Part of the plan"
    assert "steps plan of the herbs" in garden.doc("plan.md")
    assert garden.run("resume", "last").code == 2
    done = garden.json("provide", "last", "In March.")
    assert (done["phase"], done["exit_code"]) == ("done", 0)
    sections = [event["key"].split("/")[2] for event in garden.events("call_started") if event["stage"] == "build"]
    assert sections == ["aim", "scope", "steps", "time", "time", "money", "risks"]
    assert "In March." in garden.contexts("build")[4]


def test_a_proposal_with_open_points_cannot_be_confirmed_and_names_them(garden: Garden) -> None:
    unsettled = {
        **PROPOSAL,
        "resolved": PROPOSAL["resolved"][:1],
        "open": [{"id": "Q-1", "question": "Which herbs?"}],
        "criteria": [],
    }
    when = {"context": "form of proposal", "not": "Every herb needs a pot"}
    garden.script({"when": when, "reply": unsettled}, *agreed(), *built(), *polished())
    garden.begin()
    assert garden.json("confirm", "last")["phase"] == "spec_building"
    refused = garden.json("confirm", "last")
    assert (refused["exit_code"], refused["error"]["details"]) == (
        2,
        ["Q-1: Which herbs?", "criteria: there is no acceptance criterion"],
    )
    assert garden.json("say", "last", "Basil and thyme. Every herb needs a pot.")["phase"] == "spec_building"
    assert garden.json("confirm", "last")["phase"] == "done"


def test_intent_and_specification_stay_as_confirmed_whatever_agents_do(garden: Garden) -> None:
    garden.script(*agreed(), *built(), *polished())
    garden.json("think", garden.note())
    for name in ("intent.md", "spec.md", "constraints.md"):
        assert garden.git("log", "--format=%s", "--", f"docs/{name}").splitlines() in (
            ["Intent"],
            ["Specification and constraints"],
        )
    assert json.dumps(INTENT["title"]) in json.dumps(garden.doc("intent.md").splitlines()[0][2:])


def test_every_milestone_is_told_with_its_five_fields(garden: Garden) -> None:
    posted: list[dict[str, str]] = []
    with Server(lambda asked: (posted.append(asked.json), Said(200, {}))[1]) as server:
        channels = {"mine": {"kind": "webhook", "url": server.url}}
        garden.script(*agreed(), *built(), *polished(), notifications={"channels": channels})
        garden.json("think", garden.note())
    told = [(notice["project_name"], notice["phase"], notice["event_type"]) for notice in posted]
    assert told == [
        ("Herb garden", "spec_building", "milestone_complete"),
        ("Herb garden", "building", "milestone_complete"),
        ("Herb garden", "polishing", "milestone_complete"),
        ("Herb garden", "done", "convergence_success"),
    ]
    assert {notice["project_id"] for notice in posted} == {garden.task}
