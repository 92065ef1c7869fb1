"""A person's edit over the newest plan: their sections count, the rest is the newest, header and log are ours."""

from __future__ import annotations

from thoughtforge.forge.audit_log import with_review
from thoughtforge.forge.merging import MergedPlan, merged
from thoughtforge.forge.plan_file import with_field, with_sections
from thoughtforge.forge.structure import section, sections_of
from thoughtforge.forge.template import built_in, new_plan

BASE = new_plan(built_in(), title="Retry", plan_id="plan-017", task_id="plan-017", date="2026-02-12", project="hub")
DRAFTED = with_sections(BASE, {"Objective": "Retry calls.", "Scope": "All.", "Change Manifest": '["a.py"]'})


def names(text: str) -> list[str]:
    return [one.name for one in sections_of(text)]


def test_an_edit_of_what_was_shown_last_is_taken_word_for_word() -> None:
    edited = DRAFTED.replace("Retry calls.", "Retry calls, twice.  ") + "\nA note.\n"
    assert merged(base=DRAFTED, newest=DRAFTED, theirs=edited) == MergedPlan(edited)
    assert merged(base=BASE, newest=DRAFTED, theirs=BASE) == MergedPlan(DRAFTED)


def test_sections_a_person_left_alone_are_the_newest() -> None:
    edited = with_sections(BASE, {"Risks": "Few."})
    found = merged(base=BASE, newest=DRAFTED, theirs=edited)
    assert found == MergedPlan(with_sections(DRAFTED, {"Risks": "Few."}))
    assert names(found.text) == names(DRAFTED)


def test_a_section_that_changed_on_both_sides_is_the_persons_and_named() -> None:
    found = merged(base=BASE, newest=DRAFTED, theirs=with_sections(BASE, {"Scope": "Only the first."}))
    assert (section(found.text, "Scope").strip(), found.both) == ("Only the first.", ("Scope",))
    assert section(found.text, "Objective").strip() == "Retry calls."
    same = merged(base=BASE, newest=DRAFTED, theirs=with_sections(BASE, {"Scope": "All."}))
    assert same == MergedPlan(DRAFTED)


def test_a_section_a_person_removed_stays_away_and_is_named_when_it_changed() -> None:
    without = BASE.replace(BASE[BASE.index("## Risks") : BASE.index("## Testing")], "")
    assert "Risks" not in names(merged(base=BASE, newest=DRAFTED, theirs=without).text)
    newest = with_sections(BASE, {"Risks": "Many."})
    assert merged(base=BASE, newest=newest, theirs=without).both == ("Risks",)


def test_the_audit_log_is_never_the_persons() -> None:
    audited = with_review(DRAFTED, "No limit.")
    edited = with_sections(DRAFTED, {"Scope": "Some."})
    assert merged(base=DRAFTED, newest=audited, theirs=edited) == MergedPlan(with_sections(audited, {"Scope": "Some."}))
    wiped = audited[: audited.index("## Audit Log")]
    found = merged(base=audited, newest=audited, theirs=wiped)
    assert section(found.text, "Audit Log").strip() == "### Review 1\n\n> No limit."
    assert found.restored == ("the audit log",)


def test_a_header_that_is_gone_comes_back_and_a_new_title_stays() -> None:
    body = DRAFTED[DRAFTED.index("## Objective") :]
    assert merged(base=DRAFTED, newest=DRAFTED, theirs=body) == MergedPlan(DRAFTED, (), ("the header",))
    titled = with_field(DRAFTED.replace("# Plan: Retry", "# Plan: Try again"), "Project", "other")
    found = merged(base=DRAFTED, newest=DRAFTED, theirs=titled)
    assert found == MergedPlan(DRAFTED.replace("# Plan: Retry", "# Plan: Try again"), (), ("**Project:**",))
    line = "**ID:** plan-017\n"
    assert "**ID:** plan-017" in merged(base=DRAFTED, newest=DRAFTED, theirs=DRAFTED.replace(line, "")).text
