"""A thought becomes code: tests first, then a builder with tools, and a clean clone passes what the engine measured."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from flows.code_thoughts import WISH, rules
from flows.thoughts import Garden, make_garden
from thoughtforge.agent.memory import PENDING
from thoughtforge.store.file_task import read_folder
from thoughtforge.store.verify import verify


@pytest.fixture
def garden(tmp_path: Path) -> Garden:
    """A fresh place outside any repository."""
    return make_garden(tmp_path)


def test_a_scripted_agent_builds_repairs_and_polishes_code(garden: Garden, tmp_path: Path) -> None:
    garden.script(*rules())
    told = garden.json("think", garden.note(WISH))
    assert (told["phase"], told["exit_code"], told["detail"]) == ("done", 0, None), told
    assert garden.log() == [
        *("Review 3", "Review 2", "Fix 1", "Review 1", "Code", "Tests"),
        *("Specification and constraints", "Intent", "Begin"),
    ]
    assert garden.view("polish_state.json")["tests_passed"] is True
    assert read_folder(garden.record).snapshot.of(PENDING) == ()
    assert "**Test Results:** 2 total, 2 passed, 0 failed" in garden.doc("polish_log.md")
    assert any("test_ac_1_greets_by_name failed" in context for context in garden.contexts("build"))
    assert garden.git("status", "--porcelain") == ""
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", str(garden.project), str(clone)], check=True)
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir=."],
        cwd=clone,
        env={"PYTHONPATH": str(clone), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, "2 passed" in ran.stdout) == (0, True), ran.stdout
    assert verify(garden.record).damage == ()


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
    assert "| greet | TBD | TBD |" in next(c for c in garden.contexts("build") if "plan that was brought along" in c)
