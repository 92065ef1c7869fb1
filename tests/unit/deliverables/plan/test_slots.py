"""What may go into a slot: content for slots that exist, and no placeholder."""

from thoughtforge.catalog import Catalog
from thoughtforge.deliverables.plan.slots import Filling, accept, unfinished
from thoughtforge.deliverables.plan.template import choose

GENERIC = choose(Catalog(project={}, user=None), "generic").template
AIM = GENERIC.sections[0]
FULL = {"aim_objective": "A garden.", "aim_plan": "Dig.", "aim_assessment": "It grows."}


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
            "Aim: aim_objective is empty",
            "Aim: aim_plan holds a placeholder (TBD)",
            "Aim: aim_assessment is empty",
        ),
    )


def test_a_provider_that_only_quotes_may_leave_its_phrase_and_the_persons_own_placeholders() -> None:
    unsaid = FULL | {"aim_plan": "not said yet", "aim_objective": "date: TBD"}
    assert accept(AIM, unsaid).missing == (
        "Aim: aim_objective holds a placeholder (TBD)",
        "Aim: aim_plan holds a placeholder (not said yet)",
    )
    assert accept(AIM, unsaid, allowed="not said yet") == Filling(unsaid, (), ())
    assert accept(AIM, FULL | {"aim_plan": " "}, allowed="not said yet").missing == ("Aim: aim_plan is empty",)


def test_a_build_goes_on_at_the_first_section_that_lacks_something() -> None:
    assert unfinished(GENERIC, {})[0] == AIM
    assert unfinished(GENERIC, FULL) == GENERIC.sections[1:]
    later = FULL | {slot: "said" for section in GENERIC.sections[2:] for slot in section.slots}
    assert unfinished(GENERIC, later) == (GENERIC.sections[1],)
