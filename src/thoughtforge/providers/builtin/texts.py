"""Every sentence of its own this provider can say; all else is the person's words. A test subtracts exactly these."""

from __future__ import annotations

from thoughtforge.providers.builtin.unsaid import NOT_SAID

UNTITLED = "Untitled"
BOTH = (
    "There are signs of a plan and of software. It is classified as Plan for now; confirm that, or change it to Code."
)
NO_SIGNS = "Nothing in the notes speaks for software, so it is a plan."
FOR_PLAN = "Words that speak for a plan:"
FOR_CODE = "Words that speak for code:"
CHANGED = "Set by a later message:"
NO_OBJECTIVE = f"What shall exist in the end? ({NOT_SAID})"
NO_LIMITS = f"Which limits are there: money, time, means, what must not be? ({NOT_SAID})"
NO_CRITERIA = f"How will you know that it is done well? ({NOT_SAID})"
WHICH_HOLDS = "Which of the two holds?"
LEFT_IN = "Resource, read for wishes, limits and questions only:"

INTENT_TEXTS = (
    BOTH, NO_SIGNS, FOR_PLAN, FOR_CODE, CHANGED, NO_OBJECTIVE, NO_LIMITS, NO_CRITERIA, WHICH_HOLDS, LEFT_IN, UNTITLED,
)  # fmt: skip
"""All that can be in an intent besides the person's words."""

KIND_TITLE = "Kind of plan"
KIND_DECISION = "The template of the plan is: "
KIND_REASON = "It is the template whose words the intent shares."
TWO_SAY = "Two statements speak against each other."
SEVERITY = {
    "critical": "The deliverable cannot be used, or goes against a constraint.",
    "medium": "Something that was asked for is missing, wrong or unclear.",
    "minor": "It could be better, and nothing asked for depends on it.",
}
