"""A type of deliverable is one folder: a third one that another distribution brings goes from a note to done."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from flows.thoughts import INTENT, Garden, agreed, make_garden, review
from harness.place import ended

POEMS = Path(__file__).with_name("poem_type.py")


@pytest.fixture
def garden(tmp_path: Path) -> Garden:
    """A place outside any repository, beside a distribution that knows poems."""
    site = tmp_path / "site"
    (site / "poems-1.dist-info").mkdir(parents=True)
    shutil.copy(POEMS, site / "poems.py")
    (site / "poems-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: poems\nVersion: 1\n")
    (site / "poems-1.dist-info" / "entry_points.txt").write_text("[thoughtforge.deliverables]\npoem = poems\n")
    return make_garden(tmp_path)


def test_a_third_type_goes_from_a_note_to_done(garden: Garden, tmp_path: Path) -> None:
    finding = {
        "severity": "critical",
        "title": "Mint",
        "description": "There is no mint.",
        "location": "document",
        "recommendation": "Add it.",
    }
    garden.script(
        *agreed({**INTENT, "deliverable_type": "poem", "type_reason": "It asks for a poem."}),
        {
            "when": {"context": "form of plan_fix"},
            "reply": {"sections": [{"heading": "Poem", "text": "Basil and thyme.\n"}]},
        },
        {"when": {"context": "form of plan_review", "not": "mint"}, "reply": review(finding)},
        {"when": {"context": "form of plan_review"}, "reply": review()},
        {"when": {"context": "form of recheck"}, "reply": {"fixed": ["F-001"], "still": []}},
    )
    told = ended(garden.spawn("think", garden.note(), "--json", PYTHONPATH=str(tmp_path / "site"))).json
    assert (told["phase"], told["exit_code"], told["deliverable_type"]) == ("done", 0, "poem"), told
    assert garden.doc("poem.md") == "Basil, thyme and mint.\n"
    assert [event["stage"] for event in garden.events("stage_skipped")] == ["tests"]


def test_a_type_nobody_knows_is_told_to_the_agent(garden: Garden) -> None:
    garden.script(*agreed({**INTENT, "deliverable_type": "poem", "type_reason": "It asks for a poem."}))
    assert garden.json("think", garden.note())["halt_reason"] == "agent_failed"
    assert "must be one of code, plan, not 'poem'" in garden.contexts("distill")[1]
