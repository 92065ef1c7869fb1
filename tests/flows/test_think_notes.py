"""Twelve messy notes, each through the installed command: by rules to documents, and with scripted replies to done."""

from __future__ import annotations

import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from flows.code_thoughts import act, create, done, steps
from flows.thoughts import PROPOSAL, Garden, Rule, agreed, built, make_garden, review
from notes import NAMES, foreign, lost, note
from thoughtforge.providers.builtin.distil import distil
from thoughtforge.store.verify import verify

SECONDS = 2.0
"""The longest a person waits for a note. Only the processor's time is held against it: a busy machine takes longer."""
PHASES = ["distill", "spec", "build", "polish"]
CODE = '''"""Counts."""


def count(things: list[str]) -> int:
    """How many there are."""
    return len(things)
'''
TESTS = """from counting import count


def test_ac_1_counts():
    assert count(["a", "b"]) == 2
"""
Value = TypeVar("Value")


@pytest.fixture
def garden(tmp_path: Path) -> Garden:
    """A fresh place outside any repository."""
    return make_garden(tmp_path)


def timed(work: Callable[[], Value]) -> tuple[Value, float]:
    """What came of it, and the seconds its processes kept the processor busy."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = work()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return found, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.parametrize("name", NAMES)
def test_a_note_becomes_documents_with_every_sentence_and_nothing_else(garden: Garden, name: str) -> None:
    done, busy = timed(lambda: garden.json("think", garden.note(note(name)), "-o", "plan.md"))
    intent = garden.doc("intent.md")
    assert (lost(note(name), intent), foreign(intent, note(name))) == ([], [])
    open_questions = bool(done["questions"]) or done["deliverable_type"] == "code"
    assert (done["exit_code"], "draft" in done["labels"]) == (3 if open_questions else 0, True)
    assert (garden.folder / "plan.md").is_file() == (done["deliverable_type"] == "plan")
    assert verify(garden.record).damage == ()
    assert busy < SECONDS


def replies(intent: dict[str, Any]) -> list[Rule]:
    """What a script says in all four phases about an intent: everything is settled, built, and found good."""
    asked = [*intent["unknowns"], *intent["open_questions"]]
    settled = [{"id": one["id"], "resolution": "As it was last year.", "by": "ai"} for one in asked]
    if intent["deliverable_type"] == "plan":
        good = {"when": {"context": "form of plan_review"}, "reply": review()}
        return [*agreed(intent, {**PROPOSAL, "resolved": settled}), *built(), good]
    proposal = {**PROPOSAL, "resolved": settled, "plan_kind": None, "language": "Python"}
    listed = [{"name": "test_ac_1_counts", "requirement_ref": "AC-1", "acceptance_criterion": "AC-1"}]
    case = {"criterion": "AC-1", "kind": "call", "target": "counting:count", "args": [["x"]], "expect": 1}
    suite = {
        "test_files": [{"path": "test_counting.py", "tests": listed}],
        "interface": [{"name": "counting:count", "signature": "count(things) -> int", "purpose": "counts"}],
        "held_back": [case],
    }
    return [
        *agreed(intent, proposal),
        *steps("tests", create("test_counting.py", TESTS), act("complete", artifact=suite)),
        *steps("build", create("counting.py", CODE), done("counting.py")),
        {"when": {"context": "form of code_review"}, "reply": review(tests={"total": 1, "passed": 1, "failed": 0})},
    ]


@pytest.mark.parametrize("name", NAMES)
def test_a_note_goes_through_all_four_phases_to_done(garden: Garden, name: str) -> None:
    intent = distil([note(name)])
    garden.script(*replies(intent))
    done = garden.json("think", garden.note(note(name)))
    assert (done["phase"], done["exit_code"], done["title"]) == ("done", 0, intent["title"])
    assert (done["deliverable_type"], done["polished"]["outcome"]) == (intent["deliverable_type"], "converged")
    stages = list(dict.fromkeys(event["stage"] for event in garden.events("call_started")))
    assert [stage for stage in stages if stage != "tests"] == PHASES
    assert ("tests" in stages) == (intent["deliverable_type"] == "code")
    dump = garden.contexts("distill")[0]
    assert [line for line in note(name).splitlines() if line.strip() not in dump] == []
    assert lost(note(name), garden.doc("intent.md")) == []
    built_as = "Plan" if intent["deliverable_type"] == "plan" else "Code"
    assert {built_as, "Specification and constraints", "Intent", "Begin"} <= set(garden.log())
    assert verify(garden.record).damage == ()
