"""How a build goes on: a halt is asked anew, failures that repeat need a person, and its documents stand still."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from flows.code_thoughts import (
    BAD,
    CODE_INTENT,
    CODE_PROPOSAL,
    GOOD,
    TEST_FILE,
    TESTS,
    WISH,
    act,
    always,
    begun,
    building,
    create,
    done,
    edit,
    rules,
    suite_done,
    with_tests,
)
from flows.crash_support import SITE
from flows.test_think_errors import fails
from flows.thoughts import Garden, agreed, built, make_garden, plan_text, polished, section
from harness.place import ended, until

README = create("README.md", "words " * 60)
SMALL = create("a.py", "x = 1\n")
CRASH = create("tests/conftest.py", "import os\n\nos._exit(3)\n")


@pytest.fixture
def garden(tmp_path: Path) -> Garden:
    """A fresh place outside any repository."""
    return make_garden(tmp_path)


def built_by(garden: Garden, *replies: dict[str, Any], **config: Any) -> dict[str, Any]:
    """A build whose agent does these things and then hands in again and again."""
    garden.script(*begun(), *building(*replies), always("build", done()), **config)
    return garden.json("think", garden.note(WISH))


@pytest.mark.parametrize(
    ("replies", "reason", "told"),
    [
        ((), "phase3_output_missing", "the project holds no source file"),
        ((README,), "phase3_output_missing", "the project holds no source file"),
        ((SMALL,), "phase3_output_incomplete", "1 source files with 6 characters; at least 1 with 100 are needed"),
    ],
)
def test_missing_code_is_asked_for_anew_when_it_goes_on(
    garden: Garden, replies: tuple[dict[str, Any], ...], reason: str, told: str
) -> None:
    wrote = [create(TEST_FILE, TESTS), suite_done()]
    tests_only = {"phase3_completeness": {"code_characters": 100}}
    garden.script(*agreed(CODE_INTENT, CODE_PROPOSAL), *with_tests(*wrote), *building(*replies, done()), **tests_only)
    halted = garden.json("think", garden.note(WISH))
    assert (halted["halted_in"], halted["halt_reason"], told in halted["detail"]) == ("building", reason, True)
    garden.script(*building(*(act("delete_file", path="a.py") for one in replies if one is SMALL)), *rules())
    assert garden.json("resume", "last")["phase"] == "done"
    assert told in garden.contexts("build")[len(replies) + 1]


def test_code_that_is_missing_three_times_running_needs_a_person(garden: Garden) -> None:
    assert built_by(garden)["halt_reason"] == "phase3_output_missing"
    assert garden.json("resume", "last")["halt_reason"] == "phase3_output_missing"
    assert garden.json("resume", "last")["halt_reason"] == "stuck"
    garden.script(*rules())
    assert garden.json("provide", "last", "Write the greeter.")["phase"] == "done"
    assert "Write the greeter." in garden.contexts("build")[-1]


def test_the_same_failures_three_times_are_stuck_and_input_resets_the_count(garden: Garden) -> None:
    told = built_by(garden, create("greeter.py", BAD))
    assert (told["halted_in"], told["halt_reason"]) == ("building", "stuck")
    stranger = "test_greeter.py::test_a_stranger failed: AssertionError: assert 'Bye, stranger!' == 'Hello, stranger!'"
    ann = "test_greeter.py::test_ac_1_greets_by_name failed: AssertionError: assert 'Bye, Ann!' == 'Hello, Ann!'"
    assert told["detail"] == f"the same 2 failures in 3 cycles: all_tests_pass: {stranger}; {ann}"
    assert told["halted"] == {
        "failed": [f"“all tests pass” does not hold: {stranger}; {ann}"],
        "there": [f"2 files in {garden.record / 'workspace'}", "0 of 2 tests pass"],
        "shown": "greeter.py (11 lines)\ntest_greeter.py (10 lines)",
    }
    assert garden.run("override", "last", "--yes").code == 2
    garden.script(*rules())
    assert garden.json("provide", "last", "Say Hello")["phase"] == "done"


def test_code_that_fails_only_what_it_cannot_see_needs_a_person(garden: Garden) -> None:
    known = GOOD.replace("{name or 'stranger'}", "{'Ann' if name else 'stranger'}")
    told = built_by(garden, create("greeter.py", known))
    assert told["halt_reason"] == "held_back"
    assert told["detail"].startswith("The code passes the tests it can see and fails held-back cases of AC-1 again.")
    assert not any("Hello, Bo!" in context for context in garden.contexts("build"))


def test_a_question_of_the_builder_is_the_reason_it_halts(garden: Garden) -> None:
    asks = act("escalate_question", question="Which language do they speak?", impact="blocking")
    garden.script(*begun(), *building(asks))
    told = garden.json("think", garden.note(WISH))
    assert (told["halt_reason"], told["detail"]) == ("stuck", "Which language do they speak?")
    garden.script(*rules())
    assert garden.json("provide", "last", "English.")["phase"] == "done"
    assert "English." in garden.contexts("build")[1]


def test_an_agent_that_goes_in_circles_is_stopped(garden: Garden) -> None:
    garden.script(*begun(), always("build", act("read_file", path="test_greeter.py")))
    told = garden.json("think", garden.note(WISH))
    assert (told["halt_reason"], told["detail"].startswith("the agent goes in circles: ")) == ("stuck", True)


def test_answers_nobody_can_use_are_stopped_too(garden: Garden) -> None:
    garden.script(*begun(), {"when": {"context": "^stage: build$"}, "malformed": True})
    told = garden.json("think", garden.note(WISH))
    assert (told["halted_in"], told["halt_reason"]) == ("building", "stuck")
    garden.script(*rules())
    assert garden.json("provide", "last", "Answer with JSON.")["phase"] == "done"


def test_a_build_that_takes_too_many_steps_is_stopped_and_help_gives_them_back(garden: Garden) -> None:
    reads = [act("read_file", path=path) for path in ("test_greeter.py", "docs/spec.md", "docs/intent.md")]
    garden.script(*begun(), *building(*reads, *reads), limits={"stage_steps": 5})
    told = garden.json("think", garden.note(WISH))
    assert (told["halt_reason"], told["detail"]) == ("stuck", "build took 5 actions without an end")
    garden.script(*rules(), limits={"stage_steps": 5})
    assert garden.json("provide", "last", "Just write it.")["phase"] == "done"


def test_tests_that_cannot_be_run_are_failures_of_the_build(garden: Garden) -> None:
    told = built_by(garden, create("greeter.py", GOOD), CRASH)
    assert told["halt_reason"] == "stuck"
    assert told["detail"].startswith("the build failed 3 times running: ")


def test_documents_and_the_tests_that_were_there_are_not_written(garden: Garden) -> None:
    steps = [create("docs/guide.py", GOOD), edit(TEST_FILE, "Hello", "Bye"), create("resources/x.py", GOOD)]
    garden.script(*begun(), *building(*steps), *rules())
    assert garden.json("think", garden.note(WISH))["phase"] == "done"
    refused = [event["summary"] for event in garden.events("action_taken") if event["outcome"] == "refused"]
    assert [told.split()[1] for told in refused] == ["docs/guide.py", TEST_FILE, "resources/x.py"]
    assert not (garden.project / "docs" / "guide.py").exists()


def test_an_agent_that_does_not_answer_is_not_stuck(garden: Garden) -> None:
    garden.script(*begun(), fails("code_built"))
    assert garden.json("think", garden.note(WISH))["halt_reason"] == "agent_failed"
    garden.script(*rules())
    assert garden.json("resume", "last")["phase"] == "done"


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
    slow = {**building(create("greeter.py", GOOD))[0], "delay": 3}
    garden.script(*begun(), slow, *rules())
    running = garden.spawn("think", garden.note(WISH), "--json")
    until(lambda: _building(garden), "the build")
    change(garden, "spec.md", "Edited meanwhile.")
    assert ended(running).json["phase"] == "done"
    assert not any("Edited meanwhile." in context for context in garden.contexts("build"))
    assert "Edited meanwhile." in garden.doc("spec.md")
    assert garden.log()[-6:-3] == ["Code", "Edits by a person", "Tests"]


@pytest.mark.parametrize("kind", ["plan", "code"])
def test_what_a_person_edits_while_it_is_halted_counts_and_is_said(garden: Garden, kind: str) -> None:
    plan = kind == "plan"
    garden.script(*(agreed() if plan else begun()), fails("plan_section" if plan else "code_built"))
    assert garden.json("think", garden.note())["halt_reason"] == "agent_failed"
    change(garden, "spec.md", "Edited since.")
    change(garden, "intent.md", "Only in clay pots.")
    garden.script(*(built() + polished() if plan else rules()))
    done = garden.json("resume", "last")
    assert done["phase"] == "done"
    told = "Changed since: docs/spec.md, docs/intent.md. From here the build goes by the text as it is now."
    assert told in done["warnings"]
    assert told in [event["text"] for event in garden.events("said")]
    seen = [c for c in garden.contexts("build") if "Edited since." in c and "Only in clay pots." in c]
    assert (len(seen), len(garden.contexts("build"))) == ((6, 8) if plan else (4, 6))


def test_a_crash_is_not_a_halt_and_an_edit_before_it_goes_on_does_not_count(garden: Garden) -> None:
    garden.script(*agreed(), *built(), *polished())
    killed = garden.run("think", garden.note(), PYTHONPATH=str(SITE), CRASH="os.rename head 40 after")
    assert killed.code == -signal.SIGKILL
    assert garden.contexts("build") != []
    change(garden, "spec.md", "Edited after a crash.")
    assert garden.json("resume", "last")["phase"] == "done"
    assert not any("Edited after a crash." in context for context in garden.contexts("build"))


def test_a_draft_says_so_in_the_plan_and_in_its_copy(garden: Garden) -> None:
    garden.script(*agreed(), *built(), *polished())
    garden.json("think", garden.note(), "-o", "mine.md")
    assert garden.doc("plan.md").splitlines()[0] == "# Herb garden (draft)"
    assert (garden.folder / "mine.md").read_text() == garden.doc("plan.md")


def test_a_plan_that_was_confirmed_is_no_draft(garden: Garden) -> None:
    garden.script(*agreed(), *built(), *polished())
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


def change(garden: Garden, name: str, line: str) -> None:
    """A person adds a line to a locked document."""
    path = garden.project / "docs" / name
    path.write_text(f"{path.read_text()}\n{line}\n")


def _building(garden: Garden) -> bool:
    """Whether the builder was asked, also while there is no task yet."""
    try:
        return bool(garden.contexts("build"))
    except (ValueError, FileNotFoundError):
        return False
