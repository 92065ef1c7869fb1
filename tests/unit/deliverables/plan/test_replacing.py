"""Fixes by section: which ones a finding concerns, what may be replaced, and the document after it."""

import pytest

from thoughtforge.deliverables.plan.replacing import Batch, Replaced, batches, concerned, corrected, shown
from thoughtforge.deliverables.plan.structure import fix_problems
from thoughtforge.polish.finding import ReviewFinding

FRAME = "| Objective | Plan | Assessment |\n|---|---|---|\n| {} | b | c |\n"
BEDS, POND = f"## Beds\n\n{FRAME.format('beds')}\nroses\n", f"## Pond\n\n{FRAME.format('fish')}\nwater\n"
PLAN = f"# Garden\n\n{BEDS}\n{POND}\n## Money and means\n\ncheap\n"
ALL = ("Beds", "Pond", "Money and means")


def finding(location: str, text: str = "wrong") -> ReviewFinding:
    """A finding somewhere."""
    return ReviewFinding("medium", text, location, "mend it", id="F-001")


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (finding("Pond"), ("Pond",)),
        (finding("Pond, second row"), ("Pond",)),
        (finding("Pond", "Beds says otherwise."), ("Beds", "Pond")),
        (finding("money"), ("Money and means",)),
        (finding("overall"), ALL),
        (finding("Nowhere"), ALL),
        (finding(""), ALL),
    ],
)
def test_the_sections_a_finding_is_about(one: ReviewFinding, expected: tuple[str, ...]) -> None:
    assert concerned(PLAN, one) == expected


def test_a_short_plan_is_shown_whole_and_a_long_one_in_parts() -> None:
    found = (finding("Beds"), finding("Pond"))
    assert batches(PLAN, found, fits=lambda text: True) == (Batch(found, ALL),)
    assert batches(PLAN, found, fits=lambda text: len(text) < 200) == (Batch(found, ("Beds", "Pond")),)
    assert batches(PLAN, found, fits=lambda text: False) == (Batch(found[:1], ("Beds",)), Batch(found[1:], ("Pond",)))


def test_the_other_sections_are_shown_in_outline() -> None:
    view = shown(PLAN, ("Pond",))
    assert view.whole.startswith("## Pond\n")
    assert "water" in view.whole
    assert view.outline == "- Beds: beds\n- Money and means: "


def test_a_section_is_replaced_and_the_rest_stays_word_for_word() -> None:
    made = corrected(PLAN, [{"heading": "## pond", "text": f"{FRAME.format('frogs')}\nmore water"}], given=ALL)
    assert made == (PLAN.replace("fish", "frogs").replace("\nwater", "\nmore water"), ())
    assert corrected(PLAN, [], given=ALL) == (PLAN, ())


def test_content_handed_in_alone_keeps_its_frame() -> None:
    made = corrected(PLAN, [{"heading": "Pond", "text": "frogs"}], given=ALL)
    assert made.text == PLAN.replace("\nwater", "\nfrogs")
    assert fix_problems(PLAN, made.text) == ()


def test_a_frame_that_became_a_wall_is_moved_below_it() -> None:
    wall = "<br>".join(f"{number}. dig bed \\| {number}" for number in range(20))
    text = FRAME.format("beds").replace("| b |", f"| First this.<br>{wall} |") + "\nroses"
    made = corrected(PLAN, [{"heading": "Beds", "text": text}], given=ALL)
    assert fix_problems(PLAN, made.text) == ()
    assert "| beds | First this. | c |\n\n0. dig bed \\| 0\n1. dig bed \\| 1\n" in made.text
    assert made.text.index("19. dig bed") < made.text.index("roses")


@pytest.mark.parametrize(
    ("heading", "text", "why"),
    [
        ("Lake", "water", "there is no section 'Lake'; the sections are Pond"),
        ("Beds", "thorns", "the section 'Beds' was not shown whole and is not replaced"),
        ("Pond", " \n", "the section 'Pond' is empty"),
    ],
)
def test_why_a_section_is_not_taken(heading: str, text: str, why: str) -> None:
    assert corrected(PLAN, [{"heading": heading, "text": text}], given=("Pond",)) == (PLAN, (why,))


PARTS = (
    "# P\n\n## Risks\n\ntable\n\n### What can go wrong\n\nold\n\n#### Deep\n\nmore\n\n"
    "### Who acts\n\nAnn\n\n## Time\n\nMay\n"
)


def test_a_part_of_a_section_may_be_handed_in_by_its_lower_heading() -> None:
    found = corrected(PARTS, [{"heading": "What can go wrong", "text": "new"}], given=["Risks", "Time"])
    assert found == Replaced(PARTS.replace("old\n\n#### Deep\n\nmore\n", "new\n"), ())


def test_an_empty_part_and_a_heading_nobody_has_are_refused_with_the_sections_there_are() -> None:
    parts = [{"heading": "Who acts", "text": " "}, {"heading": "Weather", "text": "sun"}]
    found = corrected(PARTS, parts, given=["Risks", "Time"])
    assert found.wrong == (
        "the section 'Risks' is empty",
        "there is no section 'Weather'; the sections are Risks, Time",
    )
