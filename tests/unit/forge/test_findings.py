"""The findings of audits over their rounds."""

from __future__ import annotations

from thoughtforge.forge.findings import AuditFinding, identified, surviving

FIRST = AuditFinding("blocking", "The retry loop has no limit", "src/a.py", "No limit")
AGAIN = AuditFinding("blocking", "No limit for the retry loop is set", "src/a.py", "No limit")
STILL = AuditFinding("blocking", "There is still no limit of the retry loop", "src/a.py", "No limit")
OTHER = AuditFinding("suggestion", "Rename the module", "src/b.py")


def test_a_finding_keeps_its_id_in_other_words_and_another_order() -> None:
    rounds = identified([[FIRST, OTHER], [OTHER, AGAIN], [STILL]])
    assert [[one.id for one in found] for found in rounds] == [["F-001", "F-002"], ["F-002", "F-001"], ["F-001"]]
    assert [one.severity for one in rounds[1]] == ["suggestion", "blocking"]


def test_a_finding_that_stands_twice_has_two_ids() -> None:
    assert [one.id for one in identified([[OTHER, OTHER]])[0]] == ["F-001", "F-002"]


def test_a_blocking_finding_that_survives_two_revisions_ends_a_forge() -> None:
    assert surviving([[FIRST], [AGAIN]]) == ()
    assert surviving([[FIRST], [AGAIN], [STILL]]) == (STILL._replace(id="F-001"),)
    assert surviving([[FIRST], [AGAIN], [OTHER]]) == ()
    assert surviving([[FIRST], [], [STILL]]) == ()
    assert surviving([[FIRST], [AGAIN], [STILL._replace(severity="medium")]]) == ()


def test_a_finding_in_one_line_names_its_place() -> None:
    assert FIRST._replace(id="F-001").line() == "F-001 blocking: No limit (src/a.py)"


def test_the_numbers_of_a_closing_audit_go_on_after_those_of_the_plan() -> None:
    said = [[FIRST], [FIRST, FIRST._replace(description="The manual says another thing.", title="", location="b.md")]]
    ids = [[one.id for one in found] for found in identified(said, after=4)]
    assert ids == [["F-005"], ["F-005", "F-006"]]


def test_an_id_of_a_closing_audit_stays_when_it_is_read_back_from_the_record() -> None:
    (first,) = identified([[FIRST]], after=4)
    assert [one.id for one in identified([first, [AGAIN]], after=4)[-1]] == ["F-005"]
