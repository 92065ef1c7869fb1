"""intent.md: an intent as people read it. A view, written and never parsed back."""

from __future__ import annotations

from thoughtforge.intake.bullets import NOTHING, bullets, numbered, section
from thoughtforge.kernel.model import JsonObject

TYPES = {"plan": "Plan", "code": "Code"}
HEADINGS = {
    "type": "Deliverable Type",
    "objective": "Objective",
    "assumptions": "Assumptions",
    "constraints": "Constraints",
    "unknowns": "Unknowns",
    "open_questions": "Open Questions",
    "context": "Context",
}
FRAME = (*HEADINGS.values(), *TYPES.values(), NOTHING)
"""Every text of its own this view has; all else comes from the intent."""


def intent_text(intent: JsonObject) -> str:
    """The title, the six sections, and what fits into none of them."""
    kind = f"**{TYPES[intent['deliverable_type']]}**\n\n{intent['type_reason']}"
    parts = [f"# {' '.join(intent['title'].split())}\n", section(HEADINGS["type"], kind)]
    for key in ("objective", "assumptions", "constraints"):
        parts.append(section(HEADINGS[key], bullets(intent[key])))
    for key in ("unknowns", "open_questions"):
        parts.append(section(HEADINGS[key], numbered([(one["id"], one["text"]) for one in intent[key]])))
    parts.append(section(HEADINGS["context"], bullets(intent["context"])))
    return "\n".join(parts)
