"""spec.md and constraints.md: what was settled, as people read it. Views, written and never parsed back."""

from __future__ import annotations

from thoughtforge.intake.bullets import NOTHING, bullets, numbered, section
from thoughtforge.intake.intent_text import TYPES
from thoughtforge.kernel.model import JsonObject

SPEC_HEADINGS = (
    "Deliverable Overview",
    "Deliverable Structure",
    "Key Decisions",
    "Resolved Unknowns",
    "Dependencies",
    "Scope Boundaries",
)
CONSTRAINTS_HEADINGS = (
    "Context",
    "Deliverable Type",
    "Priorities",
    "Exclusions",
    "Severity Definitions",
    "Scope",
    "Acceptance Criteria",
)
WORDS = (
    "Specification:", "Constraints:", "Kind of plan:", "Language:", "Open-source components:", "Reason:", "Concern:",
    "Reasoning:", "Resolution:", "(decided by a person)", "(decided by the agent)", "In scope", "Out of scope",
    "Critical:", "Medium:", "Minor:",
)  # fmt: skip
FRAME = (*SPEC_HEADINGS, *CONSTRAINTS_HEADINGS, *WORDS, *TYPES.values(), NOTHING)
"""Every text of their own these views have; all else comes from the intent and the proposal."""


def spec_text(intent: JsonObject, proposal: JsonObject, *, scorecards: str = "") -> str:
    """The specification; `scorecards` is what was measured about the components, as Markdown."""
    bodies = (
        proposal["overview"],
        _structure(proposal, scorecards),
        _decisions(proposal),
        _resolved(intent, proposal),
        bullets(proposal["dependencies"]),
        _scope(proposal),
    )
    parts = [section(heading, body) for heading, body in zip(SPEC_HEADINGS, bodies, strict=True)]
    return "\n".join([f"# Specification: {' '.join(intent['title'].split())}\n", *parts])


def constraints_text(intent: JsonObject, proposal: JsonObject) -> str:
    """What a review goes by; a person may change it at any time."""
    severity = proposal["severity"]
    named = [f"**{name.capitalize()}:** {severity[name]}" for name in ("critical", "medium", "minor")]
    criteria = [(one["id"], one["text"]) for one in proposal.get("criteria", ())]
    bodies = (
        proposal["overview"],
        TYPES[intent["deliverable_type"]],
        bullets(proposal["priorities"]),
        bullets(proposal["exclusions"]),
        bullets(named),
        _scope(proposal),
        numbered(criteria),
    )
    parts = [section(heading, body) for heading, body in zip(CONSTRAINTS_HEADINGS, bodies, strict=True)]
    return "\n".join([f"# Constraints: {' '.join(intent['title'].split())}\n", *parts])


def _structure(proposal: JsonObject, scorecards: str) -> str:
    parts = []
    if proposal["plan_kind"]:
        parts.append(f"Kind of plan: {proposal['plan_kind']}")
    if proposal["language"]:
        parts.append(f"Language: {proposal['language']}")
    parts.append(bullets([f"**{one['name']}**: {one['purpose']}" for one in proposal["structure"]]))
    components = [f"{one['name']} ({one['ecosystem']}): {one['purpose']}" for one in proposal["components"]]
    if components:
        parts.append(f"Open-source components:\n\n{bullets(components)}")
    if scorecards.strip():
        parts.append(scorecards.strip())
    return "\n\n".join(parts)


def _decisions(proposal: JsonObject) -> str:
    """The decisions, and every challenge something follows from, with what it was about."""
    made = [(one["id"], f"{one['title']}: {one['decision']}\nReason: {one['reason']}") for one in proposal["decisions"]]
    followed = [one for one in proposal["challenges"] if one["resolution"].strip()]
    accepted = [
        (one["id"], f"Concern: {one['concern']}\nReasoning: {one['reasoning']}\nResolution: {one['resolution']}")
        for one in followed
    ]
    return numbered([*made, *accepted])


def _resolved(intent: JsonObject, proposal: JsonObject) -> str:
    asked = {one["id"]: one["text"] for key in ("unknowns", "open_questions") for one in intent[key]}
    by = {"person": "(decided by a person)", "ai": "(decided by the agent)"}
    return numbered(
        [
            (one["id"], f"{asked[one['id']]}\n{one['resolution']} {by[one['by']]}")
            for one in proposal["resolved"]
            if one["id"] in asked
        ]
    )


def _scope(proposal: JsonObject) -> str:
    scope = proposal["scope"]
    return f"### In scope\n\n{bullets(scope['in'])}\n\n### Out of scope\n\n{bullets(scope['out'])}"
