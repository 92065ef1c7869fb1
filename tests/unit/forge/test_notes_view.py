"""What the record says of the phases, in the file of a plan."""

from __future__ import annotations

from dataclasses import replace

import pytest

from thoughtforge.forge.meaning import meaning_hash
from thoughtforge.forge.notes_view import with_notes, without_notes
from thoughtforge.forge.phase import PlanPhase
from thoughtforge.forge.plan import ChangePlan, PhaseFacts
from thoughtforge.kernel.model import Criterion

PHASE = PlanPhase("phase-1", "Add it", "implement", "", "done", output="It --> is\n## there.", git_commit="c" * 40)
EVIDENCE = (
    Criterion(name="tests_run", outcome="pass", detail="5 tests pass"),
    Criterion(name="make docs", outcome="not_run", detail="not allowed"),
)
PLAN = replace(ChangePlan(), phases=(PHASE,), facts={"phase-1": PhaseFacts(EVIDENCE)})
TEXT = "# Plan: It\n\n**ID:** plan-001\n\n---\n\n## Objective\n\nIt.\n\n---\n\n## Implementation Notes\n"


@pytest.mark.parametrize("text", [TEXT, f"{TEXT}\nMine.\n", f"{TEXT}\n---\n\n## Audit Log\n", "# Plan: It\n"])
def test_the_notes_are_shown_and_never_read_back(text: str) -> None:
    shown = with_notes(text, PLAN)
    assert (shown == text) == ("Notes" not in text)
    assert without_notes(shown) == text
    assert meaning_hash(shown) == meaning_hash(text)


def test_a_phase_is_one_line_with_its_commit_and_what_was_measured() -> None:
    told = (
        "> - **phase-1** done, `cccccccccccc`: Add it: It -- > is ## there. — "
        "passed: tests_run (5 tests pass); make docs not run: not allowed\n"
    )
    assert told in with_notes(TEXT, PLAN)
