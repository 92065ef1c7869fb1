"""What forbids to implement a plan at once after its approval."""

from __future__ import annotations

from typing import Any

import pytest

from thoughtforge.forge.events import PlanApproved, PlanAudited
from thoughtforge.forge.phase import PlanPhase
from thoughtforge.forge.plan import ChangePlan
from thoughtforge.service.plan_auto import forbidden


def audited(outcome: str = "pass", **more: Any) -> ChangePlan:
    """A plan that was approved after this audit."""
    facts = {"stage": "plan", "round": 1, "answer": None, "severity": "none", "source": "json", "text": "0" * 64}
    audit = PlanAudited.model_validate({**facts, "outcome": outcome})
    approved = PlanApproved(meaning="m", base_commit="c")
    return ChangePlan(**{"meaning": "m", "audits": (audit,), "approved": approved, **more})


def test_a_plan_with_a_clean_audit_is_implemented_at_once() -> None:
    assert forbidden(audited(), ["src/a.py"], dirty=["src/b.py", "lib/"], others=()) == ()


@pytest.mark.parametrize(
    ("plan", "why"),
    [
        (audited(audits=()), "no audit stands behind the approval"),
        (
            audited(approved=PlanApproved(meaning="m", base_commit="c", unaudited="I read it")),
            "no audit stands behind the approval",
        ),
        (audited(changed=True), "the plan was edited after its last audit"),
        (audited("unparsed"), "its last audit ended as unparsed"),
        (audited("cap_reached"), "its last audit ended as cap reached"),
        (audited("surviving"), "its last audit ended as surviving"),
        (audited("revise"), "its last audit ended as revise"),
        (
            audited(phases=(PlanPhase("phase-1", "One", "implement", ""),), made_of="older"),
            "its phases are older than the plan",
        ),
    ],
)
def test_what_stands_against_the_plan_is_named(plan: ChangePlan, why: str) -> None:
    assert forbidden(plan, ["src/a.py"], dirty=(), others=()) == (why,)


def test_changes_of_a_person_and_a_plan_at_work_forbid_it_together() -> None:
    files = ["src/a.py", "new/b.py", "src/c.py"]
    assert forbidden(audited(), files, dirty=["new/", "src/a.py"], others=["plan-002"]) == (
        "you have uncommitted changes in src/a.py, new/b.py",
        "plan-002 runs now",
    )
