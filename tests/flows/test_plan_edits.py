"""What a person writes into the file of a change plan, at any time, against what the engine writes there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from flows.forge_runs import AUDITS, DRAFT, DRAFTS, MINOR, WISH, forging, found, make_plans, prompted, script
from flows.test_phases import PLAN, approve, file_of, planned, run, write
from harness.place import Place, ended, running, until

OTHER = PLAN.replace("Say that the gap is told.", "Say how the gap is told.")


def notices(place: Place) -> list[str]:
    """What was said about the file."""
    return [event["text"] for event in place.events("warning_given") if event["code"] == "plan_file"]


def called(place: Place, key: str) -> bool:
    """Whether a call with this in its key began."""
    if not (place.home / "tasks" / "plan-001").is_dir():
        return False
    return any(key in event["key"] for event in place.events("call_started"))


def forged_while(place: Place, key: str, edit: Callable[[str], str]) -> str:
    """Forge a plan, edit its file during the call of this key; the file at the end."""
    with running(place.spawn("forge", WISH)) as process:
        until(lambda: called(place, key), f"the call {key}")
        file_of(place).write_text(edit(file_of(place).read_text()))
        done = ended(process)
    assert done.code == 3, done.out + done.err
    return file_of(place).read_text()


def test_an_edit_that_is_undone_is_undone(tmp_path: Path) -> None:
    place = planned(tmp_path)
    approved = file_of(place).read_text()
    write(place, OTHER)
    assert run(place, "edit", "plan-001").json["status"] == "REVIEW"
    file_of(place).write_text(approved)
    assert approve(place).json["status"] == "APPROVED"
    assert file_of(place).read_text() == approved
    first, last = (event["meaning"] for event in place.events("plan_approved"))
    assert first == last


def test_an_edit_during_an_audit_keeps_the_review_and_is_audited(tmp_path: Path) -> None:
    place = make_plans(tmp_path)
    rules = {"slow": {**prompted(AUDITS, found(MINOR)), "delay": 3, "times": 1}, **forging()}
    script(place, {**rules, "audit": prompted(AUDITS, found(MINOR))})
    text = forged_while(
        place, "plan/audit-", lambda text: text.replace("No new command.", "No new command, no new file.")
    )
    assert "no new file" in text
    assert [line for line in text.splitlines() if line.startswith("### Review")] == [
        "### Review 1 — pass, by script/scripted",
        "### Review 2 — pass, by script/scripted",
    ]


def test_an_edit_during_the_draft_keeps_both_and_names_what_changed_twice(tmp_path: Path) -> None:
    place = make_plans(tmp_path)
    rules = {**forging(), "draft": {**prompted(DRAFTS, DRAFT), "delay": 3}}
    script(place, {**rules, "audit": prompted(AUDITS, found(MINOR))})
    text = forged_while(place, "plan/draft-", lambda text: text.replace("## Scope\n", "## Scope\n\nOnly the report.\n"))
    assert ("Only the report." in text, DRAFT["scope"] in text, DRAFT["objective"] in text) == (True, False, True)
    assert all(f"`{one['path']}`" in text for one in DRAFT["changes"])
    (told,) = [notice for notice in notices(place) if "while it changed" in notice]
    assert "of Scope the edited text counts" in told


def test_an_edit_before_the_draft_stays_and_the_rest_is_drafted(tmp_path: Path) -> None:
    place = make_plans(tmp_path)
    script(place, {**forging(), "audit": prompted(AUDITS, found(MINOR))})
    place.run("plan", "create", WISH)
    empty = file_of(place).read_text()
    file_of(place).write_text(empty.replace("## Scope\n", "## Scope\n\nOnly the report.\n"))
    done = place.run("forge", "plan-001", "--json")
    assert (done.code, done.json["status"]) == (3, "REVIEW"), done.out + done.err
    text = file_of(place).read_text()
    assert ("Only the report." in text, DRAFT["scope"] in text, DRAFT["objective"] in text) == (True, False, True)
    (asked,) = [event for event in place.events("call_started") if "plan/draft-" in event["key"]]
    assert "Only the report." in place.blob(asked["context"])


def test_a_plan_that_nobody_touched_moves_without_a_notice(tmp_path: Path) -> None:
    place = planned(tmp_path)
    before = notices(place)
    assert run(place, "run-all", "plan-001").json["status"] == "DONE"
    assert (before, notices(place)) == ([f"{file_of(place).name} was edited; the change is on record"], before)


def test_the_log_and_the_header_are_put_back(tmp_path: Path) -> None:
    place = make_plans(tmp_path)
    assert place.run("forge", WISH).code == 3
    whole = file_of(place).read_text()
    file_of(place).write_text(whole[whole.index("## Objective") : whole.index("### Review 1")])
    assert run(place, "edit", "plan-001").json["status"] == "REVIEW"
    text = file_of(place).read_text()
    assert text.partition("## Objective")[0] == whole.partition("## Objective")[0]
    assert "### Review 1" in text
    assert any("the header, the audit log put back" in notice for notice in notices(place))


def test_a_renamed_file_stays_the_file_of_its_plan(tmp_path: Path) -> None:
    place = make_plans(tmp_path)
    place.run("plan", "create", WISH)
    write(place, PLAN)
    renamed = file_of(place).with_name("plan-001-better-name.md")
    file_of(place).rename(renamed)
    done = run(place, "edit", "plan-001")
    assert (done.code, place.run("plan", "show", "1", "--json").json["file"]) == (0, renamed.name)
    assert [path.name for path in renamed.parent.glob("plan-*")] == [renamed.name]
    assert "Say that the gap is told." in place.run("plan", "show", str(renamed)).out
    assert any("was renamed" in notice for notice in notices(place))


def test_of_two_files_with_one_id_the_one_that_counts_is_named_once(tmp_path: Path) -> None:
    place = make_plans(tmp_path)
    place.run("plan", "create", WISH)
    copy = file_of(place).with_name("plan-001-a-copy.md")
    name = file_of(place).name
    copy.write_text(file_of(place).read_text().replace("## Scope", "## Scope\n\nMine.\n"))
    for _ in range(2):
        assert run(place, "edit", "plan-001").code == 0
    assert notices(place) == [f"plan-001-a-copy.md says it is plan-001 too; {name} counts"]
    assert "Mine." not in place.run("plan", "show", "1").out


@pytest.mark.parametrize("title", ["Phases", "All the phases"])
def test_a_plan_about_phases_has_a_file_of_its_own(tmp_path: Path, title: str) -> None:
    place = make_plans(tmp_path)
    created = place.run("plan", "create", title, "--json").json
    assert created["file"].endswith("phases-plan.md")
    path = place.home / "plans" / created["file"]
    head, _, rest = path.read_text().partition("## Objective")
    path.write_text(f"{head}{PLAN}---\n\n## Audit Log{rest.partition('## Audit Log')[2]}")
    assert approve(place).code == 0
    assert run(place, "phases", "plan-001", "--regenerate").code == 0
    assert "## Objective" in path.read_text()
    assert "phase-1" in (place.home / "plans" / "plan-001-phases.md").read_text()


def test_a_note_alone_is_no_draft(tmp_path: Path) -> None:
    place = make_plans(tmp_path)
    place.run("plan", "create", WISH)
    file_of(place).write_text(file_of(place).read_text() + "\nRemember the unit.\n")
    done = place.run("forge", "plan-001", "--json")
    assert (done.code, done.json["status"]) == (3, "REVIEW"), done.out + done.err
    assert [event["role"] for event in place.events("call_started")][:2] == ["drafter", "drafter"]
    assert file_of(place).read_text().endswith("Remember the unit.\n")
