"""A change plan from a sentence to commits: forged, approved, implemented phase by phase."""

from __future__ import annotations

from pathlib import Path

from flows.forge_runs import WISH, make_plans
from harness import git


def test_a_sentence_becomes_a_plan_and_the_plan_three_commits(tmp_path: Path) -> None:
    place = make_plans(tmp_path)
    forged = place.run("forge", WISH, "--json")
    assert (forged.code, forged.json["status"], forged.json["reason"]) == (3, "REVIEW", "approval"), forged
    approved = place.run("plan", "approve", "plan-001", "--json")
    assert (approved.code, approved.json["status"]) == (0, "APPROVED"), approved
    done = place.run("plan", "run-all", "plan-001", "--json", timeout=300)
    assert (done.code, done.json["status"]) == (0, "DONE"), done.out + done.err
    log = git("log", "--format=%s", "main..thoughtforge/plan-001", cwd=place.repository).splitlines()
    assert [line[:17] for line in log] == ["plan-001 phase-3:", "plan-001 phase-2:", "plan-001 phase-1:"]
