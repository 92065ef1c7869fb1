"""What may go into a slot: content for slots that exist, and no placeholder."""

import pytest

from thoughtforge.catalog import Catalog
from thoughtforge.deliverables.plan.slots import CELL, Filling, accept, framed, unfinished
from thoughtforge.deliverables.plan.template import choose

GENERIC = choose(Catalog(project={}, user=None), "generic").template
AIM = GENERIC.sections[0]
FULL = {"aim_objective": "A garden.", "aim_plan": "Dig.", "aim_assessment": "It grows.", "aim_body": "We dig in May."}


def test_a_full_section_is_taken() -> None:
    assert accept(AIM, FULL) == Filling(FULL, (), ())


def test_content_for_a_slot_that_is_not_there_is_dropped_with_a_warning() -> None:
    warning = "Aim: there is no slot 'aim_colour'; its content was dropped"
    assert accept(AIM, FULL | {"aim_colour": "red"}) == Filling(FULL, (warning,), ())


def test_an_empty_slot_and_one_with_a_placeholder_are_named() -> None:
    assert accept(AIM, {"aim_objective": " ", "aim_plan": "Dig. TBD"}) == Filling(
        {},
        (),
        (
            "Aim: aim_objective (Objective in the table) is empty",
            "Aim: aim_plan (Plan in the table) holds a placeholder (TBD)",
            "Aim: aim_assessment (Assessment in the table) is empty",
            "Aim: aim_body (below the table) is empty",
        ),
    )


def test_a_provider_that_only_quotes_may_leave_its_phrase_and_the_persons_own_placeholders() -> None:
    unsaid = FULL | {"aim_plan": "not said yet", "aim_objective": "date: TBD"}
    assert accept(AIM, unsaid).missing == (
        "Aim: aim_objective (Objective in the table) holds a placeholder (TBD)",
        "Aim: aim_plan (Plan in the table) holds a placeholder (not said yet)",
    )
    assert accept(AIM, unsaid, allowed="not said yet") == Filling(unsaid, (), ())
    assert accept(AIM, FULL | {"aim_plan": " "}, allowed="not said yet").missing == (
        "Aim: aim_plan (Plan in the table) is empty",
    )


def test_a_build_goes_on_at_the_first_section_that_lacks_something() -> None:
    assert unfinished(GENERIC, {})[0] == AIM
    assert unfinished(GENERIC, FULL) == GENERIC.sections[1:]
    later = FULL | {slot: "said" for section in GENERIC.sections[2:] for slot in section.slots}
    assert unfinished(GENERIC, later) == (GENERIC.sections[1],)


WALL = "We move first. Then more.\n- one\n- two\n- three"
STEPS = GENERIC.sections[2]
DONE = {"steps_objective": "a", "steps_plan": "b", "steps_assessment": "c"}
TASKS = "| What | Who | By when | Depends on |\n|---|---|---|---|\n| Dig | Ann | May | – |"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (TASKS, ()),
        (TASKS.replace("What", "**What**").replace("Depends on |", "Depends on | Cost |").replace("–", "– | 3"), ()),
        ("We dig.", ("Steps: steps_body has no tasks table | What | Who | By when | Depends on |",)),
        (f"{TASKS} more |", ("Steps: row 1 of the table | What | Who | By when | Depends on | has 5 cells",)),
        (
            f"{TASKS}\n\n| Item | EUR |\n|---|---|\n| Pots | 2 |\n| Total | 3 |",
            ("Steps: the row 'Total' says 3 under 'EUR', the rows above add up to 2 (2)",),
        ),
    ],
)
def test_what_is_asked_for_once_more_and_halts_nothing(body: str, expected: tuple[str, ...]) -> None:
    found = accept(STEPS, {**DONE, "steps_body": body})
    assert (found.missing, found.better) == ((), expected)
    assert accept(STEPS, {**DONE, "steps_body": body}, allowed="not said yet").better == ()


@pytest.mark.parametrize("text", [WALL, "word " * CELL, TASKS])
def test_a_cell_that_is_too_much_is_told(text: str) -> None:
    (told,) = accept(AIM, FULL | {"aim_plan": text}).better
    size = f"{len(text.strip())} characters in {len(text.strip().splitlines())} lines"
    assert told == f"Aim: aim_plan has {size}. Leave a sentence or two, at most 300, and move the rest to aim_body"
    assert accept(AIM, FULL | {"aim_plan": "x" * CELL}).better == ()


def test_what_is_too_much_for_a_cell_stands_below_the_frame() -> None:
    found = framed(AIM, FULL | {"aim_plan": WALL, "aim_assessment": "- It grows.\n- It\n- really\n- does."})
    assert found["aim_plan"] == "We move first. Then more."
    assert found["aim_assessment"] == "See below."
    assert found["aim_body"] == (
        "- one\n- two\n- three\n\n**Assessment:**\n\n- It grows.\n- It\n- really\n- does.\n\nWe dig in May."
    )
    assert framed(AIM, FULL) == FULL
