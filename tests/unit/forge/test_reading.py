"""A long plan in parts."""

from __future__ import annotations

from thoughtforge.forge.audit_log import with_review
from thoughtforge.forge.plan_file import with_sections
from thoughtforge.forge.reading import MOST_PARTS, excerpt, reading
from thoughtforge.forge.template import built_in, new_plan

NEW = new_plan(built_in(), title="Retry", plan_id="plan-017", task_id="t", date="2026-02-12", project="hub")


def long_plan(entries: int) -> str:
    rows = "\n".join(f"- `src/part{at}.py` — detail number {at},\n  and more of it" for at in range(entries))
    return with_review(with_sections(NEW, {"Objective": "Retry.", "Changes": rows, "Testing": "Run it."}), "A review.")


def test_a_plan_that_fits_is_one_part() -> None:
    found = reading(NEW, 10_000, size=len)
    assert (len(found.parts), found.unread) == (1, ())
    assert found.parts[0].text.splitlines()[0] == "    1  # Plan: Retry"
    assert "Audit Log" in found.parts[0].whole


def test_every_entry_of_a_long_section_is_in_exactly_one_part() -> None:
    text = long_plan(100)
    found = reading(text, 2_500, size=len)
    assert (1 < len(found.parts) <= MOST_PARTS, found.unread) == (True, ())
    shown = "\n".join(part.text for part in found.parts)
    assert [shown.count(f"detail number {at},\n") for at in range(100)] == [1] * 100
    assert all("and more of it" in part.text for part in found.parts if "detail number" in part.text)
    assert "A review." not in shown
    assert [part.whole.count("Testing") for part in found.parts].count(1) == 1
    assert all("- Changes, lines" in part.text for part in found.parts)


def test_what_no_call_reads_is_named() -> None:
    found = reading(long_plan(1_000), 2_500, size=len)
    assert len(found.parts) == MOST_PARTS
    assert found.unread[0].startswith("Changes, lines ")
    assert "Testing" in found.parts[0].whole  # what is short is read in any case


def test_an_entry_that_is_too_long_alone_is_named() -> None:
    text = with_sections(NEW, {"Changes": f"- `a.py` — {'word ' * 1_000}\n- `b.py` — short"})
    found = reading(text, 2_500, size=len)
    (unread,) = found.unread
    assert unread.startswith("Changes, lines ")
    assert any("`b.py`" in part.text for part in found.parts)


def test_an_excerpt_shows_named_sections_whole_and_never_part_of_one() -> None:
    found = excerpt(long_plan(100), 2_500, first=["testing"], size=len)
    assert ("Testing" in found.whole, "Changes" in found.whole, "detail number" in found.text) == (True, False, False)
    assert "- Changes, lines" in found.text
