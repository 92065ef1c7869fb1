"""Over-long constraints lose whole sections in a fixed order; what a deliverable is judged by stays."""

from __future__ import annotations

from thoughtforge.agent.tokens import estimate
from thoughtforge.think.texts import CONSTRAINTS_HEADINGS, DROPPED, constraints_block, fitting

BODY = "word " * 200
TEXT = "# Constraints\n\n" + "".join(f"## {name}\n\n{BODY}\n\n" for name in CONSTRAINTS_HEADINGS)


def headings(text: str) -> list[str]:
    return [line[3:] for line in text.splitlines() if line.startswith("## ")]


def test_what_fits_stays_as_it_is() -> None:
    assert fitting(TEXT, estimate(TEXT)) == (TEXT, ())


def test_sections_go_in_their_order_and_only_as_many_as_needed() -> None:
    text = TEXT
    for count in range(1, len(DROPPED) + 1):
        text, gone = fitting(TEXT, estimate(text) - 1)  # one token less than what was left before
        assert gone == DROPPED[:count]
        assert headings(text) == [name for name in CONSTRAINTS_HEADINGS if name not in gone]


def test_context_type_and_criteria_never_go() -> None:
    text, gone = fitting(TEXT, 10)
    assert (headings(text), gone) == (["Context", "Deliverable Type", "Acceptance Criteria"], DROPPED)


def test_what_went_is_said_in_the_block() -> None:
    block = constraints_block("constraints", TEXT, budget=estimate(TEXT) - 1)
    assert block.text.startswith("(left out for its size: Scope)")
