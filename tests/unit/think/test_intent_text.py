"""intent.md: the title, six sections and what fits into none of them."""

from thoughtforge.think.texts import INTENT_FRAME, intent_text

INTENT = {
    "title": "A\ngarden",
    "deliverable_type": "code",
    "type_reason": "They want an app.",
    "objective": ["We want it green."],
    "assumptions": [],
    "constraints": ["No plastic."],
    "unknowns": [{"id": "U-1", "text": "Not sure who waters."}],
    "open_questions": [{"id": "Q-1", "text": "May we dig?"}],
    "context": ["Talked to Bo.", "```\nx = 1\n```"],
}


def test_the_whole_view() -> None:
    assert intent_text(INTENT) == (
        "# A garden\n\n"
        "## Deliverable Type\n\n**Code**\n\nThey want an app.\n\n"
        "## Objective\n\n- **OBJ-1** We want it green.\n\n"
        "## Assumptions\n\nNone listed.\n\n"
        "## Constraints\n\n- **CON-1** No plastic.\n\n"
        "## Unknowns\n\n- **U-1** Not sure who waters.\n\n"
        "## Open Questions\n\n- **Q-1** May we dig?\n\n"
        "## Context\n\n- Talked to Bo.\n- ```\n  x = 1\n  ```\n"
    )


def test_its_own_texts_are_listed() -> None:
    assert {"Deliverable Type", "Open Questions", "Plan", "Code", "None listed."} <= set(INTENT_FRAME)
