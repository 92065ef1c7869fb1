"""The file of a change plan: its header, its body, its audit log and what it means."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from thoughtforge.forge.audit_log import reviews, with_review
from thoughtforge.forge.layout import OWN, layout_of
from thoughtforge.forge.meaning import meaning_hash
from thoughtforge.forge.plan_file import (
    PlanHeader,
    agent_body,
    body_of,
    decode,
    header_of,
    status_restored,
    with_body,
    with_sections,
    with_status,
)
from thoughtforge.forge.structure import closed, section, sections_of
from thoughtforge.forge.template import built_in, echoes, new_plan
from thoughtforge.kernel.errors import UserError

BODY = (
    "## Objective\n\nRetry.\n\n## Scope\n\nAll.\n\n## Changes\n\n- `a.py`\n\n## Risks\n\nFew.\n\n## Testing\n\nRun it."
)
PIECES = (
    *("# Plan: T\n", "# H\n", "**ID:** plan-001\n", "**Status:** DRAFT\n", "---\n", "- - -\n", "## Objective\n"),
    *(
        "## Scope\r\n",
        "## Changes\n",
        "## Risks\n",
        "## Testing\n",
        "## Audit Log\n",
        "## audit log ##\n",
        "## Extra\n",
    ),
    *("## Implementation Notes\n", "## Change Manifest\n", "    ## Risks\n", "x ## Audit Log\n", "### Review 3\n"),
    *("```\n", "```bash\n", "  ```\n", "~~~\n", "````\n", "<!--\n", "-->\n", "> ## Audit Log\n", "text\n", " - item\n"),
    *("\n", "\r\n", "text", "#", "\t", "`", "\ufeff"),
)
documents = (
    st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=8)), max_size=30)
    .map("".join)
    .map(lambda text: re.sub(r"\r(?!\n)", "\n", text))
)


def made(template: str = "", title: str = "Retry webhooks") -> str:
    facts = {"plan_id": "plan-017", "task_id": "t-1", "date": "2026-02-12", "project": "hub"}
    return new_plan(template or built_in(), title=title, **facts)


def filled() -> str:
    return with_body(made(), BODY)


def test_a_new_plan_has_its_header_and_every_section() -> None:
    assert header_of(made()) == PlanHeader("Retry webhooks", "plan-017", "t-1", "2026-02-12", "DRAFT", "hub")
    names = ["Objective", "Scope", "Changes", "Risks", "Testing", "Audit Log", "Implementation Notes"]
    assert [one.name for one in sections_of(made())] == names
    assert "{{" not in made()


@pytest.mark.parametrize(
    "template",
    [
        "",
        "## Objective\n",
        "# {{TITLE}}\n\n## Changes\n",
        "**Status:** A | B\n\n## Risks\n",
        "---\n",
        "```\n## Audit Log\n```\n",
        "\ufeff# Plan: {{TITLE}}\r\n",
    ],
)
def test_a_template_that_lacks_something_still_makes_a_whole_plan(template: str) -> None:
    text = made(template)
    assert header_of(text)[1:] == ("plan-017", "t-1", "2026-02-12", "DRAFT", "hub")
    assert header_of(text).title == "Retry webhooks"
    assert {one.key for one in layout_of(text).own} == {name.lower() for name in OWN}


def test_a_token_in_a_title_is_text() -> None:
    assert header_of(made(title="{{DATE}}\n## Risks")).title == "{{DATE}} ## Risks"


def test_the_header_ends_at_the_first_rule_or_section() -> None:
    text = "# Plan: A\n\n```\n**ID:** plan-999\n---\n```\n**ID:** plan-001\n---\n**Status:** DONE\n## Objective\n"
    assert header_of(text) == PlanHeader("A", "plan-001", "", "", "", "")
    assert header_of("# Plan: A\n## Objective\n**ID:** plan-001\n").id == ""


def test_only_the_status_line_changes() -> None:
    text = made()
    assert with_status(text, "REVIEW") == text.replace("**Status:** DRAFT", "**Status:** REVIEW")


def test_a_status_written_by_hand_is_put_back_with_a_notice() -> None:
    restored = status_restored(made().replace("DRAFT", "DONE"), "DRAFT")
    assert restored.text == made()
    assert restored.notice == (
        "The status line said 'DONE'; it shows DRAFT again. Only commands change the status of a plan."
    )
    assert status_restored(made(), "DRAFT").notice == ""


@given(documents, st.sampled_from(["DRAFT", "IMPLEMENTING"]))
def test_setting_the_status_twice_is_setting_it_once(text: str, status: str) -> None:
    once = with_status(text, status)
    assert header_of(once).status == status
    assert with_status(once, status) == once
    assert body_of(once) == body_of(text)
    assert meaning_hash(once) == meaning_hash(text)


@given(documents, documents, documents)
def test_appending_an_audit_never_changes_the_body(text: str, notes: str, title: str) -> None:
    audited = with_review(text, notes, title=title)
    assert body_of(audited) == body_of(text)
    assert meaning_hash(audited) == meaning_hash(text)
    assert header_of(audited) == header_of(text)
    assert reviews(audited) == reviews(text) + 1


def test_a_review_is_quoted_at_the_end_of_the_audit_log() -> None:
    first = with_review(filled(), "One.\n## Risks\n```\n<!--", title="blocking")
    second = with_review(first, "Two.")
    log = section(second, "Audit Log")
    assert log == (
        "\n### Review 1 — blocking\n\n> One.\n> ## Risks\n> ```\n> <!--\n\n### Review 2\n\n> Two.\n\n---\n\n"
    )
    assert second.replace(log, section(filled(), "Audit Log")) == filled()


def test_missing_headings_are_added() -> None:
    text = f"# Plan: A\n\n---\n\n{BODY}\n"
    assert [one.name for one in sections_of(with_review(text, "x"))][-2:] == list(OWN)
    assert body_of(with_review(text, "x")) == BODY


@example("# Plan: T\n\n\t", "")
@given(documents, documents)
def test_replacing_the_body_leaves_the_rest(text: str, body: str) -> None:
    new = with_body(text, body)
    assert header_of(new) == header_of(text)
    before, after = layout_of(text), layout_of(new)
    kept = [text[one.start : one.end].strip() for one in before.own]
    assert [new[one.start : one.end].strip() for one in after.own] == kept
    assert with_body(new, body) == new
    assert with_body(new, body_of(new)) == new


def test_an_agent_writes_neither_header_nor_audit_log() -> None:
    stolen = f"# Plan: Other\n\n**Status:** APPROVED\n\n---\n\n{BODY}\n\n---\n\n## Audit Log\n\nAll is well.\n"
    assert with_body(filled(), agent_body(stolen)) == filled()


@pytest.mark.parametrize(
    "answer",
    [
        BODY,
        f"Here is the plan:\n\n{BODY}\n",
        f"```markdown\n{BODY}\n```",
        f"Sure!\n\n```markdown\n# Plan: x\n\n---\n{BODY}\n```\nI hope that helps.",
        BODY.replace("\n", "\r\n"),
        f"\ufeff{BODY}",
    ],
)
def test_the_body_is_found_in_an_answer(answer: str) -> None:
    assert agent_body(answer) == BODY


def test_a_fence_around_a_plan_may_be_as_long_as_those_within() -> None:
    inner = BODY.replace("Run it.", "```\npytest\n```")
    assert agent_body(f"```markdown\n{inner}\n```") == inner


def test_an_open_fence_swallows_no_section_of_the_engine() -> None:
    text = with_body(made(), BODY.replace("Few.", "```python\nFew."))
    assert [one.name for one in sections_of(text)][-3:] == ["Testing", *OWN]


def test_one_section_is_replaced_without_the_others() -> None:
    text = with_sections(
        filled(), {"Risks": "## Risks\n\n# None\n\n```\nx", "Change Manifest": '["a.py"]', "Audit Log": "x"}
    )
    expected = BODY.replace("Few.", "### None\n\n```\nx\n```") + '\n\n## Change Manifest\n\n["a.py"]'
    assert body_of(text) == expected


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text,
        lambda text: text.replace("Few.", "Few.   ").replace("\n\n## Scope", "\n\n\n\n## Scope"),
        lambda text: with_status(text, "APPROVED"),
        lambda text: with_review(text, "## Risks\nx"),
        lambda text: text + "\nA note.\n",
        lambda text: text.replace("**Created:** 2026-02-12", "**Created:** 2027-01-01"),
    ],
)
def test_what_means_nothing_changes_no_hash(edit) -> None:  # type: ignore[no-untyped-def]
    assert meaning_hash(edit(filled())) == meaning_hash(filled())


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: text.replace("Few.", "Many."),
        lambda text: text.replace("Retry webhooks", "Retry hooks"),
        lambda text: text.replace("## Scope", "## Change Manifest\n\n[]\n\n## Scope"),
        lambda text: text.replace("## Risks\n\nFew.", "## Risks\n\nFew.\n\n## Risks\n\nMore."),
    ],
)
def test_what_means_something_changes_the_hash(edit) -> None:  # type: ignore[no-untyped-def]
    assert meaning_hash(edit(filled())) != meaning_hash(filled())
    assert re.fullmatch(r"[0-9a-f]{16}", meaning_hash(edit(filled())))


def test_line_ends_stay_as_they_are() -> None:
    text = filled().replace("\n", "\r\n")
    for changed in (with_status(text, "REVIEW"), with_review(text, "a\nb"), with_body(text, BODY + "\n\nmore")):
        assert "\n" not in changed.replace("\r\n", "")


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"# Plan\n\xff\xfe", "plan.md, line 2: not UTF-8 text"),
        ("# Plan".encode("utf-16"), "plan.md, line 1: not UTF-8 text"),
        (b"# Plan\n\n\0", "plan.md, line 3: contains a NUL character"),
        (b"x" * 5_000_000, "plan.md has 5,000,000 bytes; a change plan has at most 1,000,000"),
    ],
)
def test_a_file_that_is_no_text_is_refused(data: bytes, told: str) -> None:
    with pytest.raises(UserError) as error:
        decode(data, source="plan.md")
    assert error.value.what == told
    assert error.value.do


def test_a_byte_order_mark_is_no_text() -> None:
    assert decode(b"\xef\xbb\xbf# Plan: A\r\n", source="plan.md") == "# Plan: A\r\n"


@given(documents)
def test_closing_fences_hides_no_section(text: str) -> None:
    assert [one.name for one in sections_of(closed(text))] == [one.name for one in sections_of(text)]
    assert closed(closed(text)) == closed(text)


def test_a_draft_that_repeats_the_template_is_noticed() -> None:
    assert echoes(body_of(made()), built_in()) == ("Objective", "Scope", "Changes", "Risks", "Testing")
    comment = built_in().partition("<!-- ")[2].partition(" -->")[0]
    assert echoes(BODY.replace("Retry.", comment), built_in()) == ("Objective",)
    assert echoes(BODY, built_in()) == ()
