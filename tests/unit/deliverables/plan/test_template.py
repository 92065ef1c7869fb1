"""A template read from its file: its sections in order, and everything wrong with it."""

import pytest

from thoughtforge.catalog import LIBRARY
from thoughtforge.deliverables.plan.template import Section, parse, slots_of
from thoughtforge.kernel.errors import UserError

NAMES = sorted(path.stem for path in (LIBRARY / "templates").glob("*.md"))
TABLE = "| Objective | Plan | Assessment |\n|---|---|---|\n"
ROW = "| {{ beds_objective }} | {{ beds_plan }} | {{ beds_assessment }} |\n"
NEEDS = "needs one table | Objective | Plan | Assessment | with one row of three slots"
GOOD = f"# {{{{ title }}}}\n\n## Beds\n{{# Where things\n grow. #}}\n\n{TABLE}{ROW}"


def test_the_sections_of_a_template() -> None:
    slots = ("beds_objective", "beds_plan", "beds_assessment", "beds_body")
    template = parse("garden", GOOD, path="garden.md", digest="d")
    assert template[:4] == ("garden", "garden.md", "d", "# {{ title }}\n\n")
    assert template.sections == (Section("beds", "Beds", "Where things grow.", slots, GOOD[GOOD.index("{# Where") :]),)
    assert slots_of("beds") == slots


@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        ("required: ", (True, ())),
        ("actions : ", (False, ("actions",))),
        ("figures, required,actions: ", (True, ("actions", "figures"))),
        ("Required: ", (False, ())),
        ("required things: ", (False, ())),
    ],
)
def test_a_comment_marks_what_must_stay_and_what_a_section_holds(marks: str, expected: tuple[bool, object]) -> None:
    (section,) = parse("g", GOOD.replace("{# ", f"{{# {marks}"), path="g.md").sections
    plain = "Where things grow."
    assert (section.required, section.holds) == expected
    assert section.purpose == (plain if expected != (False, ()) else f"{marks}{plain}")


def test_without_a_comment_the_heading_is_the_purpose() -> None:
    assert parse("g", f"## Beds\n\n{TABLE}{ROW}", path="g.md").sections[0].purpose == "Beds"


@pytest.mark.parametrize("name", NAMES)
def test_a_template_of_the_library_is_in_order_and_says_what_each_section_is_for(name: str) -> None:
    text = (LIBRARY / "templates" / f"{name}.md").read_text(encoding="utf-8")
    template = parse(name, text, path=f"{name}.md")
    assert len(template.sections) >= 6
    assert all(section.purpose != section.heading for section in template.sections)


def test_four_kinds_of_plan_ship() -> None:
    assert NAMES == ["engineering", "generic", "strategy", "wedding"]


def test_broken_syntax_is_named_with_its_line() -> None:
    with pytest.raises(UserError, match=r"^g\.md, line 3: ") as refused:
        parse("g", "# {{ title }}\n\n{{ oops\n", path="g.md")
    assert refused.value.do.startswith("Correct the template")


def problems(text: str) -> tuple[str, ...]:
    with pytest.raises(UserError) as refused:
        parse("g", text, path="g.md")
    return refused.value.details


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# only a title\n", ("g.md: there is no section; begin each with ## and a heading",)),
        (
            f"## Beds\n\n{TABLE}\n## Pond\n\n{TABLE}| {{{{ a_plan }}}} | | |\n",
            (
                f"g.md: the section 'Beds' {NEEDS}",
                f"g.md: the section 'Pond' {NEEDS}",
                "g.md: a_plan stands outside the tables",
            ),
        ),
        (f"{GOOD}\n{{{{ stray }}}}\n", ("g.md: stray stands outside the tables",)),
        (
            f"{GOOD}\n{GOOD.replace('Beds', 'More')}",
            tuple(f"g.md: beds_{column} is used 2 times" for column in ("assessment", "objective", "plan"))
            + ("g.md: title is used 2 times",),
        ),
        (
            GOOD.replace("## Beds", "## Beds {{ x }}"),
            ("g.md: the heading 'Beds {{ x }}' holds a slot", "g.md: x stands outside the tables"),
        ),
        (f"{{% if x %}}a{{% endif %}}\n{GOOD}", ("g.md, line 1: only {{ slot }} may stand in a template",)),
        (f"{{{{ title | upper }}}}\n{GOOD}", ("g.md, line 1: only {{ slot }} may stand in a template",)),
    ],
)
def test_everything_wrong_with_a_template_is_named(text: str, expected: tuple[str, ...]) -> None:
    assert problems(text) == expected
