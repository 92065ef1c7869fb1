"""What happens when polishing halts: resume, override, terminate, putting back, restarts and a gentle stop."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest

from flows.thoughts import FINDING, Garden, agreed, built, fixed, make_app_at, make_garden, plan_text, polished, review
from harness.place import ended, until
from thoughtforge.service.messages import halt_abandoned

CRITICAL = {**FINDING, "severity": "critical"}
REVIEW = {"context": "form of plan_review"}
STILL = {"when": {"context": "form of recheck"}, "reply": {"fixed": [], "still": ["F-001"]}}
FIX = {"when": {"context": "form of plan_fix"}, "reply": fixed(steps_plan="Ann waters them.")}
AGAIN = {"when": REVIEW, "reply": review(CRITICAL)}


@pytest.fixture
def garden(tmp_path: Path) -> Garden:
    """A fresh place outside any repository."""
    return make_garden(tmp_path)


def halted(garden: Garden, *rules: dict[str, Any], **polish: Any) -> dict[str, Any]:
    """A thought whose polishing a guard has halted."""
    garden.script(*agreed(), *built(), *rules, polish=polish)
    told = garden.json("think", garden.note())
    assert (told["phase"], told["halted_in"]) == ("halted", "polishing")
    return told


def test_a_guard_halts_with_its_name_its_numbers_and_the_best_iteration(garden: Garden) -> None:
    told = halted(garden, AGAIN, FIX, STILL, max_iterations=2)
    assert (told["halt_reason"], told["exit_code"]) == ("max_iterations", 1)
    assert "The best so far is iteration" in told["detail"]
    assert garden.view("polish_state.json")["halt_reason"] == "max_iterations"
    assert garden.view("polish_state.json")["completed"] is False


def test_a_resume_goes_on_counting_and_the_log_says_so(garden: Garden) -> None:
    halted(garden, AGAIN, FIX, STILL, max_iterations=2)
    with (garden.project / "docs" / "plan.md").open("a") as plan:
        plan.write("\nBo waters them on Sundays.\n")  # an unchanged plan would have fixed nothing
    garden.script(*polished()[2:], polish={"max_iterations": 9})
    assert garden.json("resume", "last")["phase"] == "done"
    assert [e["iteration"] for e in garden.events("polish_reviewed")] == [1, 2, 3, 4]
    assert [row["iteration"] for row in garden.view("polish_state.json")["convergence_trajectory"]] == [1, 2, 3, 4]
    log = (garden.record / "polish_log.md").read_text()
    assert " — Halted by max_iterations at iteration 2, resumed by human" in log
    assert log.index("## Iteration 2") < log.index("## Resumed at") < log.index("## Iteration 3")


def test_an_override_ends_as_accepted_by_a_person_and_lists_what_is_open(garden: Garden) -> None:
    halted(garden, AGAIN, FIX, STILL, max_iterations=2)
    done = garden.json("override", "last", "--yes")
    assert (done["phase"], done["exit_code"]) == ("done", 0)
    assert (done["polished"]["outcome"], done["polished"]["guard"]) == ("accepted_by_person", "")
    assert done["polished"]["open"] == ["F-001 critical: Watering (Steps)"]
    assert garden.run("override", "last", "--yes").code == 2
    assert (
        garden.json("resume", "last")["halt_reason"] == "max_iterations"
    )  # a further round, and its reviews are used up


def test_two_refused_fixes_running_halt_and_keep_the_old_plan(garden: Garden) -> None:
    short = {"when": {"context": "form of plan_fix"}, "reply": {"sections": [{"heading": "Steps", "text": ""}]}}
    told = halted(garden, AGAIN, short, STILL)
    assert told["halt_reason"] == "fix_rejected"
    assert garden.doc("plan.md") == plan_text()
    assert [e["outcome"] for e in garden.events("polish_fixed")] == ["rejected", "rejected"]
    assert "Fix 1" not in garden.log()
    garden.script(FIX, *polished()[2:])
    assert garden.json("resume", "last")["phase"] == "done"


def test_one_command_puts_an_iteration_back(garden: Garden) -> None:
    halted(garden, AGAIN, FIX, STILL, max_iterations=2)
    assert garden.doc("plan.md") == plan_text(steps_plan="Ann waters them.")
    done = garden.json("polish", "restore", "last", "1")
    assert (done["exit_code"], done["iteration"]) == (0, 1)
    assert garden.doc("plan.md") == plan_text()
    assert garden.log()[0] == "Back to iteration 1"
    assert garden.run("polish", "restore", "last", "7").code == 2
    told = garden.run("polish", "restore", "last", "1").err
    assert told.startswith("to put iteration 1 back takes away:\n  - the fix of Watering")


def test_a_vanished_runner_leaves_a_halt_only_where_nobody_is_waited_for(garden: Garden) -> None:
    garden.script(*agreed(), *built(), {**AGAIN, "delay": 30})
    running = garden.spawn("think", garden.note())
    until(lambda: _calls(garden, "polish"), "the review")
    assert halt_abandoned(make_app_at(garden)) == []
    running.send_signal(signal.SIGKILL)
    ended(running)
    assert halt_abandoned(make_app_at(garden)) == [garden.task]
    assert garden.view("status.json")["halt_reason"] == "server_restart"
    assert halt_abandoned(make_app_at(garden)) == []
    garden.script(*polished()[1:])
    assert garden.json("resume", "last")["phase"] == "done"


def test_a_vanished_runner_in_conversation_changes_nothing(garden: Garden) -> None:
    garden.script(agreed()[0], {**agreed()[1], "delay": 30})
    garden.begin()
    running = garden.spawn("confirm", "last")
    until(lambda: _calls(garden, "spec"), "the proposal")
    running.send_signal(signal.SIGKILL)
    ended(running)
    assert halt_abandoned(make_app_at(garden)) == []


def test_the_first_signal_lets_the_running_call_finish(garden: Garden) -> None:
    garden.script(*agreed(), *built(), {**AGAIN, "delay": 2}, FIX, STILL)
    running = garden.spawn("think", garden.note())
    until(lambda: _calls(garden, "polish"), "the review")
    running.send_signal(signal.SIGINT)
    done = ended(running)
    assert (done.code, "press Ctrl-C again to end it at once" in done.err) == (130, True)
    assert [e["type"] for e in garden.events() if e["type"] in ("call_ended", "call_failed")][-1] == "call_ended"
    garden.script(*polished()[1:])
    assert garden.json("resume", "last")["phase"] == "done"


def test_the_second_signal_ends_at_once(garden: Garden) -> None:
    garden.script(*agreed(), *built(), {**AGAIN, "delay": 60}, FIX, STILL)
    running = garden.spawn("think", garden.note())
    until(lambda: _calls(garden, "polish"), "the review")
    running.send_signal(signal.SIGINT)
    until(lambda: garden.events("pause_asked"), "the pause on record")
    running.send_signal(signal.SIGINT)
    assert ended(running).code == 130


def _calls(garden: Garden, stage: str) -> list[dict[str, Any]]:
    """The calls of a stage so far, also while there is no task yet."""
    try:
        return [event for event in garden.events("call_started") if event["stage"] == stage]
    except (ValueError, FileNotFoundError):
        return []


def test_a_halted_polishing_shows_the_plan_as_it_is_and_its_findings_in_words(garden: Garden) -> None:
    told = halted(garden, AGAIN, FIX, STILL, max_iterations=2)
    plan = plan_text(steps_plan="Ann waters them.")
    assert told["halted"] == {
        "failed": ["critical: Watering. Nobody says who waters the herbs. (Steps) → Name a person."],
        "there": [f"docs/plan.md, {len(plan):,} characters, with Aim, Scope, Steps, Time, Money and means, Risks"],
        "shown": plan,
    }
    out = garden.run("resume", "last").out
    assert "Ann waters them." in out
    assert "what failed:\n  - critical: Watering. Nobody says who waters the herbs. (Steps) → Name a person.\n" in out
    assert "# Proposal" not in out


def test_a_stuck_build_shows_what_is_written_and_asks_in_words(garden: Garden) -> None:
    stuck = {
        "when": {"context": "- time_objective:"},
        "reply": {"stuck": True, "reason": "Until when?", "content": {}},
    }
    garden.script(*agreed(), stuck, *built())
    told = garden.json("think", garden.note())
    assert (told["halt_reason"], told["message"]) == ("stuck", "Time: Until when?")
    assert "steps plan of the herbs" in told["halted"]["shown"]
    assert told["halted"]["failed"] == []
