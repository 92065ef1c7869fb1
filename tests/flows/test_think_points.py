"""Points of a review: what a fix is credited with, what a fixer declines, and what nobody has tried to put right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from flows.test_think_material import form_of, serve
from flows.thoughts import FINDING, Garden, Rule, agreed, built, fixed, make_garden, review
from model_server import Asked, ModelServer
from model_server.playbooks import from_playbook
from thoughtforge.providers.scripted import load

CRITICAL = {**FINDING, "severity": "critical"}
OTHER = {
    "severity": "medium",
    "title": "Rain",
    "description": "Nobody says what happens when it rains",
    "location": "Risks",
    "recommendation": "Say it.",
}
WATERS = fixed(steps_plan="Ann waters them.")
QUOTE = "steps objective of the herbs"


@pytest.fixture
def garden(tmp_path: Path) -> Garden:
    """A fresh place outside any repository."""
    return make_garden(tmp_path)


def run(garden: Garden, *rules: Rule) -> tuple[dict[str, Any], list[Asked]]:
    """Let a thought run; how it ended and every request that was sent."""
    script = garden.folder / "served.yaml"
    script.write_text(json.dumps({"rules": [*rules, *agreed(), *built()]}))
    with ModelServer(from_playbook(load(script))) as server:
        serve(garden, server)
        return garden.json("think", garden.note()), list(server.asked)


def asked_for(form: str, *texts: str, reply: Any, **more: Any) -> Rule:
    """The reply to a request for this form that holds these texts."""
    return {"when": {"context": [f"form of {form}", *texts]}, "reply": reply, **more}


def test_a_fix_is_credited_only_with_the_points_whose_sections_it_changed(garden: Garden) -> None:
    done, _ = run(
        garden,
        asked_for("plan_review", reply=review(CRITICAL, OTHER), times=1),
        asked_for("plan_review", reply=review()),
        asked_for("plan_fix", reply=WATERS),
        asked_for("recheck", reply={"fixed": ["F-001", "F-002"], "still": []}),
    )
    assert done["phase"] == "done"
    (fix,) = garden.events("polish_fixed")
    assert fix["reason"] == "F-001; left as they were: F-002"


def test_a_point_that_a_fixer_declines_is_answered_and_no_review_of_the_same_text_is_paid(garden: Garden) -> None:
    declines = {"sections": [], "declined": [{"id": "F-001", "reason": "The pots water themselves.", "quote": QUOTE}]}
    done, asked = run(
        garden,
        asked_for("plan_review", reply=review(CRITICAL), times=1),
        asked_for("plan_review", reply=review()),
        asked_for("plan_fix", reply=declines),
        asked_for("recheck", reply={"fixed": [], "still": [], "refuted": [{"id": "F-001", "quote": QUOTE}]}),
    )
    assert done["phase"] == "done"
    forms = [form_of(one) for one in asked if form_of(one).startswith(("plan_review", "plan_fix", "recheck"))]
    assert forms[:3] == ["plan_review", "plan_fix", "recheck"]
    recheck = next(one.user for one in asked if form_of(one) == "recheck")
    assert f"The fixer declines it: The pots water themselves. (“{QUOTE}”)" in recheck
    assert [one["outcome"] for one in garden.events("polish_fixed")][:1] == ["accepted"]


def test_after_a_fix_that_changed_nothing_only_the_points_are_asked_about(garden: Garden) -> None:
    done, asked = run(
        garden,
        asked_for("plan_fix", "why your last fix was refused", reply=WATERS),
        asked_for("plan_fix", reply={"sections": []}),
        asked_for("recheck", "word for word", reply={"fixed": [], "still": ["F-001"]}),
        asked_for("recheck", reply={"fixed": ["F-001"], "still": []}),
        asked_for("plan_review", reply=review(CRITICAL), times=1),
        asked_for("plan_review", reply=review()),
    )
    assert done["phase"] == "done"
    forms = [form_of(one) for one in asked if form_of(one) in ("plan_review", "plan_fix", "recheck")]
    assert forms[:6] == ["plan_review", "plan_fix", "recheck", "plan_fix", "plan_review", "recheck"]


def test_a_point_no_fixer_got_is_offered_with_its_whole_text(garden: Garden) -> None:
    done, _ = run(
        garden,
        asked_for("plan_review", reply=review(CRITICAL), times=1),
        asked_for("plan_review", reply=review(), times=1),
        asked_for("plan_review", reply=review(OTHER)),
        asked_for("plan_fix", reply=WATERS),
        asked_for("recheck", reply={"fixed": ["F-001"], "still": []}),
    )
    assert done["phase"] == "done"
    whole = "- F-002 medium: Rain: Nobody says what happens when it rains (Risks) → Say it."
    assert f"No fixer has seen yet:\n{whole}" in done["message"]
    assert f"thoughtforge continue {garden.task} has it fixed" in done["message"]
