"""Status, numbers and names of change plans."""

from __future__ import annotations

import itertools

import pytest

from thoughtforge.forge.numbering import file_name, id_of, next_number, plan_id, referred
from thoughtforge.forge.status import MOVES, PlanStatus, move, route
from thoughtforge.kernel.errors import UserError

ALLOWED = {
    "DRAFT": "REVIEW CANCELLED",
    "REVIEW": "APPROVED DRAFT CANCELLED",
    "APPROVED": "IMPLEMENTING REVIEW CANCELLED",
    "IMPLEMENTING": "AUDITING APPROVED CANCELLED",
    "AUDITING": "DONE IMPLEMENTING CANCELLED",
    "DONE": "CLOSED",
    "CANCELLED": "CLOSED DRAFT",
    "CLOSED": "",
}


@pytest.mark.parametrize(("before", "after"), list(itertools.product(PlanStatus, PlanStatus)))
def test_only_the_moves_of_the_table_are_made(before: PlanStatus, after: PlanStatus) -> None:
    if after in ALLOWED[before].split():
        assert move("plan-001", before, after) is after
        return
    with pytest.raises(UserError) as error:
        move("plan-001", before, after)
    assert error.value.what == f"plan-001 is {before} and cannot become {after}"
    assert error.value.do


def test_the_table_is_whole() -> None:
    assert {str(status) for status in MOVES} == set(ALLOWED) == set(PlanStatus)


def test_the_way_back_of_an_edited_plan() -> None:
    assert route(PlanStatus.implementing, PlanStatus.review) == (PlanStatus.approved, PlanStatus.review)
    assert route(PlanStatus.closed, PlanStatus.draft) == ()
    assert route(PlanStatus.draft, PlanStatus.draft) == ()


def test_numbers_are_never_used_again() -> None:
    assert next_number([]) == 1
    assert (
        next_number(["plan-001-a.md", "plans/plan-009-b.md", "plan-010-phases.md", "notes.md", ".plan-template.md"])
        == 11
    )
    assert next_number(["plan-999-a.md"]) == 1000
    assert next_number(["plan-1000-a.md", "plan-002"]) == 1001
    assert (plan_id(7), plan_id(1234)) == ("plan-007", "plan-1234")


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Retry failed webhooks!", "plan-017-retry-failed-webhooks.md"),
        ("Größe & Maß", "plan-017-groe-ma.md"),
        ("日本語", "plan-017-change.md"),
        ("../../etc/passwd", "plan-017-etc-passwd.md"),
        ("x" * 200, f"plan-017-{'x' * 48}.md"),
        ("", "plan-017-change.md"),
    ],
)
def test_a_file_is_named_after_its_title(title: str, name: str) -> None:
    assert file_name(17, title) == name


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("plan-017-retry.md", "plan-017"),
        ("plans/plan-1000-a.md", "plan-1000"),
        ("plan-017.md", "plan-017"),
        ("plan-017-phases.md", ""),
        ("plan-17-a.md", ""),
        ("plan-017-retry.txt", ""),
        ("explan-017-a.md", ""),
        (".plan-template.md", ""),
    ],
)
def test_the_id_is_in_the_name(name: str, found: str) -> None:
    assert id_of(name) == found


@pytest.mark.parametrize(
    ("word", "found"),
    [("17", "plan-017"), ("plan-17", "plan-017"), ("PLAN-017", "plan-017"), ("017", "plan-017"),
     ("plan-017-retry.md", "plan-017"),
     ("1000", "plan-1000"), ("x", ""), ("17 or so", ""), ("", ""), ("plan-", ""), ("12345678901", "")],
)  # fmt: skip
def test_a_person_may_write_it_shorter(word: str, found: str) -> None:
    assert referred(word) == found
