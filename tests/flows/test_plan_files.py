"""The file of a change plan as a person leaves it: edited, damaged, gone, or of another plan."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.forge_runs import WISH, make_plans
from flows.test_phases import PLAN, approve, file_of, planned, run, write
from harness import git
from harness.place import Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A plan that nobody has written yet."""
    found = make_plans(tmp_path)
    assert found.run("plan", "create", WISH).code == 0
    return found


def written(place: Place) -> int:
    """How often a text of a person came on record."""
    return len([e for e in place.events("plan_written") if e["by"] == "person"])


def test_a_status_that_a_person_wrote_is_put_back_with_a_notice(place: Place) -> None:
    file_of(place).write_text(file_of(place).read_text().replace("**Status:** DRAFT", "**Status:** APPROVED"))
    done = run(place, "edit", "plan-001")
    assert (done.code, done.json["status"]) == (0, "DRAFT")
    assert "**Status:** DRAFT" in file_of(place).read_text()
    assert any("the status line" in e["text"] for e in place.events("warning_given"))
    assert run(place, "run", "plan-001").code == 2


def test_line_ends_and_a_byte_order_mark_change_no_meaning(tmp_path: Path) -> None:
    place = planned(tmp_path)
    before = written(place)
    file_of(place).write_bytes(b"\xef\xbb\xbf" + file_of(place).read_bytes().replace(b"\n", b"\r\n"))
    assert run(place, "edit", "plan-001").json["status"] == "APPROVED"
    assert written(place) == before


def test_a_deleted_file_is_written_again(place: Place) -> None:
    path, text = file_of(place), file_of(place).read_text()
    path.unlink()
    assert run(place, "edit", "plan-001").code == 0
    assert path.read_text() == text


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"## Objective\n\xff\xfe\n", "not UTF-8"),
        (b"#" * 5_000_000, "5,000,000 bytes"),
        (b"# Plan: A\n\n**ID:** plan-007\n**Status:** DRAFT\n", "says it is plan-007"),
    ],
)
def test_a_file_that_cannot_be_taken_is_named_and_left_as_it_is(place: Place, content: bytes, told: str) -> None:
    file_of(place).write_bytes(content)
    done = run(place, "edit", "plan-001")
    assert (done.code, told in done.json["error"]["what"]) == (2, True), done.out
    assert file_of(place).read_bytes() == content


