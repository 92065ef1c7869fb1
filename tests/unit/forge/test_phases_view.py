"""The phases of a change plan for people and scripts."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from thoughtforge.forge.phases import PlanPhase
from thoughtforge.forge.phases_view import PhasesHead, phases_data, phases_text
from thoughtforge.forge.structure import sections_of

HEAD = PhasesHead("plan-017", "plans/plan-017-retry.md", "0123456789abcdef", "2026-02-12", "2026-02-13")
ONE = PlanPhase(
    "phase-1", "Implement a.py", "implement", "Implement the changes of: `a.py`", "failed", (), ("a.py",), "- `a.py` x",
    output="done\n## phase-9: Extra", error="no\nwhy",
    git_commit="abc1234", modified_files=("a.py",), failure_hashes=(("a.py", "ff"),),
)  # fmt: skip
TWO = PlanPhase("phase-2", "Audit", "audit", "Audit all changes.", depends_on=("phase-1",), context_files=("a.py",))


def test_the_view_has_every_field() -> None:
    assert phases_text(HEAD, (ONE, TWO)) == (
        "# Phases: plan-017 — plans/plan-017-retry.md\n"
        "Created: 2026-02-12\nUpdated: 2026-02-13\nPlan hash: 0123456789abcdef\n\n"
        "## phase-1: Implement a.py\n"
        "**Kind:** implement\n**Status:** failed\n**Context:** `a.py`\n**Depends on:** (none)\n**Commit:** `abc1234`\n"
        "**Modified files:** `a.py` (ff)\n**Error:** no why\n\n"
        "Implement the changes of: `a.py`\n\n**Change spec:**\n\n> - `a.py` x\n\n"
        "**Output:**\n\n> done\n> ## phase-9: Extra\n\n---\n\n"
        "## phase-2: Audit\n"
        "**Kind:** audit\n**Status:** pending\n**Context:** `a.py`\n**Depends on:** phase-1\n\n"
        "Audit all changes.\n\n---\n"
    )


def test_json_has_the_names_of_the_format() -> None:
    data = phases_data(HEAD, (ONE, TWO))
    assert {key: data[key] for key in data if key != "phases"} == {
        "planId": "plan-017",
        "planFile": "plans/plan-017-retry.md",
        "planContentHash": "0123456789abcdef",
        "createdAt": "2026-02-12",
        "updatedAt": "2026-02-13",
    }
    assert data["phases"][0] == {
        "id": "phase-1",
        "title": "Implement a.py",
        "kind": "implement",
        "description": "Implement the changes of: `a.py`",
        "status": "failed",
        "dependsOn": [],
        "contextFiles": ["a.py"],
        "changeSpec": "- `a.py` x",
        "output": "done\n## phase-9: Extra",
        "error": "no\nwhy",
        "gitCommit": "abc1234",
        "modifiedFiles": ["a.py"],
        "failureHashes": {"a.py": "ff"},
    }
    assert data["phases"][1]["modifiedFiles"] is None
    assert data["phases"][1]["gitCommit"] is None


@given(st.lists(st.text(), min_size=5, max_size=5))
def test_no_text_of_a_phase_becomes_another_phase(texts: list[str]) -> None:
    title, description, spec, output, error = texts
    phase = PlanPhase("phase-1", title, "implement", description, change_spec=spec, output=output, error=error)
    assert len(sections_of(phases_text(HEAD, (phase, TWO)))) == 2


def test_nothing_of_a_view_is_ever_read_back() -> None:
    room = Path(__file__).parents[3] / "src" / "thoughtforge" / "forge"
    texts = {path.name: path.read_text(encoding="utf-8") for path in room.glob("*.py")}
    assert not [name for name, text in texts.items() if "def read_phases" in text or "parse_phases" in text]
