"""A change plan from a sentence to commits: forged, approved, implemented phase by phase."""

from __future__ import annotations

from pathlib import Path

from flows.forge_runs import DRAFT, DRAFTS, MORE, WISH, make_plans, prompted, replies, script
from harness import git


def test_a_sentence_becomes_a_plan_and_the_plan_three_commits(tmp_path: Path) -> None:
    place = make_plans(tmp_path)
    forged = place.run("forge", WISH, "--json")
    assert (forged.code, forged.json["status"], forged.json["reason"]) == (3, "REVIEW", "approval"), forged
    approved = place.run("plan", "approve", "plan-001", "--json")
    assert (approved.code, approved.json["status"]) == (0, "APPROVED"), approved
    done = place.run("plan", "run-all", "plan-001", "--json", timeout=300)
    assert (done.code, done.json["status"], done.json["warnings"]) == (0, "DONE", []), done.out + done.err
    log = git("log", "--format=%s", "main..thoughtforge/plan-001", cwd=place.repository).splitlines()
    drafting = next(text for text in place.contexts("plan") if "### what the research found" in text)
    assert "word by word, with one of these)\n- python -c …\n" in drafting
    assert "- python -c …\n" in next(text for text in place.contexts("phases") if "the phase phase-1" in text)
    assert "### your steps\nThis is step 1 of 12." in place.contexts("plan")[0]
    assert git("log", "-1", "--format=%s", "thoughtforge/plan-001", cwd=place.repository) == (
        "plan-001 phase-3: docs/manual.md: Say that the gap is told.\n"
    )
    report = (place.folder / "report.md").read_text()
    assert "## Phases\n\n- **phase-1** done, `" in report
    assert "- audit 1 by script/scripted: revise, worst finding blocking\n- F-001 blocking: The empty list" in report
    assert "## Tests owed\n\nNone.\n\n## Cost\n\n" in report
    assert [line[:17] for line in log] == ["plan-001 phase-3:", "plan-001 phase-2:", "plan-001 phase-1:"]


def test_a_plan_whose_assumptions_were_tried_begins_from_the_commit_it_is_approved_for(tmp_path: Path) -> None:
    place = make_plans(tmp_path)
    tried = {"assumption": "tally can be imported", "probe": "import tally.count", "expect": "works"}
    script(place, {"tried": prompted(DRAFTS, {**DRAFT, "assumptions": [tried]}), **replies()})
    assert place.run("forge", WISH, "--json").code == 3
    assert [e["type"] for e in place.events() if e["type"].startswith("workspace")] == ["workspace_made"]
    (place.repository / "later.txt").write_text("later\n")
    git("add", "later.txt", cwd=place.repository)
    git("commit", "-q", "-m", "Later", cwd=place.repository)
    head = git("rev-parse", "HEAD", cwd=place.repository).strip()
    approved = place.run("plan", "approve", "plan-001", "--json")
    assert (approved.code, approved.json["notes"]) == (0, []), approved.out
    done = place.run("plan", "run-all", "plan-001", "--json", timeout=300)
    assert (done.code, done.json["status"], done.json["base_commit"]) == (0, "DONE", head), done.out
    assert git("rev-parse", "thoughtforge/plan-001~3", cwd=place.repository).strip() == head
    assert not [text for text in done.json["warnings"] if "workspace" in text]


def test_with_the_setting_an_approved_plan_is_implemented_at_once_unless_something_forbids_it(tmp_path: Path) -> None:
    place = make_plans(tmp_path)
    script(place, plan={"phase_max_files": 2, "auto_implement": True})
    assert place.run("forge", WISH, "--json").code == 3
    manual = place.repository / "docs" / "manual.md"
    manual.write_text("mine\n")
    waits = place.run("plan", "approve", "plan-001", "--json")
    assert (waits.code, waits.json["status"], waits.json["notes"], waits.json["next_action"]) == (
        0,
        "APPROVED",
        ["not implemented at once: you have uncommitted changes in docs/manual.md"],
        "Run its phases: thoughtforge plan run-all plan-001",
    )
    manual.write_text(MORE["docs/manual.md"])
    assert place.run("forge", WISH, "--json").code == 3
    done = place.run("plan", "approve", "plan-002", "--json", timeout=300)
    assert (done.code, done.json["status"], len(done.json["phases_view"]["phases"])) == (0, "DONE", 4), done.out
