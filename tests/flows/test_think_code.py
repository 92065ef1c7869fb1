"""A thought becomes code: the engine runs the tests, every criterion has one, and a clean clone passes them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from flows.thoughts import INTENT, PROPOSAL, Garden, agreed, make_garden, review
from thoughtforge.agent.pending import PENDING
from thoughtforge.store.file_task import read_folder
from thoughtforge.store.verify import verify

WISH = "Build a small Python tool that greets a person by name. It must run offline."
CODE_INTENT = {**INTENT, "title": "Greeter", "deliverable_type": "code", "type_reason": "It asks for a tool."}
CODE_PROPOSAL = {
    **PROPOSAL,
    "plan_kind": None,
    "language": "Python",
    "criteria": [{"id": "AC-1", "text": "It greets by name."}, {"id": "AC-2", "text": "It greets a stranger."}],
}
GOOD = '''"""Greets people."""

import logging

log = logging.getLogger(__name__)


def greet(name: str) -> str:
    """A greeting."""
    log.info("greeting %s", name)
    return f"Hello, {name or 'stranger'}!"
'''
BAD = GOOD.replace("Hello", "Bye")
TESTS = """from greeter import greet


def test_ac_1_greets_by_name():
    assert greet("Ann") == "Hello, Ann!"


def test_a_stranger():
    # AC-2
    assert greet("") == "Hello, stranger!"
"""
FINDING = {
    "severity": "critical",
    "title": "Exclamation",
    "description": "The greeting shouts at people.",
    "location": "greeter.py:11",
    "recommendation": "End with a full stop.",
}
CALM = GOOD.replace("!", ".")
CALM_TESTS = TESTS.replace('!"', '."')


def change(**files: str) -> dict[str, Any]:
    """What a builder or fixer hands in."""
    rows = [{"path": path.replace("__", "/") + ".py", "content": text} for path, text in files.items()]
    return {"stuck": False, "files": rows, "removed": []}


def building(**more: Any) -> dict[str, Any]:
    """When the builder is asked."""
    return {"context": ["form of code_change", "### specification", *more.pop("context", [])], **more}


@pytest.fixture
def garden(tmp_path: Path) -> Garden:
    """A fresh place outside any repository."""
    return make_garden(tmp_path)


def rules() -> list[dict[str, Any]]:
    """A first try that fails its tests, a second that passes, one critical finding and its fix."""
    tested = {"total": 2, "passed": 2, "failed": 0}
    return [
        *agreed(CODE_INTENT, CODE_PROPOSAL),
        {"when": building(context=["test_ac_1_greets_by_name: "]), "reply": change(greeter=GOOD)},
        {"when": building(), "reply": change(greeter=BAD, tests__test_greeter=TESTS)},
        {"when": {"context": ["form of code_review", "Hello, .*!"]}, "reply": review(FINDING, tests=tested)},
        {"when": {"context": "form of code_review"}, "reply": review(tests=tested)},
        {"when": {"context": "form of code_change"}, "reply": change(greeter=CALM, tests__test_greeter=CALM_TESTS)},
        {"when": {"context": "form of recheck"}, "reply": {"fixed": ["F-001"], "still": []}},
    ]


def test_a_scripted_agent_builds_repairs_and_polishes_code(garden: Garden, tmp_path: Path) -> None:
    garden.script(*rules())
    done = garden.json("think", garden.note(WISH))
    assert (done["phase"], done["exit_code"], done["detail"]) == ("done", 0, None)
    assert garden.log() == [
        *("Review 3", "Review 2", "Fix 1", "Review 1", "Code", "Specification and constraints", "Intent", "Begin")
    ]
    assert garden.view("polish_state.json")["tests_passed"] is True
    assert len(garden.events("edit_planned")) == 2
    assert read_folder(garden.record).snapshot.of(PENDING) == ()
    assert "**Test Results:** 2 total, 2 passed, 0 failed" in garden.doc("polish_log.md")
    assert "test_ac_1_greets_by_name" in garden.contexts("build")[1]
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", str(garden.project), str(clone)], check=True)
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir=.", "tests"],
        cwd=clone,
        env={"PYTHONPATH": str(clone), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, "2 passed" in ran.stdout) == (0, True), ran.stdout
    assert verify(garden.record).damage == ()


def test_the_same_failures_three_times_are_stuck_and_input_resets_the_count(garden: Garden) -> None:
    helped = {"when": building(context=["Say Hello"]), "reply": change(greeter=GOOD)}
    garden.script(*agreed(CODE_INTENT, CODE_PROPOSAL), helped, {"when": building(), "reply": rules()[3]["reply"]})
    told = garden.json("think", garden.note(WISH))
    assert (told["halted_in"], told["halt_reason"]) == ("building", "stuck")
    assert told["detail"].startswith("the same 4 failures in 3 cycles: AC-1, AC-2, ")
    assert garden.run("override", "last", "--yes").code == 2
    garden.script(helped, *rules()[4:])
    assert garden.json("provide", "last", "Say Hello")["phase"] == "done"


def test_a_criterion_without_a_test_keeps_the_build_open(garden: Garden) -> None:
    lacking = change(greeter=GOOD, tests__test_greeter=TESTS.replace("# AC-2", "# none"))
    garden.script(*agreed(CODE_INTENT, CODE_PROPOSAL), {"when": building(), "reply": lacking})
    told = garden.json("think", garden.note(WISH))
    assert (told["halt_reason"], told["detail"]) == ("stuck", "the same 1 failures in 3 cycles: AC-2")


def test_a_plan_that_is_not_complete_halts_and_a_person_may_override(garden: Garden) -> None:
    plan = "# Greeter\n\n## Aim\n\n| Objective | Plan | Assessment |\n|---|---|---|\n| greet | TBD | TBD |\n"
    (garden.folder / "plan.md").write_text(plan)
    gate = {"when": {"context": "form of completeness"}, "reply": {"pass": False, "reasons": ["Aim lacks a plan."]}}
    garden.script(gate, *rules())
    told = garden.json("think", garden.note(WISH), "-r", "plan.md")
    assert (told["halted_in"], told["halt_reason"]) == ("building", "plan_incomplete")
    assert "Aim lacks a plan." in told["detail"]
    assert garden.run("resume", "last").code == 2
    assert garden.json("override", "last", "--yes")["phase"] == "done"
    assert "| greet | TBD | TBD |" in next(c for c in garden.contexts("build") if "### specification" in c)