def test_a_link_in_place_of_the_file_is_refused_and_not_followed(place: Place, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.md"
    elsewhere.write_text("mine\n")
    path = file_of(place)
    path.unlink()
    path.symlink_to(elsewhere)
    done = run(place, "edit", "plan-001")
    assert (done.code, "is no plain file" in done.json["error"]["what"]) == (2, True), done.out
    assert elsewhere.read_text() == "mine\n"


def test_a_missing_section_blocks_before_any_model_is_asked(place: Place) -> None:
    write(place, PLAN.replace("## Risks", "## Hazards"))
    done = run(place, "audit", "plan-001")
    assert (done.code, done.json["reason"], done.json["status"]) == (3, "plan_blocked", "DRAFT"), done.out + done.err
    assert place.events("call_started") == []
    assert "Risks" in done.json["detail"]
    assert approve(place).code == 2


def test_a_placeholder_blocks_the_approval_and_not_the_audit(place: Place) -> None:
    write(place, PLAN.replace("Callers that compare the report word for word see another text.", "TODO"))
    done = approve(place)
    assert (done.code, done.json["error"]["what"]) == (2, "plan-001 cannot be approved yet"), done.out


OWN = "# Plan: {{TITLE}}\n\n" + PLAN


def with_template(folder: Path, text: str | bytes) -> Place:
    """The small repository with a template of its own, committed."""
    place = make_plans(folder)
    path = place.home / "plans" / ".plan-template.md"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    git("add", "-f", str(path), cwd=place.repository)
    git("commit", "-q", "-m", "A template", cwd=place.repository)
    return place


def test_the_text_of_the_repositorys_own_template_is_not_approved(tmp_path: Path) -> None:
    place = with_template(tmp_path, OWN)
    assert place.run("plan", "create", WISH).code == 0
    assert "Readers of a tally want" in file_of(place).read_text()
    done = approve(place)
    assert (done.code, done.json["error"]["what"]) == (2, "plan-001 cannot be approved yet"), done.out


def test_a_template_that_does_not_count_is_named(tmp_path: Path) -> None:
    place = with_template(tmp_path, b"\xff\xfe\x00")
    created = place.run("plan", "create", WISH, "--json").json
    assert any("cannot be read: a binary file" in warning for warning in created["warnings"]), created
    (place.home / "plans" / ".plan-template.md").write_text(OWN)
    git("rm", "-q", "--cached", ".thoughtforge/plans/.plan-template.md", cwd=place.repository)
    git("commit", "-q", "-m", "None", cwd=place.repository)
    created = place.run("plan", "create", WISH, "--json").json
    assert [warning for warning in created["warnings"] if "template" in warning] == [
        "ignored, because the base commit does not have this version: .thoughtforge/plans/.plan-template.md"
    ]
    assert "Readers of a tally want" not in file_of(place, 2).read_text()


def test_a_manifest_that_does_not_count_is_said_where_the_plan_is_shown(place: Place) -> None:
    write(place, PLAN.replace("## Risks", "## Change Manifest\n\n[broken\n\n## Risks"))
    assert run(place, "edit", "plan-001").code == 0
    told = place.run("plan", "show", "plan-001").out
    assert "  ! The Change Manifest has no JSON array of paths; the files come from Changes." in told.splitlines()
    assert approve(place).code == 0


def test_what_a_person_is_told_to_do_next_can_be_done(place: Place) -> None:
    def following() -> str:
        return str(place.run("plan", "show", "plan-001", "--json").json["next_action"])

    assert following().startswith("Let it be drafted and audited: thoughtforge forge plan-001")
    write(place, PLAN)
    assert approve(place).json["next_action"].startswith("Run its phases: thoughtforge plan run plan-001")
    assert run(place, "phases", "plan-001", "--regenerate").code == 0
    write(place, PLAN.replace("Say that", "Say how"))
    told = run(place, "edit", "plan-001").json
    assert (told["status"], told["next_action"].split(";")[0]) == ("REVIEW", "Read it: thoughtforge plan show plan-001")
    stale = approve(place).json["next_action"]
    assert stale == "Make the phases anew: thoughtforge plan phases plan-001 --regenerate"
    assert run(place, "run", "plan-001").code == 2
    assert run(place, "phases", "plan-001", "--regenerate").json["next_action"].startswith("Run its phases")
    run(place, "cancel", "plan-001")
    assert following().startswith("Take it up again: thoughtforge forge plan-001")
    run(place, "close", "plan-001")
    assert following() == "Read it: thoughtforge plan show plan-001"


def test_a_damaged_record_is_named_and_hides_no_other_plan(place: Place) -> None:
    assert place.run("plan", "create", "Another").code == 0
    log = place.home / "tasks" / "plan-001" / "events.jsonl"
    log.write_bytes(log.read_bytes().replace(b"plan_made", b"plan_nade"))
    listed = place.run("plan", "list")
    assert (listed.code, [line.split()[:2] for line in listed.out.splitlines()]) == (
        0,
        [["plan-001", "DAMAGED"], ["plan-002", "DRAFT"]],
    )
    assert place.run("forge", "status").code == 0


def test_numbers_are_never_given_twice(place: Place) -> None:
    assert run(place, "cancel", "plan-001").json["status"] == "CANCELLED"
    assert run(place, "close", "plan-001").json["status"] == "CLOSED"
    for path in (place.home / "plans").glob("plan-001*"):
        path.unlink()
    pruned = place.run("prune", "--older-than", "0", "--halted", "--yes", "--json")
    assert pruned.json["removed"] == ["plan-001"], pruned.out
    done = place.run("plan", "create", WISH, "--json")
    assert done.json["plan"] == "plan-002"


def test_lines_of_a_chat_do_what_the_commands_do(place: Place) -> None:
    lines = "!plan list\n!plan Tidy the manual\nhello\n!plan cancel 2\n!plan close plan-002\n"
    done = place.run("chat", stdin=lines)
    assert done.code == 0, done.err
    told = done.out.splitlines()
    assert told[0].startswith("plan-001  DRAFT")
    assert [line.split(":")[0] for line in told if line.startswith("plan-002")] == ["plan-002"] * 3
    assert "this is no command for change plans" in done.err
