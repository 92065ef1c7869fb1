"""The phases of an approved plan: run, failed, retried, skipped, made anew; what is owed and what is allowed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from flows.forge_runs import (
    AUDITS,
    BLOCKING,
    CLOSES,
    MINOR,
    MORE,
    PROOF,
    WIDEST,
    WISH,
    acts,
    edit,
    found,
    hands_in,
    implementing,
    last,
    make_plans,
    prompted,
    script,
)
from harness import Done, git
from harness.place import Place, Rule

PLAN = f"""\
## Objective

Readers of a tally want to see the widest gap between neighbours beside the sum.

## Scope

A function, its line in the report and a sentence in the manual.

## Changes

- `tally/count.py` — Add widest(numbers), 0 for fewer than two numbers.
- `tests/test_count.py` — Prove widest for three numbers.
- `tally/report.py` — report tells the widest gap after the sum.
- `tests/test_report.py` — The report has both figures.
- `docs/manual.md` — Say that the gap is told.

## Risks

Callers that compare the report word for word see another text.

## Testing

```console
{PROOF}  # exit 0, prints sum 6, widest gap 4
```

"""


def file_of(place: Place, number: int = 1) -> Path:
    """The file of a plan."""
    (path,) = (place.home / "plans").glob(f"plan-{number:03}-[!p]*.md")
    return path


def write(place: Place, body: str) -> None:
    """Put another body into the file of the plan, as a person would."""
    text = file_of(place).read_text()
    head, _, rest = text.partition("## Objective")
    file_of(place).write_text(f"{head}{body}---\n\n## Audit Log{rest.partition('## Audit Log')[2]}")


def approve(place: Place) -> Done:
    return place.run("plan", "approve", "plan-001", "--unaudited", "a person wrote it", "--json")


def planned(
    folder: Path,
    body: str = PLAN,
    rules: dict[str, Rule] | None = None,
    more: Mapping[str, str] | None = None,
    **config: Any,
) -> Place:
    """A plan that a person wrote and approved, in a repository with `more` files."""
    place = make_plans(folder, more)
    script(place, rules or implementing(), **config)
    assert place.run("plan", "create", WISH).code == 0
    write(place, body)
    done = approve(place)
    assert done.code == 0, done.out
    return place


def run(place: Place, *args: str) -> Done:
    """A command for the plan."""
    return place.run("plan", *args, "--json", timeout=300)


def statuses(done: Done) -> list[str]:
    return [phase["status"] for phase in done.json["phases_view"]["phases"]]


def commits(place: Place) -> list[str]:
    """The subjects of what the plan delivered, oldest first."""
    log = git("log", "--reverse", "--format=%s", "main..thoughtforge/plan-001", cwd=place.repository)
    return log.splitlines()


def files_in(place: Place, subject: str) -> list[str]:
    """The files of the commit with that beginning."""
    commit = git("log", "--format=%H", f"--grep=^{subject}", "thoughtforge/plan-001", cwd=place.repository).split()[0]
    return git("show", "--format=", "--name-only", commit, cwd=place.repository).split()


def test_each_phase_is_a_commit_of_its_files_and_a_person_keeps_what_is_theirs(tmp_path: Path) -> None:
    place = planned(tmp_path)
    (place.repository / "staged.txt").write_text("staged\n")
    git("add", "staged.txt", cwd=place.repository)
    (place.repository / "tally" / "count.py").write_text("# being edited\n")
    before = git("status", "--porcelain", cwd=place.repository)
    first = run(place, "run", "plan-001")
    assert (first.code, first.json["reason"], statuses(first)) == (0, "phase_done", ["done", *["pending"] * 3]), first
    shown = file_of(place).read_text()
    assert "> - **phase-1** done, `" in shown
    file_of(place).write_text(shown.replace("widest is there.", "nothing"))
    again = run(place, "run-one", "plan-001", "phase-1")
    assert (again.code, again.json["error"]["what"]) == (2, "phase-1 is done already")
    early = run(place, "run-one", "plan-001", "phase-3")
    assert (early.code, early.json["error"]["what"]) == (2, "phase-3 waits for phase-2")
    assert run(place, "run-one", "plan-001", "phase-2").code == 0
    done = run(place, "run-all", "plan-001")
    assert (done.code, done.json["status"], statuses(done)) == (0, "DONE", ["done"] * 4), done.out
    assert [subject.split(":")[0] for subject in commits(place)] == [f"plan-001 phase-{n}" for n in (1, 2, 3)]
    assert files_in(place, "plan-001 phase-1") == ["tally/count.py", "tests/test_count.py"]
    assert files_in(place, "plan-001 phase-2") == ["tally/report.py", "tests/test_report.py"]
    assert git("status", "--porcelain", cwd=place.repository) == before
    assert "  open after the closing audit: F-001 minor (Objective): Name the unit\n" in place.run("plan", "show").out
    assert (
        "> - **closing audit 1** by script/scripted: pass, worst finding minor\n> - F-001" in file_of(place).read_text()
    )
    assert ": widest is there. — passed: " in file_of(place).read_text()
    assert done.json["warnings"] == first.json["warnings"]
    assert run(place, "close", "plan-001").json["status"] == "CLOSED"
    over = place.run("forge", "plan-001", "--json")
    assert (over.code, over.json["error"]["what"]) == (2, "plan-001 is CLOSED")


def broken() -> dict[str, Rule]:
    """Phase 2 changes its file and goes on handing in what does not hold."""
    rules = implementing()
    bad = edit("tally/report.py", '    return f"sum {total(numbers)}"\n', "    return f'sum {total(numbers)'\n")
    wrong = {
        "bad": acts("phase-2", "edit_file", bad),
        "bad_again": hands_in("phase-2", "tally/report.py", after="recent_actions", untouched=[]),
    }
    return {"bad": wrong["bad"], **{key: rule for key, rule in rules.items() if not key.startswith("report")}, **wrong}


def test_a_failed_phase_is_reverted_and_run_again_and_what_a_person_skips_counts_as_met(tmp_path: Path) -> None:
    place = planned(tmp_path, rules=broken())
    failed = run(place, "run-all", "plan-001")
    assert (failed.code, failed.json["reason"]) == (1, "phase_failed"), failed.out
    assert statuses(failed) == ["done", "failed", "pending", "pending"]
    phase = failed.json["phases_view"]["phases"][1]
    assert (phase["modifiedFiles"], list(phase["failureHashes"])) == (["tally/report.py"], ["tally/report.py"])
    script(place)
    assert run(place, "retry", "plan-001").code == 0
    done = run(place, "run-all", "plan-001")
    assert (done.code, statuses(done)) == (0, ["done"] * 4), done.out
    assert "sum {total(numbers)}, widest gap" in git(
        "show", "thoughtforge/plan-001:tally/report.py", cwd=place.repository
    )
    nothing = run(place, "skip", "plan-001")
    assert nothing.code == 2


@pytest.mark.parametrize("mine", ["tally/report.py", "tests/test_report.py"])
def test_retry_leaves_the_files_that_a_person_touched_since(tmp_path: Path, mine: str) -> None:
    place = planned(tmp_path, rules=broken())
    assert run(place, "run-all", "plan-001").code == 1
    workspace = place.folder / "workspace"
    (workspace / mine).write_text(f"{MORE[mine]}# mine\n")
    (workspace / "notes.txt").write_text("mine too\n")
    script(place)
    retried = run(place, "retry", "plan-001")
    assert (retried.code, statuses(retried)[1]) == (0, "done"), retried.out
    assert place.events("phase_started")[-1]["left"] == [mine]
    assert f"phase-2 begins again; these files stay as you left them: {mine}" in retried.json["warnings"]
    for path in ("tally/report.py", "tests/test_report.py"):
        text = (workspace / path).read_text()
        assert text.endswith("# mine\n") == (path == mine)
    assert run(place, "run-all", "plan-001").code == 0
    assert files_in(place, "plan-001 phase-2") == ["tally/report.py", "tests/test_report.py"]
    assert not (workspace / "notes.txt").exists()
    assert (place.folder / "workspace.aside" / "notes.txt").read_text() == "mine too\n"


def test_a_skipped_phase_leaves_nothing_in_a_commit(tmp_path: Path) -> None:
    place = planned(
        tmp_path, body=PLAN.replace(PROOF, "python -c pass").replace(", prints sum 6, widest gap 4", ""), rules=broken()
    )
    assert run(place, "run-all", "plan-001").code == 1
    skipped = run(place, "skip", "plan-001")
    assert (skipped.code, skipped.json["what"].split(";")[0]) == (0, "phase-2 is skipped"), skipped.out
    assert skipped.json["notes"][1].endswith(": thoughtforge plan phases plan-001 --regenerate")
    again = run(place, "run-one", "plan-001", "phase-2")
    assert (again.code, again.json["error"]["do"]) == (2, skipped.json["notes"][1])
    done = run(place, "run-all", "plan-001")
    assert (done.code, statuses(done)) == (0, ["done", "skipped", "done", "done"]), done.out + done.err
    assert [subject.split(":")[0] for subject in commits(place)] == ["plan-001 phase-1", "plan-001 phase-3"]
    assert files_in(place, "plan-001 phase-3") == ["docs/manual.md"]


def test_an_edited_plan_loses_its_approval_and_done_phases_stay_when_phases_are_made_anew(tmp_path: Path) -> None:
    place = planned(tmp_path)
    assert run(place, "run", "plan-001").code == 0
    write(place, PLAN.replace("Say that the gap is told.", "Say that the widest gap is told too."))
    refused = run(place, "run-all", "plan-001")
    assert (refused.code, refused.json["error"]["do"]) == (2, "Approve it: thoughtforge plan approve plan-001")
    moves = [(e["before"], e["after"]) for e in place.events("plan_moved")]
    assert moves[-2:] == [("IMPLEMENTING", "APPROVED"), ("APPROVED", "REVIEW")]
    again = run(place, "approve", "plan-001")
    assert (again.code, "--regenerate" in again.json["next_action"]) == (0, True), again.out
    stale = run(place, "run", "plan-001")
    assert (stale.code, "--regenerate" in stale.json["error"]["do"]) == (2, True), stale.out
    anew = run(place, "phases", "plan-001", "--regenerate")
    assert (anew.code, anew.json["what"]) == (0, "4 phases, 1 kept"), anew.out
    none = run(place, "phases", "plan-001", "--reset")
    assert (none.code, none.json["error"]["what"]) == (2, "--reset needs --regenerate")
    done = run(place, "run-all", "plan-001")
    assert (done.code, statuses(done)) == (0, ["done"] * 4), done.out
    assert len(commits(place)) == 3


def test_a_plan_at_work_that_is_cancelled_or_edited_is_audited_and_approved_again(tmp_path: Path) -> None:
    place = planned(tmp_path, rules={"audit": prompted(AUDITS, found(MINOR)), **implementing()})
    assert run(place, "run", "plan-001").code == 0
    assert run(place, "cancel", "plan-001").json["status"] == "CANCELLED"
    forged = place.run("forge", "plan-001", "--json")
    assert (forged.code, forged.json["status"], forged.json["reason"]) == (3, "REVIEW", "approval"), forged.out
    assert run(place, "approve", "plan-001").code == 0
    assert statuses(run(place, "run", "plan-001")) == ["done", "done", "pending", "pending"]
    write(place, PLAN.replace("Say that the gap is told.", "Say that the widest gap is told too."))
    assert run(place, "edit", "plan-001").json["status"] == "REVIEW"
    audited = run(place, "audit", "plan-001")
    assert (audited.code, audited.json["status"], len(audited.json["audits"])) == (3, "REVIEW", 1), audited.out
    assert run(place, "approve", "plan-001").code == 0
    assert run(place, "phases", "plan-001", "--regenerate").json["what"] == "4 phases, 2 kept"
    done = run(place, "run-all", "plan-001")
    assert (done.code, done.json["status"], len(commits(place))) == (0, "DONE", 3), done.out


def test_phases_made_anew_with_reset_keep_none_and_a_plan_that_is_cancelled_gets_none(tmp_path: Path) -> None:
    place = planned(tmp_path)
    assert run(place, "run", "plan-001").code == 0
    anew = run(place, "phases", "plan-001", "--regenerate", "--reset")
    assert (anew.code, anew.json["what"]) == (0, "4 phases, none kept"), anew.out
    lost, numbers = anew.json["notes"]
    assert numbers == "new phases begin with phase-2: an id stays with the work that began under it"
    assert lost.startswith("phase-1 (Implement tally/count.py and 1 more file) was done and is made anew; its commit ")
    listed = run(place, "phases", "plan-001")
    assert [one["id"] for one in listed.json["phases"]] == ["phase-2", "phase-3", "phase-4", "phase-5"]
    assert run(place, "cancel", "plan-001").code == 0
    for command in (["phases", "plan-001", "--regenerate"], ["skip", "plan-001"]):
        over = run(place, *command)
        told = (over.json["error"]["what"].split(";")[0], over.json["error"]["do"])
        assert (over.code, told) == (2, ("plan-001 is CANCELLED", "Forge it: thoughtforge forge plan-001")), over.out


def test_the_agent_is_shown_the_function_a_phase_is_about_and_not_the_head_of_its_file(tmp_path: Path) -> None:
    imports = "".join(f"LINE_{number} = {number}\n" for number in range(400))
    body = PLAN.replace("report tells", "`report()` tells, by `widest`,")
    place = planned(tmp_path, body=body, more={"tally/report.py": imports + MORE["tally/report.py"]})
    assert run(place, "run", "plan-001").code == 0
    run(place, "run", "plan-001")
    shown = next(text for text in place.contexts("phases") if "### the phase phase-2" in text)
    assert "def report(numbers: list[int]) -> str:" in shown
    assert "LINE_5 = 5\n" not in shown
    assert "+def widest(numbers: list[int]) -> int:" in shown


def needing() -> dict[str, Rule]:
    """Phase 3 needs a file that the plan does not name."""
    rules = implementing()
    need = {"needs": [{"path": "docs/index.md", "reason": "the manual is linked there"}]}
    told = last(r"edited docs/manual.md \(\+1 −1\)")
    link = {"path": "docs/index.md", "content": "# Index\n\n[Manual](manual.md)\n"}
    rules["manual_end"] = hands_in("phase-3", "docs/manual.md", after=told, **need)
    allowed = r"- docs/index.md\n.*recent_actions.*complete"
    end = hands_in(
        "phase-3", "docs/manual.md", "docs/index.md", after=r"created docs/index.md[^\n]*\s+## verification_status"
    )
    return {"linked": end, "link": acts("phase-3", "create_file", link, after=allowed), **rules}


def test_a_file_beside_the_plan_is_a_question_and_the_yes_is_on_record(tmp_path: Path) -> None:
    place = planned(tmp_path, rules=needing())
    asked = run(place, "run-all", "plan-001")
    assert (asked.code, asked.json["reason"]) == (3, "question"), asked.out
    assert "Allow it: thoughtforge resolve plan-001:E-1 --accept" in asked.json["next_action"]
    (raised,) = place.events("escalation_raised")
    assert "docs/index.md" in raised["escalation"]["summary"]
    assert place.run("resolve", "plan-001:E-1", "--accept").code == 0
    done = run(place, "run-all", "plan-001")
    assert (done.code, done.json["status"]) == (0, "DONE"), done.out + done.err
    assert [one["path"] for one in done.json["deviations"]] == ["docs/index.md"]
    assert files_in(place, "plan-001 phase-3") == ["docs/index.md", "docs/manual.md"]
    closing = [c for c in place.contexts("phases", "review")]
    assert "docs/index.md in phase-3, allowed by" in closing[-1]
    after = next(text for text in place.contexts("phases") if "- docs/index.md: allowed by" in text)
    assert "because you asked: the manual is linked there" in after
    assert "files_at_hand: fail" not in after
    assert "docs/index.md is unchanged: change it, or say why not in untouched" in after
    assert "- E-1: May phase-3 change docs/index.md?" in closing[-1]


def test_a_test_that_a_phase_breaks_is_owed_and_must_be_repaid(tmp_path: Path) -> None:
    rules, sums = implementing(), "    return sum(numbers)\n"
    halves = f"    return sum(numbers) + (len(numbers) < 3)\n{WIDEST}"
    rules["count"] = acts("phase-1", "edit_file", edit("tally/count.py", sums, halves))
    rules["count_import"]["when"]["context"][1] = last(r"edited tally/count.py \(\+6 −1\)")
    rules["insists"] = hands_in("phase-3", "docs/manual.md", after="handed in, then refused")
    place = planned(tmp_path, rules=rules)
    first = run(place, "run", "plan-001")
    assert (first.code, first.json["owed"]) == (0, ["tests/test_report.py::test_the_sum_is_told"]), first.out
    whole = run(place, "run-all", "plan-001")  # phase 2 expects a whole number, so nobody repays it
    assert (whole.code, whole.json["status"]) == (1, "IMPLEMENTING")
    assert "no_test_owed" in whole.json["detail"], whole.out


def test_a_test_is_still_owed_when_the_phase_that_had_to_repay_it_is_skipped(tmp_path: Path) -> None:
    rules, sums = implementing(), "    return sum(numbers)\n"
    halves = f"    return sum(numbers) + (len(numbers) < 3)\n{WIDEST}"
    rules["count"] = acts("phase-1", "edit_file", edit("tally/count.py", sums, halves))
    rules["count_import"]["when"]["context"][1] = last(r"edited tally/count.py \(\+6 −1\)")
    rules = {key: rule for key, rule in rules.items() if not key.startswith(("report", "manual"))}
    handed = hands_in("phase-2", "docs/manual.md", after="")
    rules["nothing"] = {**handed, "when": {"context": ["the phase phase-[23]:"]}}
    body = PLAN.replace(PROOF, "python -c pass").replace(", prints sum 6, widest gap 4", "")
    place = planned(tmp_path, body=body, rules=rules, plan={"phase_max_files": 2, "fix_rounds": 0})
    for phase in ("phase-2", "phase-3"):
        assert run(place, "run-all", "plan-001").code == 1
        assert run(place, "skip", "plan-001").json["what"].startswith(f"{phase} is skipped")
    audited = run(place, "run-all", "plan-001")
    owed = ["tests/test_report.py::test_the_sum_is_told"]
    assert (audited.code, audited.json["reason"], audited.json["owed"]) == (1, "phase_failed", owed), audited.out
    unsaid = run(place, "skip", "plan-001")
    assert (unsaid.code, "closing audit" in unsaid.json["error"]["what"]) == (2, True), unsaid.out
    assert run(place, "skip", "plan-001", "--reason", "The figure is meant").code == 0
    failed = run(place, "run-all", "plan-001")
    assert (failed.code, failed.json["reason"], failed.json["status"]) == (1, "plan_failed", "AUDITING"), failed.out
    assert "tests/test_report.py::test_the_sum_is_told passed before and now failed" in failed.json["detail"]
    assert failed.json["owed"] == owed


def test_a_closing_audit_is_skipped_only_for_a_reason_which_is_on_record(tmp_path: Path) -> None:
    blocks = prompted(CLOSES, found({**BLOCKING, "location": "docs/manual.md:3"}))
    place = planned(tmp_path, rules={"blocks": blocks, **implementing()}, plan={"phase_max_files": 2, "fix_rounds": 0})
    assert run(place, "run-all", "plan-001").code == 1
    refused = run(place, "skip", "plan-001")
    assert (refused.code, "--reason" in refused.json["error"]["do"]) == (2, True), refused.out
    assert run(place, "skip", "plan-001", "--reason", "It misreads the manual").code == 0
    done = run(place, "run-all", "plan-001")
    assert (done.code, statuses(done)) == (0, ["done"] * 3 + ["skipped"]), done.out
    (beside,) = done.json["deviations"]
    assert (beside["phase"], beside["path"], beside["reason"]) == ("phase-4", "", "It misreads the manual")
    assert "beside the plan: phase-4 skipped by" in place.run("plan", "show", "plan-001").out
    report = (place.folder / "artifacts" / "phases" / "change_report_final.yaml").read_text()
    assert "phase-4 was skipped by" in report
    assert "It misreads the manual" in report
    for command in (["phases", "plan-001", "--regenerate"], ["skip", "plan-001"], ["run", "plan-001"]):
        over = run(place, *command)
        assert (over.code, over.json["error"]["what"].startswith("plan-001 is DONE; ")) == (2, True), over.out


def calling() -> dict[str, Rule]:
    """Phase 1 adds a parameter."""
    rules = implementing()
    wider = edit("tally/count.py", "(numbers: list[int]) -> int:", "(numbers: list[int], keep: bool = False) -> int:")
    imports = rules["count"]["reply"]["params"]
    told = last(r"edited tally/count.py \(\+1 −1\)")
    return {
        "wider": acts("phase-1", "edit_file", wider),
        "count": acts("phase-1", "edit_file", imports, after=told),
    } | {name: rule for name, rule in rules.items() if name != "count"}


CALLS = "from tally.count import total\n\nOPTIONS: dict[str, str] = {}\n"


@pytest.mark.parametrize(
    ("call", "ended"), [("total(**OPTIONS)\n", (0, "pass")), ("total([1], **OPTIONS)\n", (1, "fail"))]
)
def test_a_type_error_elsewhere_blocks_unless_the_line_had_one(
    tmp_path: Path, call: str, ended: tuple[int, str]
) -> None:
    rules = calling()
    rules["insists"] = hands_in("phase-1", "tally/count.py", "tests/test_count.py", after="handed in, then refused")
    place = planned(tmp_path, rules=rules, more={"tools/check.py": f"{CALLS}{call}"})
    done = run(place, "run", "plan-001")
    exits = [event for event in place.events("measured") if (event["what"], event["stage"]) == ("exit", "phases")]
    types = next(one for one in exits[0]["criteria"] if one["name"] == "type_check_pass")
    assert (done.code, types["outcome"]) == ended, done.out
    edits = [event for event in place.events("measured") if event["what"] == "edit"]
    if done.code:
        assert "Expected `bool`" in types["detail"]
        assert (
            "hand in `needs`, if the plan itself causes it, with tools/check.py: V-"
            in (edits[0]["facts"]["next_action"])
        )
    else:
        assert types["detail"] == "1 in files that stay as they are do not count"
        assert [event["facts"]["findings"] for event in edits] == [0] * len(edits)


def test_what_the_closing_audit_blocks_is_fixed_and_audited_again(tmp_path: Path) -> None:
    rules = implementing()
    better = edit("docs/manual.md", "the widest gap.", "the widest gap between neighbours.")
    fixing = {
        "fix": acts("", "edit_file", better),
        "fix_end": hands_in(
            "",
            "docs/manual.md",
            after=last(r"edited docs/manual.md \(\+1 −1\)"),
            summary="The gap is explained now.",
        ),
    }
    for rule in fixing.values():
        rule["when"]["context"][0] = "findings to settle"
    blocks = prompted(CLOSES, found({**BLOCKING, "location": "docs/manual.md:3", "title": "The gap is not explained"}))
    clean = prompted(CLOSES, found(), "gap between neighbours.\n")
    place = planned(tmp_path, rules={**fixing, "clean": clean, "blocks": blocks, **rules})
    done = run(place, "run-all", "plan-001")
    assert (done.code, done.json["status"]) == (0, "DONE"), done.out + done.err
    assert commits(place)[-1] == "plan-001 phase-4: settle the audit, round 1"
    assert [e["outcome"] for e in place.events("phase_audited")] == ["fix", "pass"]
    moves = [e["after"] for e in place.events("plan_moved")]
    assert moves[-4:] == ["AUDITING", "IMPLEMENTING", "AUDITING", "DONE"]
    fixing_it = next(text for text in place.contexts("phases") if "findings to settle" in text)
    assert "### what the plan changed in docs/manual.md" in fixing_it
    assert "+It tells the sum and the widest gap." in fixing_it
    again = place.contexts("phases", "review")[-1]
    assert "\n### what is wanted\n" in again
    shown = place.run("plan", "show", "plan-001").out
    assert "- **closing audit 1** by " in shown
    assert re.search(r"- \*\*fix 1\*\* done, `\w+`: The gap is explained now\.", shown)
    fixed = git("log", "-1", "--format=%s%n%b", "thoughtforge/plan-001", cwd=place.repository)
    assert fixed.startswith("plan-001 phase-4: settle the audit, round 1\nThe gap is explained now.\n")
    assert "**Status:** AUDITING" in again
    assert "- fix 1, done, " in again
    assert ": The gap is explained now." in again
    assert "### what the engine measured of the tests" in again
    assert re.search(r"- now: \d+ tests pass, 0 are owed", again)


def test_after_the_last_fix_round_the_plan_halts_with_the_reasons(tmp_path: Path) -> None:
    blocks = prompted(CLOSES, found({**BLOCKING, "location": "docs/manual.md:3"}))
    place = planned(tmp_path, rules={"blocks": blocks, **implementing()}, plan={"phase_max_files": 2, "fix_rounds": 0})
    done = run(place, "run-all", "plan-001")
    assert (done.code, done.json["reason"], done.json["status"]) == (1, "phase_failed", "AUDITING"), done.out
    assert "The empty list is not decided" in done.json["detail"]


def test_a_command_of_the_plan_that_fails_blocks_and_prose_is_never_passed(tmp_path: Path) -> None:
    body = PLAN.replace("widest gap 4\n```", "widest gap 5\n```\n\nLook at the report yourself.")
    place = planned(tmp_path, body=body, plan={"phase_max_files": 2, "fix_rounds": 0})
    done = run(place, "run-all", "plan-001")
    assert done.code == 1
    (audited,) = place.events("phase_audited")
    rows = [(c["name"], c["outcome"]) for c in audited["tested"]]
    assert rows == [(PROOF, "fail"), ("prose", "not_run"), ("no_test_owed", "pass")]


def test_commands_that_nobody_allows_are_shown_as_not_run_with_what_to_set(tmp_path: Path) -> None:
    place = planned(tmp_path, commands=[])
    done = run(place, "run-all", "plan-001")
    assert (done.code, done.json["status"]) == (0, "DONE"), done.out
    assert [(row["name"], row["outcome"]) for row in done.json["tested"]] == [
        (PROOF, "not_run"),
        ("no_test_owed", "pass"),
    ]
    told = "### allowed commands\nNone is allowed: no command is run, and those of the plan's Testing section are shown"
    assert told in place.contexts("phases")[0]
    shown = place.run("plan", "show", "plan-001").out
    assert f"  closing audit: {PROOF}: not run: no command may be run in this repository" in shown
    assert "  closing audit: no_test_owed: pass: " in shown
    told = "commands of the plan were not run; allow them in config.yaml, for example commands: [[python]]"
    assert f"  ! {told}\n" in shown
    first = done.json["phases_view"]["phases"][0]["gitCommit"]
    (made, *_) = [e["commit"] for e in place.events("phase_ended") if e["commit"]]
    assert (first, len(made)) == (made[:12], 40)
    assert f"**Commit:** `{first}`" in (place.home / "plans" / "plan-001-phases.md").read_text()


def test_a_plan_without_files_reads_first_and_what_it_noted_is_shown_to_the_phase_after_it(tmp_path: Path) -> None:
    body = PLAN[: PLAN.index("- `tally/count.py`")] + "Say in the manual that the sum is told.\n\n"
    body += "## Risks\n\nNone.\n\n## Testing\n\nRead the manual.\n\n"
    notes = {"artifact": {"notes": "The manual is docs/manual.md."}}
    told = acts("phase-2", "edit_file", edit("docs/manual.md", "It tells", "It prints"))
    told["when"]["context"].append("phase-1 .*: The manual is docs/manual.md")
    rules = {
        "reads": acts("phase-1", "complete", notes),
        "tells": acts("phase-2", "read_file", {"path": "docs/manual.md"}),
        "edits": {**told, "when": {"context": [*told["when"]["context"][::2], "read_file path=docs/manual.md"]}},
        "ends": hands_in("phase-2", "docs/manual.md", after=last(r"edited docs/manual.md \(\+1 −1\)")),
        "closing": prompted(CLOSES, found(MINOR)),
    }
    place = planned(tmp_path, body=body, rules={"ends": rules.pop("ends"), "edits": rules.pop("edits"), **rules})
    done = run(place, "run-all", "plan-001")
    assert (done.code, done.json["status"]) == (0, "DONE"), done.out
    phases = done.json["phases_view"]["phases"]
    assert [(one["kind"], one["status"]) for one in phases] == [
        ("read", "done"),
        ("implement", "done"),
        ("audit", "done"),
    ]
    assert phases[0]["output"] == "The manual is docs/manual.md."
    assert files_in(place, "plan-001 phase-2") == ["docs/manual.md"]


def test_a_file_is_renamed_and_another_removed_as_the_plan_says(tmp_path: Path) -> None:
    body = PLAN[: PLAN.index("- `tally/count.py`")]
    body += "- `docs/manual.md` — Rename to docs/guide.md.\n- `docs/guide.md` — The manual under its new name.\n"
    body += "- `pyproject.toml` — Remove it.\n\n## Risks\n\nNone.\n\n## Testing\n\nLook.\n\n"
    moved = {"path": "docs/manual.md", "to": "docs/guide.md"}
    rules = {
        "moves": acts("phase-1", "move_file", moved),
        "end": hands_in(
            "phase-1", "docs/manual.md", "docs/guide.md", after=last("moved docs/manual.md to docs/guide.md")
        ),
        "removes": acts("phase-2", "delete_file", {"path": "pyproject.toml"}),
        "end_2": hands_in("phase-2", "pyproject.toml", after=last("deleted pyproject.toml[^\n]*")),
        "closing": prompted(CLOSES, found(MINOR)),
    }
    place = planned(tmp_path, body=body, rules=rules)
    done = run(place, "run-all", "plan-001")
    assert (done.code, done.json["status"]) == (0, "DONE"), done.json["detail"]
    changed = git("diff", "--name-status", "main", "thoughtforge/plan-001", cwd=place.repository).splitlines()
    assert changed == ["R100\tdocs/manual.md\tdocs/guide.md", "D\tpyproject.toml"]


@pytest.mark.parametrize(
    ("change", "code", "status"),
    [
        ("Remove it with what it tests.", 0, "DONE"),
        ("Prove that removing a number works.", 1, "IMPLEMENTING"),
        ("Remove the assertion about the sum.", 1, "IMPLEMENTING"),
    ],
)
def test_tests_of_a_file_are_not_owed_when_the_approved_plan_takes_it_away(
    change: str, code: int, status: str, tmp_path: Path
) -> None:
    body = PLAN[: PLAN.index("- `tally/count.py`")] + f"- `tests/test_report.py` — {change}\n\n"
    body += "## Risks\n\nNone.\n\n## Testing\n\nLook.\n\n"
    rules = {
        "removes": acts("phase-1", "delete_file", {"path": "tests/test_report.py"}),
        "end": {
            **hands_in("phase-1", "tests/test_report.py", after=""),
            "when": {"context": ["the phase phase-1:"]},
        },
        "closing": prompted(CLOSES, found(MINOR)),
    }
    place = planned(tmp_path, body=body, rules=rules)
    done = run(place, "run-all", "plan-001")
    assert (done.code, done.json["status"]) == (code, status), done.json["detail"]
    assert ("tests/test_report.py::test_the_sum_is_told is gone" in (done.json["detail"] or "")) == bool(code)


def test_a_phase_of_a_plan_of_forty_files_and_twelve_phases_has_a_context_of_at_most_8000_tokens(
    tmp_path: Path,
) -> None:
    lines = "\n".join(f"ROW_{number} = 'the row number {number} of a long table'" for number in range(400))
    paths = [f"tally/part{number % 12:02}/rows{number:02}.py" for number in range(40)]
    change = "Keep the order of rows, name every row after its place, and say so beside the table. " * 12
    body = PLAN[: PLAN.index("- `tally/count.py`")] + "".join(f"- `{path}` — {change}\n" for path in paths)
    body += "\n## Risks\n\nNone.\n\n## Testing\n\nLook.\n\n"
    place = make_plans(tmp_path, {path: f"{lines}\n" for path in paths})
    left = [{"path": path, "reason": "It is as the plan wants it."} for path in paths]
    script(place, {"ends": hands_in("phase-1", after="", untouched=left)}, plan={"phase_max_files": 4})
    assert place.run("plan", "create", WISH).code == 0
    write(place, body)
    assert approve(place).code == 0
    done = run(place, "run", "plan-001")
    assert (done.code, [one["kind"] for one in done.json["phases_view"]["phases"]]) == (
        0,
        ["implement"] * 12 + ["audit"],
    ), done.out
    sent = place.run("inspect", "plan-001", "--context", "--json").json["calls"]
    assert sent
    assert max(call["tokens"] for call in sent) <= 8_000


def test_commands_for_tasks_take_a_plan(tmp_path: Path) -> None:
    place = planned(tmp_path)
    assert run(place, "run-all", "plan-001").code == 0
    assert "def widest" in place.run("diff", "plan-001").out
    for command in ("status", "cost", "inspect", "verify"):
        done = place.run(command, "plan-001", "--json")
        assert (command, done.code) == (command, 0), done.out
    applied = place.run("apply", "plan-001", "--json")
    assert applied.code == 0, applied.out + applied.err
    assert "def widest" in (place.repository / "tally" / "count.py").read_text()
    other = place.run("discard", "plan-001", "--json")
    assert other.code == 0, other.out + other.err
    assert git("for-each-ref", "refs/heads/thoughtforge", cwd=place.repository) == ""


@pytest.mark.parametrize("command", ["approve", "close"])
def test_an_illegal_move_is_refused_by_name(tmp_path: Path, command: str) -> None:
    place = make_plans(tmp_path)
    assert place.run("plan", "create", WISH).code == 0
    done = run(place, command, "plan-001")
    assert done.code == 2
    assert done.json["error"]["what"].startswith("plan-001 is DRAFT and cannot become")
