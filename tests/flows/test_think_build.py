"""How a build goes on: a halt is asked anew, failures that repeat need a person, and its documents stand still."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from flows.crash_support import SITE
from flows.test_think_code import BAD, CODE_INTENT, CODE_PROPOSAL, GOOD, TESTS, WISH, building, change, rules
from flows.test_think_errors import fails
from flows.thoughts import Garden, agreed, built, make_garden, plan_text, polished, section
from harness.place import ended, until

README = {"stuck": False, "files": [{"path": "README.md", "content": "words " * 60}], "removed": []}
WRONG = "what was wrong with your last answer"


@pytest.fixture
def garden(tmp_path: Path) -> Garden:
    """A fresh place outside any repository."""
    return make_garden(tmp_path)


def first_answer(garden: Garden, reply: dict[str, Any], *more: dict[str, Any], **config: Any) -> dict[str, Any]:
    """A build of code whose agent gives one answer, again and again."""
    garden.script(*agreed(CODE_INTENT, CODE_PROPOSAL), *more, {"when": building(), **reply}, **config)
    return garden.json("think", garden.note(WISH))


@pytest.mark.parametrize(
    ("reply", "reason", "told"),
    [
        (change(), "phase3_output_missing", "holds no source file"),
        (README, "phase3_output_missing", "holds no source file"),
        (change(a="x = 1\n"), "phase3_output_incomplete", "1 source files with 6 characters; at least 1 with 100"),
    ],
)
def test_missing_code_is_asked_for_anew_when_it_goes_on(
    garden: Garden, reply: dict[str, Any], reason: str, told: str
) -> None:
    halted = first_answer(garden, {"reply": reply})
    assert (halted["halted_in"], halted["halt_reason"], told in halted["detail"]) == ("building", reason, True)
    garden.script(*rules())
    assert garden.json("resume", "last")["phase"] == "done"
    assert f"### {WRONG}" in garden.contexts("build")[1]
    assert told in garden.contexts("build")[1]


def test_code_that_is_missing_three_times_running_needs_a_person(garden: Garden) -> None:
    first_answer(garden, {"reply": change()})
    assert garden.json("resume", "last")["halt_reason"] == "phase3_output_missing"
    assert garden.json("resume", "last")["halt_reason"] == "stuck"
    garden.script(*rules())
    assert garden.json("provide", "last", "Write greeter.py.")["phase"] == "done"


def test_answers_nobody_can_use_are_failures_of_the_build(garden: Garden) -> None:
    halted = first_answer(garden, {"malformed": True})
    assert (halted["halt_reason"], len(garden.contexts("build"))) == ("stuck", 3)
    assert halted["detail"] == "the build failed 3 times running: an answer nobody can use: not one JSON object"
    assert [f"### {WRONG}" in context for context in garden.contexts("build")] == [False, True, True]
    garden.script(*rules())
    assert garden.json("provide", "last", "Answer with JSON.")["phase"] == "done"


def test_failures_of_different_kinds_add_up_and_a_test_run_begins_the_count_anew(garden: Garden) -> None:
    crash = change(greeter=GOOD, tests__test_greeter=TESTS, tests__conftest="import os\n\nos._exit(3)\n")
    outside = change(docs__guide=GOOD)
    tested = {**change(greeter=BAD), "removed": ["tests/conftest.py"]}
    script = [{"reply": crash}, {"reply": outside}, {"reply": tested}, {"reply": outside}, {"malformed": True}]
    more = [{"when": building(), "times": 1, **one} for one in script]
    halted = first_answer(garden, {"reply": crash}, *more)
    assert (halted["halt_reason"], len(garden.contexts("build"))) == ("stuck", 6)
    assert halted["detail"].startswith("the build failed 3 times running: the tests cannot be run: ")
    assert "docs/guide.py is not part of the code" in garden.contexts("build")[2]
    assert not (garden.project / "docs" / "guide.py").exists()


def test_an_agent_that_does_not_answer_is_not_stuck(garden: Garden) -> None:
    garden.script(*agreed(CODE_INTENT, CODE_PROPOSAL), fails("code_change"))
    assert garden.json("think", garden.note(WISH))["halt_reason"] == "agent_failed"
    garden.script(*rules())
    assert garden.json("resume", "last")["phase"] == "done"


def test_a_folder_taken_for_a_file_is_told_to_the_agent(garden: Garden) -> None:
    wrong = {**change(tests__test_greeter__more=TESTS), "removed": ["tests"]}
    first = {"when": building(), "reply": change(greeter=BAD, tests__test_greeter=TESTS), "times": 1}
    garden.script(
        *agreed(CODE_INTENT, CODE_PROPOSAL), first, {"when": building(), "reply": wrong, "times": 1}, *rules()
    )
    assert garden.json("think", garden.note(WISH))["phase"] == "done"
    assert "nothing was written: tests is a folder" in garden.contexts("build")[2]


def test_a_plan_that_is_too_short_is_written_anew(garden: Garden) -> None:
    garden.script(*agreed(), *built(), phase3_completeness={"plan_characters": 1_500})
    assert garden.json("think", garden.note())["halt_reason"] == "phase3_output_incomplete"
    longer = [section(name) for name in ("aim", "scope", "steps", "time", "money", "risks")]
    for one in longer:
        one["reply"]["content"] = {slot: f"{text} " * 8 for slot, text in one["reply"]["content"].items()}
    garden.script(*longer, phase3_completeness={"plan_characters": 1_500})
    assert garden.json("resume", "last")["halted_in"] == "polishing"
    assert "at least 1500 are needed: write in full" in garden.contexts("build")[6]
    assert garden.log()[:2] == ["Plan", "A plan that was too short"]


def test_a_plan_a_person_made_long_enough_is_taken_as_it_is(garden: Garden) -> None:
    garden.script(*agreed(), *built(), phase3_completeness={"plan_characters": 1_500})
    garden.json("think", garden.note())
    text = garden.doc("plan.md") + "\nBo knows all about basil.\n" * 40
    (garden.project / "docs" / "plan.md").write_text(text)
    assert garden.json("resume", "last")["halted_in"] == "polishing"
    assert (len(garden.contexts("build")), garden.doc("plan.md")) == (6, text)


def test_the_plan_builder_sees_the_constraints_and_criteria(garden: Garden) -> None:
    garden.script(*agreed(), *built(), *polished())
    garden.json("think", garden.note())
    assert all("Every herb has a pot." in context for context in garden.contexts("build"))


def test_what_a_person_edits_while_the_build_runs_does_not_count(garden: Garden) -> None:
    slow = {"when": building(), "delay": 3, "reply": change(greeter=BAD, tests__test_greeter=TESTS)}
    garden.script(*agreed(CODE_INTENT, CODE_PROPOSAL), rules()[2], slow, *rules()[4:])
    running = garden.spawn("think", garden.note(WISH), "--json")
    until(lambda: _building(garden), "the build")
    edit(garden, "spec.md", "Edited meanwhile.")
    assert ended(running).json["phase"] == "done"
    assert [("Edited meanwhile." in context) for context in garden.contexts("build")] == [False, False]


@pytest.mark.parametrize("kind", ["plan", "code"])
def test_what_a_person_edits_while_it_is_halted_counts_and_is_said(garden: Garden, kind: str) -> None:
    plan = kind == "plan"
    garden.script(*(agreed() if plan else rules()[:2]), fails("plan_section" if plan else "code_change"))
    assert garden.json("think", garden.note())["halt_reason"] == "agent_failed"
    edit(garden, "spec.md", "Edited since.")
    edit(garden, "intent.md", "Only in clay pots.")
    garden.script(*(built() + polished() if plan else rules()))
    done = garden.json("resume", "last")
    assert done["phase"] == "done"
    told = "Changed since: docs/spec.md, docs/intent.md. From here the build goes by the text as it is now."
    assert told in done["warnings"]
    assert told in [event["text"] for event in garden.events("said")]
    seen = [c for c in garden.contexts("build") if "Edited since." in c and "Only in clay pots." in c]
    assert (len(seen), len(garden.contexts("build"))) == ((6, 8) if plan else (2, 4))


def test_a_crash_is_not_a_halt_and_an_edit_before_it_goes_on_does_not_count(garden: Garden) -> None:
    garden.script(*agreed(), *built(), *polished())
    killed = garden.run("think", garden.note(), PYTHONPATH=str(SITE), CRASH="os.rename head 40 after")
    assert killed.code == -signal.SIGKILL
    assert garden.contexts("build") != []
    edit(garden, "spec.md", "Edited after a crash.")
    assert garden.json("resume", "last")["phase"] == "done"
    assert not any("Edited after a crash." in context for context in garden.contexts("build"))


def test_a_draft_says_so_in_the_plan_and_in_its_copy(garden: Garden) -> None:
    garden.script(*agreed(), *built(), *polished())
    garden.json("think", garden.note(), "-o", "mine.md")
    assert garden.doc("plan.md").splitlines()[0] == "# Herb garden (draft)"
    assert (garden.folder / "mine.md").read_text() == garden.doc("plan.md")


def test_a_plan_that_was_confirmed_is_no_draft(garden: Garden) -> None:
    garden.script(*agreed(), *built(), *polished(""))
    garden.begin()
    garden.json("confirm", "last")
    assert garden.json("confirm", "last")["phase"] == "done"
    assert garden.doc("plan.md") == plan_text("", steps_plan="Ann waters them.")


def test_the_log_of_operations_speaks_of_the_phases_of_a_thought(garden: Garden) -> None:
    garden.script(*agreed(), *built(), *polished())
    garden.json("think", garden.note())
    rows = [json.loads(line) for line in (garden.record / "thoughtforge.log").read_text().splitlines()]
    phases = list(dict.fromkeys(row["phase"] for row in rows))
    assert phases == ["brain_dump", "distilling", "spec_building", "building", "polishing", "done"]


def edit(garden: Garden, name: str, line: str) -> None:
    """A person adds a line to a locked document."""
    path = garden.project / "docs" / name
    path.write_text(f"{path.read_text()}\n{line}\n")


def _building(garden: Garden) -> bool:
    """Whether the builder was asked, also while there is no task yet."""
    try:
        return bool(garden.contexts("build"))
    except (ValueError, FileNotFoundError):
        return False
