"""What a section's writer is shown when everything does not fit."""

from thoughtforge.catalog import Catalog
from thoughtforge.deliverables.plan.showing import CUT, LEFT_OUT, section_context, slots_asked, spec_part
from thoughtforge.deliverables.plan.template import choose

GENERIC = choose(Catalog(project={}, user=None), "generic").template
TIME = GENERIC.sections[3]
SPEC = "Overview of it all.\n\nThe dates are fixed in June.\n\nNothing about that.\n\nDeadlines: none."
FILLED = {"aim_plan": "Far away.", "steps_plan": "Just before."}


def shown(limit: int) -> tuple[str, str]:
    return section_context(
        GENERIC, TIME, filled=FILLED, spec=SPEC, title="Garden", fits=lambda text: len(text) <= limit
    )


def test_everything_when_it_fits() -> None:
    text, warning = shown(100_000)
    assert warning == ""
    assert text.startswith(slots_asked(TIME))
    assert all(part in text for part in (SPEC, "# Garden", "Far away.", "Just before."))


def test_else_the_slots_their_part_of_the_specification_and_the_section_before() -> None:
    text, warning = shown(650)
    part = "The dates are fixed in June.\n\nDeadlines: none."
    before = "## Steps\n\n| Objective | Plan | Assessment |\n|---|---|---|\n|  | Just before. |  |\n"
    assert (text, warning) == (f"{slots_asked(TIME)}\n{part}\n\n{before}", f"Time: {LEFT_OUT}")


def test_when_even_that_is_too_much_the_slots_stay_and_the_rest_is_cut() -> None:
    asked = slots_asked(TIME)
    text, warning = shown(len(asked) + 1 + 9 + len(CUT))
    assert (text, warning) == (f"{asked}\nThe dates{CUT}", f"Time: {LEFT_OUT}, cut to size")
    assert shown(10) == (asked, f"Time: {LEFT_OUT}, cut to size")


def test_the_first_section_has_none_before_it() -> None:
    aim = GENERIC.sections[0]
    limit = len(slots_asked(aim)) + 100
    text, _ = section_context(GENERIC, aim, filled=FILLED, spec="x", title="t", fits=lambda text: len(text) <= limit)
    assert text == f"{slots_asked(aim)}\nx\n\n"


def test_the_beginning_of_a_specification_that_shares_no_word() -> None:
    assert spec_part("one\n\ntwo\n\nthree", TIME) == "one\n\ntwo"
