"""The confirmed structure is the plan: its sections, their order and names, whatever the template has."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from thoughtforge.catalog import Catalog
from thoughtforge.deliverables.plan.markdown import parts
from thoughtforge.deliverables.plan.skeleton import missing_sections, skeleton, with_required
from thoughtforge.deliverables.plan.slots import render
from thoughtforge.deliverables.plan.template import choose, outlines, slots_of

CATALOG = Catalog(project={}, user=None)
GENERIC = choose(CATALOG, "generic").template
KINDS = outlines(CATALOG)


def named(*names: str, kind: str | None = "generic", **more: Any) -> dict[str, Any]:
    """A proposal with these sections."""
    return {"plan_kind": kind, "structure": [{"name": name, "purpose": f"about {name}", **more} for name in names]}


def test_eight_confirmed_sections_are_the_eight_sections_of_the_plan() -> None:
    names = ["To decide", "Aim", "Scope", "Steps", "Time", "Money and means", "Risks", "If it dies in week 3"]
    made = skeleton(GENERIC, named(*names)["structure"])
    assert [section.heading for section in made.sections] == names
    assert [part.heading for part in parts(render(made, {}, title="Plan"))] == ["", *names]
    assert made.sections[0].slots == slots_of("to_decide")
    steps = made.sections[3]
    assert (steps.name, steps.purpose, steps.holds) == ("steps", "about Steps", ("actions",))


def test_what_a_section_holds_is_what_was_confirmed() -> None:
    made = skeleton(GENERIC, named("Steps", "Prices", holds=["figures"])["structure"])
    assert [section.holds for section in made.sections] == [("actions", "figures"), ("figures",)]
    assert skeleton(GENERIC, named("Steps", holds=[])["structure"]).sections[0].holds == ("actions",)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(names=st.lists(st.text(alphabet="aA1 _-|<>{}#%äß水\n", min_size=1, max_size=12), min_size=1, max_size=5))
def test_whatever_sections_are_called_they_can_be_told_apart_and_rendered(names: list[str]) -> None:
    whole = with_required(named(*names), KINDS)
    made = skeleton(GENERIC, whole["structure"])
    assert len({section.name for section in made.sections}) == len(made.sections) == len(whole["structure"])
    text = render(made, {made.sections[0].slots[1]: "Dig."}, title="Plan")
    assert len(parts(text)) == len(made.sections) + 1
    assert "Dig." in text


def test_required_sections_that_are_missing_are_named_and_added_where_the_template_has_them() -> None:
    lean = named("Costs", "aim", "Risks")
    assert missing_sections(lean, KINDS) == ("Steps",)
    found = with_required(lean, KINDS)["structure"]
    assert [one["name"] for one in found] == ["Costs", "aim", "Steps", "Risks"]
    assert found[2] == {
        "name": "Steps",
        "purpose": "What is done, in which order, by whom.",
        "holds": ["actions"],
    }


def test_an_unknown_kind_goes_by_the_generic_template_and_none_at_all_requires_nothing() -> None:
    assert missing_sections(named("Sails", kind="boat"), KINDS) == ("Aim", "Steps", "Risks")
    assert missing_sections(named("Sails", kind=None), KINDS) == ("Aim", "Steps", "Risks")
    assert missing_sections(named("Sails"), {}) == ()


def test_names_are_made_fit_for_headings_and_none_is_there_twice() -> None:
    whole = with_required(named("## Aim", "Steps", "risks", "Risks", "Risks\n (2)"), KINDS)
    assert [one["name"] for one in whole["structure"]] == ["Aim", "Steps", "risks", "Risks (2)", "Risks (2) (2)"]
