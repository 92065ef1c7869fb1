"""What an agent writes below a table: Markdown that stays where it is, and tables that stay tables."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thoughtforge.catalog import Catalog
from thoughtforge.deliverables.plan.markdown import body, outline, parts, replaced
from thoughtforge.deliverables.plan.slots import render
from thoughtforge.deliverables.plan.structure import fix_problems
from thoughtforge.deliverables.plan.template import choose

GENERIC = choose(Catalog(project={}, user=None), "generic").template
LINES = st.sampled_from(
    ["# One", "## Two", "text", "===", "---", "-", "", "```", "~~~~", "````x", "| a | b |", "|---|---|", "a | b | c",
     "<script>", "<!--", "</td>", "{{ title }}", "{% if %}", "{#", "    code", "> quote", "- item", "|", "\\|", "`<b>`"]
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# One\n## Two ##\n### Three", "### One\n### Two ##\n### Three"),
        ("text\n===\nmore\n---", "text\n\\===\nmore\n\n---"),
        ("a <script>, `<b>`, <br>, <https://example.org>", "a &lt;script>, `<b>`, <br>, <https://example.org>"),
        ("```\n# not a heading\n<b>", "```\n# not a heading\n<b>\n```"),
        ("{{ title }} {% raw %}", "{{ title }} {% raw %}"),
        ("so:\n| a | b |\n|---|---|\n| 1 | 2 |", "so:\n\n| a | b |\n|---|---|\n| 1 | 2 |"),
        ("a | b\n:--|--:\n1 | 2", "| a | b |\n|:---|---:|\n| 1 | 2 |"),
        ("| a | b |\n| 1 | 2 |", "| a | b |\n|---|---|\n| 1 | 2 |"),
        ("| a | b |\n|---|---|\n| 1 |\n| 1 | 2 | 3 |", "| a | b |\n|---|---|\n| 1 |  |\n| 1 | 2 \\| 3 |"),
        ("| alone |", "\\| alone |"),
        ("either a | b", "either a | b"),
    ],
)
def test_markdown_below_a_table(text: str, expected: str) -> None:
    assert body(text) == expected
    assert body(expected) == expected


@settings(max_examples=300, deadline=None, derandomize=True)
@given(lines=st.lists(LINES, max_size=8))
def test_no_content_below_a_table_changes_the_structure(lines: list[str]) -> None:
    before = render(GENERIC, {}, title="Plan")
    after = render(GENERIC, {"scope_body": "\n".join(lines)}, title="Plan")
    assert [what for what in fix_problems(before, after) if "placeholder" not in what] == []
    assert [part.heading for part in parts(after)] == [part.heading for part in parts(before)]


def test_a_table_in_an_answer_is_a_table_in_the_plan() -> None:
    text = render(GENERIC, {"money_body": "We pay:\n| Item | EUR |\n|---|---|\n| Pots | 20 |"}, title="Plan")
    frame, costs = (table for table in outline(text).tables if table.heading == "Money and means")
    assert frame.header == ("Objective", "Plan", "Assessment")
    assert (costs.header, costs.rows) == (("Item", "EUR"), (("Pots", "20"),))


DOCUMENT = "# Plan\n\n## Aim\n\nold\n\n```\n## not one\n```\n\n## Steps\n\nstay\n"


def test_a_document_in_its_sections_is_the_same_again() -> None:
    assert [part.heading for part in parts(DOCUMENT)] == ["", "Aim", "Steps"]
    assert "\n".join(part.text for part in parts(DOCUMENT)) + "\n" == DOCUMENT
    assert replaced(DOCUMENT, {}) == DOCUMENT


@pytest.mark.parametrize("text", ["new\n", "## Aim\n\nnew", "### aim\nnew\n\n"])
def test_a_section_is_replaced_with_or_without_its_heading(text: str) -> None:
    assert replaced(DOCUMENT, {"Aim": text}) == "# Plan\n\n## Aim\n\nnew\n\n## Steps\n\nstay\n"


def test_the_last_section_is_replaced_too() -> None:
    assert replaced(DOCUMENT, {"Steps": "new"}) == DOCUMENT.replace("stay", "new")
