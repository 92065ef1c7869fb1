"""Content is data: whatever is in it, the document keeps its headings and tables."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thoughtforge.catalog import Catalog
from thoughtforge.deliverables.plan.markdown import outline
from thoughtforge.deliverables.plan.slots import render, render_section
from thoughtforge.deliverables.plan.structure import fix_problems
from thoughtforge.deliverables.plan.template import cell, cells, choose

GENERIC = choose(Catalog(project={}, user=None), "generic").template
NASTY = st.text(alphabet="|\\{}%#<>&;`-*_[]() \n\r\t\x0b\x85\u2028ab1", max_size=60) | st.text(max_size=60)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a | b", r"a \| b"),
        (r"a \| b", r"a \&#124; b"),
        ("one\ntwo\r\n\n three ", "one<br>two<br><br>three"),
        ("<script>&lt;</script> A & B", "&lt;script>&amp;lt;&lt;/script> A & B"),
        ("{{ title }} {% raw %}", "{{ title }} {% raw %}"),
        ("nul\x00 esc\x1b[0m", "nul esc[0m"),
        ("  \t ", ""),
    ],
)
def test_a_cell(text: str, expected: str) -> None:
    assert cell(text) == expected


def test_a_half_filled_plan_is_shown_with_empty_cells() -> None:
    text = render(GENERIC, {"aim_plan": "Dig."}, title="My\n garden")
    assert text.startswith(
        "# My garden\n\n## Aim\n\n| Objective | Plan | Assessment |\n|---|---|---|\n|  | Dig. |  |\n"
    )
    assert [table.heading for table in outline(text).tables] == [section.heading for section in GENERIC.sections]


def test_a_section_alone_looks_as_in_the_document() -> None:
    alone = render_section(GENERIC, GENERIC.sections[0], filled={"aim_plan": "Dig."})
    assert alone == "## Aim\n\n| Objective | Plan | Assessment |\n|---|---|---|\n|  | Dig. |  |\n"


@settings(max_examples=200, deadline=None, derandomize=True)
@given(texts=st.lists(NASTY, min_size=3, max_size=3), title=NASTY)
def test_no_content_breaks_a_table_or_the_template(texts: list[str], title: str) -> None:
    slots = GENERIC.sections[1].cells
    before = render(GENERIC, {}, title="Plan")
    after = render(GENERIC, dict(zip(slots, texts, strict=True)), title="Plan")
    assert fix_problems(before, after) == ()
    (row,) = outline(after).tables[1].rows
    assert list(row) == [cell(text) for text in texts]
    assert len(render(GENERIC, {}, title=title).splitlines()) == len(before.splitlines())


def test_the_cells_of_a_row() -> None:
    assert cells(r"| a | b \| c |  |") == ["a", r"b \| c", ""]
    assert cells(r"a | b \|") == ["a", r"b \|"]
