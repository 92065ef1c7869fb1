"""spec.md and constraints.md: every section, in its order, from an intent and a proposal."""

import re
from typing import Any

from thoughtforge.think.texts import SPEC_FRAME, constraints_text, spec_text

INTENT: dict[str, Any] = {
    "title": "Seeds",
    "deliverable_type": "code",
    "objective": ["a seed list"],
    "constraints": ["no cloud", "cheap"],
    "unknowns": [{"id": "U-1", "text": "not sure where data lives"}],
    "open_questions": [{"id": "Q-1", "text": "who uses it?"}],
}
PROPOSAL: dict[str, Any] = {
    "plan_kind": None,
    "language": "Python",
    "overview": "a seed list",
    "structure": [{"name": "store", "purpose": "keeps seeds"}],
    "decisions": [{"id": "D-1", "title": "files", "decision": "one file", "reason": "it is small"}],
    "challenges": [
        {"id": "C-1", "area": "scope", "concern": "no end", "reasoning": "nobody said", "resolution": "ten seeds"},
        {"id": "C-2", "area": "scope", "concern": "dismissed", "reasoning": "nobody minds", "resolution": ""},
    ],
    "resolved": [
        {"id": "U-1", "resolution": "in a file", "by": "ai"},
        {"id": "Q-1", "resolution": "the club", "by": "person"},
        {"id": "C-1", "resolution": "ten seeds", "by": "person"},
    ],
    "open": [],
    "dependencies": ["a disk"],
    "scope": {"in": ["a list"], "out": ["a shop"]},
    "priorities": ["simple"],
    "exclusions": ["colours"],
    "severity": {"critical": "loses seeds", "medium": "slow", "minor": "ugly"},
    "criteria": [{"id": "AC-1", "text": "lists all seeds"}],
    "traced": [{"id": "CON-1", "in": ["D-1"]}],
    "left_out": [{"id": "CON-2", "reason": "nothing costs money"}],
    "components": [{"name": "click", "ecosystem": "pypi", "purpose": "arguments"}],
}


def test_the_specification() -> None:
    assert spec_text(INTENT, PROPOSAL, scorecards="click: 7 of 8") == (
        "# Specification: Seeds\n\n"
        "## Deliverable Overview\n\na seed list\n\n"
        "## Deliverable Structure\n\nLanguage: Python\n\n- **store**: keeps seeds\n\n"
        "Open-source components:\n\n- click (pypi): arguments\n\nclick: 7 of 8\n\n"
        "## Key Decisions\n\n- **D-1** files: one file\n  Reason: it is small\n"
        "- **C-1** Concern: no end\n  Reasoning: nobody said\n  Resolution: ten seeds\n\n"
        "## Resolved Unknowns\n\n- **U-1** not sure where data lives\n  in a file (decided by the agent)\n"
        "- **Q-1** who uses it?\n  the club (decided by a person)\n\n"
        "## Dependencies\n\n- a disk\n\n"
        "## Scope Boundaries\n\n### In scope\n\n- a list\n\n### Out of scope\n\n- a shop\n\n"
        "### Where the intent went\n\n- **OBJ-1** a seed list → overview\n- **CON-1** no cloud → D-1\n"
        "- **CON-2** cheap (left out: nothing costs money)\n"
    )


def test_the_constraints() -> None:
    assert constraints_text(INTENT, PROPOSAL) == (
        "# Constraints: Seeds\n\n"
        "## Context\n\na seed list\n\n"
        "## Deliverable Type\n\nCode\n\n"
        "## Priorities\n\n- simple\n\n"
        "## Exclusions\n\n- colours\n\n"
        "## Severity Definitions\n\n- **Critical:** loses seeds\n- **Medium:** slow\n- **Minor:** ugly\n\n"
        "## Scope\n\n### In scope\n\n- a list\n\n### Out of scope\n\n- a shop\n\n"
        "## Acceptance Criteria\n\n- **AC-1** lists all seeds\n"
    )


def test_a_plan_names_its_kind_and_a_proposal_without_criteria_says_so() -> None:
    plan = PROPOSAL | {"plan_kind": "wedding", "language": None, "components": []}
    del plan["criteria"]
    assert "## Deliverable Structure\n\nKind of plan: wedding\n\n- **store**: keeps seeds\n\n## Key" in spec_text(
        INTENT, plan
    )
    assert constraints_text(INTENT, plan).endswith("## Acceptance Criteria\n\nNone listed.\n")


def test_without_its_own_texts_only_the_proposal_is_left() -> None:
    text = spec_text(INTENT, PROPOSAL) + constraints_text(INTENT, PROPOSAL)
    for own in sorted(SPEC_FRAME, key=len, reverse=True):
        text = text.replace(own, "")
    said = f"{INTENT} {PROPOSAL} OBJ-1 CON-1 CON-2 overview"
    left = [part.strip() for line in text.splitlines() for part in re.split(r"[*#()→]|: ", line)]
    assert [part for part in left if part.strip("- ") and part.strip("- ") not in said] == []
