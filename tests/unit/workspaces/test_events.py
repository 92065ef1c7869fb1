"""What the state keeps of a task's own files."""

from __future__ import annotations

from thoughtforge.workspaces.events import CommitMade, RefWritten, WorkspaceMade
from unit.kernel.making import begun, passed, story


def test_the_branch_the_commit_and_the_refs_are_those_on_record() -> None:
    state = story(
        WorkspaceMade(branch="thoughtforge/x"),
        begun("spec"),
        CommitMade(stage="spec", commit="c1", tree="t1"),
        RefWritten(ref="refs/heads/thoughtforge/x", commit="c1", why="delivered"),
        RefWritten(ref="refs/heads/main", commit="c2", why="applied"),
    )
    assert (state.branch, state.stage("spec").commit) == ("thoughtforge/x", "c1")
    assert state.refs == {"refs/heads/thoughtforge/x": "c1", "refs/heads/main": "c2"}


def test_a_stage_that_passed_keeps_its_commit() -> None:
    state = story(begun("spec"), CommitMade(stage="spec", commit="c1", tree="t1"), *passed("spec", "a"))
    assert (state.stage("spec").status, state.stage("spec").commit) == ("passed", "c1")
