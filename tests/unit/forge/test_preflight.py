"""What is wrong with a plan's structure."""

from __future__ import annotations

import pytest

from thoughtforge.forge.plan_file import with_body
from thoughtforge.forge.preflight import is_placeholder, limits, preflight
from thoughtforge.forge.template import built_in, new_plan

BODY = (
    "## Objective\n\nRetry.\n\n## Scope\n\nAll.\n\n## Changes\n\n- `a.py`\n\n## Risks\n\nFew.\n\n## Testing\n\nRun it."
)
NAME = "plan-017-retry.md"


def plan(body: str = BODY) -> str:
    new = new_plan(built_in(), title="Retry", plan_id="plan-017", task_id="t", date="2026-02-12", project="hub")
    return with_body(new, body)


def found(text: str) -> list[tuple[str, str]]:
    return [(finding.severity, finding.title) for finding in preflight(text, name=NAME)]


def test_a_whole_plan_has_nothing_wrong() -> None:
    assert found(plan()) == []
    assert found(plan().replace("\n", "\r\n")) == []


@pytest.mark.parametrize("name", ["Objective", "Scope", "Changes", "Risks", "Testing"])
def test_a_missing_section_blocks(name: str) -> None:
    assert found(plan(BODY.replace(f"## {name}", "## Else"))) == [("blocking", f"Section {name} is missing")]


def test_a_section_in_a_code_fence_is_missing() -> None:
    text = plan(BODY.replace("## Risks\n\nFew.", "```\n## Risks\n\nFew.\n```"))
    assert found(text) == [("blocking", "Section Risks is missing")]


def test_an_untouched_template_is_empty_and_not_missing() -> None:
    new = new_plan(built_in(), title="Retry", plan_id="plan-017", task_id="t", date="2026-02-12", project="hub")
    assert found(new) == [
        ("medium", f"Section {name} is empty") for name in ("Objective", "Scope", "Changes", "Risks", "Testing")
    ]


def test_a_section_that_stands_twice_is_named() -> None:
    assert found(plan(f"{BODY}\n\n## risks\n\nMore.")) == [("medium", "Section Risks stands twice")]


def test_another_id_than_the_file_name_blocks() -> None:
    text = plan().replace("**ID:** plan-017", "**ID:** plan-018")
    assert found(text) == [("blocking", "The id is not the file's")]
    assert found(plan().replace("**ID:** plan-017", "**ID:** Plan-17")) == []


def test_a_plan_without_a_title_blocks() -> None:
    assert found(plan().replace("# Plan: Retry\n", "")) == [("blocking", "No title")]


def test_a_small_change_has_a_small_plan() -> None:
    assert limits(plan()) == (True, 60, 1)
    assert limits(plan(BODY.replace("`a.py`", "`a.py` `b.py` `c.py`"))) == (False, None, 5)
    assert limits(plan(BODY.replace("`a.py`", "a"))) == (False, None, 5)
    long = plan(BODY.replace("Few.", "\n".join(f"- risk {number}" for number in range(60))))
    assert found(long) == [("medium", "The plan is too long for its change")]


@pytest.mark.parametrize(
    "line",
    [
        "TODO", "- TBD", "TODO: describe the risks", "**TBD**", "to be determined", "fill in", "<what and why>",
        "[describe the problem]", "{{TITLE}}", "See {{PLAN_ID}}", "* to be written.",
        "_TBD_", "FIXME (later)", "Lorem ipsum dolor",
    ],
)  # fmt: skip
def test_a_placeholder_is_one(line: str) -> None:
    assert is_placeholder(line)
    assert found(plan(BODY.replace("Few.", f"Few.\n\n{line}"))) == [("medium", "Placeholder in section Risks")]


@pytest.mark.parametrize(
    "line",
    [
        "Remove the TODO in `a.py`.", "None.", "N/A", "- [ ] `a.py`", "[a link](https://example.org)",
        "Render `{{TITLE}}`.",
        "TODOs are counted by the command.", "<br>", "<https://example.org>",
        "todo.txt is read", "{a: 1}", "[x]", "The fields to fill in are new.",
    ],
)  # fmt: skip
def test_other_words_are_none(line: str) -> None:
    assert not is_placeholder(line)


def test_placeholders_in_code_are_code() -> None:
    assert found(plan(BODY.replace("Few.", "Few.\n\n```\nTODO\n{{TITLE}}\n```"))) == []
