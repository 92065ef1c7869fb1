"""The proposal as a person reads it: everything they confirm, and what changed since the version before."""

from __future__ import annotations

from typing import Any

from flows.thoughts import INTENT, PROPOSAL
from thoughtforge.think.texts import proposal_text

TEXT = """# Proposal: Herb garden (plan, generic)

A plan for herbs on a balcony.

## Structure
- Aim: What shall grow.
- Scope: Which herbs.
- Steps: Who does what. (with a table of tasks)
- Time: When.
- Money and means: What it costs. (with a table with totals)
- Risks: What can go wrong.

## Decisions
- D-1 Pots: Clay pots (They breathe.)

## Settled
- U-1 Not sure which pots to buy. → Clay pots (ai)
- Q-1 Which herbs? → Basil and thyme (ai)

## In scope
- herbs

## Out of scope
- trees

## Acceptance criteria
- AC-1: Every herb has a pot.

## Priorities
- cheap

## What a review counts as
- critical: It cannot be done.
- medium: It is unclear.
- minor: A matter of words.

## Where the intent went
- OBJ-1 I want a plan for a small herb garden on the balcony. → overview
- CON-1 Budget is 80 euros. → AC-1, priorities"""


def changed(**parts: Any) -> str:
    """What a person reads after a version with these parts changed."""
    return proposal_text(INTENT, {**PROPOSAL, **parts}, before=PROPOSAL)


def test_everything_that_is_confirmed_is_shown() -> None:
    assert proposal_text(INTENT, PROPOSAL) == TEXT


def test_what_reviews_leave_alone_and_what_has_no_trace_is_shown() -> None:
    text = proposal_text(INTENT, {**PROPOSAL, "exclusions": ["Wording"], "traced": PROPOSAL["traced"][:1]})
    assert "## What reviews leave alone\n- Wording\n" in text
    assert text.endswith("## Nobody says where these went\n- CON-1 Budget is 80 euros.")


def test_a_changed_line_is_shown_as_it_was_and_as_it_is() -> None:
    text = changed(priorities=["quick"], criteria=[*PROPOSAL["criteria"], {"id": "AC-2", "text": "It lasts."}])
    title, _, rest = text.partition("\n\n")
    assert title == TEXT.partition("\n")[0]
    assert rest.startswith("## Changed since the last version\n```diff\n+ AC-2: It lasts.\n- cheap\n+ quick\n```\n\n")


def test_a_version_like_the_last_one_says_so() -> None:
    title, _, rest = TEXT.partition("\n")
    assert changed() == f"{title}\n\n## Changed since the last version\nNothing.\n{rest}"
