"""Killed with SIGKILL at every event of a run that writes code: it goes on to the same tree, and nobody lost anything.

One task dies again and again: each process is killed when it has put one thing on record that none before it had.
"""

from __future__ import annotations

import signal
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest

from flows.code_runs import ASKED, build, make_tally, replies, says, script
from flows.crash_support import SITE
from flows.likeness import branch_of, changed, likeness
from harness import Done, git
from harness.boundaries import MOMENTS
from harness.place import Place, Rule
from thoughtforge.store.verify import verify

MOST_LIVES = 150
MADE = ("task_created", "external_imported", "depth_set")
"""What there is before anybody runs the task."""


def doomed(place: Place, *args: str, at: str) -> Done:
    """Run the command until `at`, where it is killed; or to its end."""
    done = place.run(*args, "--json", PYTHONPATH=str(SITE), CRASH=at)
    assert done.code in (0, -signal.SIGKILL), done.out + done.err
    return done


def begin(place: Place, *, at: str) -> None:
    """Start the small task and see it killed."""
    done = doomed(place, "start", ASKED, "--from-spec", str(place.person / "spec.yaml"), at=at)
    assert done.code == -signal.SIGKILL, at


def tale(record: list[dict[str, Any]], *, at: Collection[int] | None = None) -> list[tuple[Any, ...]]:
    """Everything that was put on record, each thing once, whoever did it; or only what has these numbers."""
    keys = {e["call"]: e["key"] for e in record if e["type"] == "call_started"}
    told = [{**e, "key": keys.get(e.get("call", ""))} for e in record if at is None or e["seq"] in at]
    steps = [tuple(e.get(k) for k in ("type", "stage", "round", "key", "what", "path", "tool")) for e in told]
    return [step for step in dict.fromkeys(steps) if not step[0].startswith("runner_")]


def delivered(place: Place) -> str:
    """The tree the person got."""
    return git("rev-parse", f"thoughtforge/{place.task}^{{tree}}", cwd=place.repository).strip()


def ref_of(place: Place) -> str:
    """Where the person finds it."""
    return f"refs/heads/thoughtforge/{place.task}"


class Whole:
    """A run nobody disturbed."""

    def __init__(self, folder: Path) -> None:
        self.place = make_tally(folder)
        assert build(self.place).code == 0
        self.tree = delivered(self.place)
        self.tale = tale(self.place.events())
        self.files = git("ls-tree", "-r", "HEAD", cwd=self.place.repository)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """Run it once."""
    return Whole(tmp_path_factory.mktemp("whole"))


def test_killed_at_every_event_it_goes_on_to_the_same_tree(whole: Whole, tmp_path: Path) -> None:
    place = make_tally(tmp_path)
    before = likeness(place.repository)
    begin(place, at="os.rename head 4 after")
    seen, more, lives = set(tale(place.events())), 1, 0
    deaths = []
    while True:
        behind = lives > 0 and MOMENTS[(lives - 1) % 2] == "before"  # then head is brought up to the log first
        at = f"os.rename head {behind + 1 + more} {MOMENTS[lives % 2]}"
        done = doomed(place, "continue", place.task, at=at)
        if done.code == 0:
            break
        lives += 1
        assert lives < MOST_LIVES, tale(place.events())[-5:]
        deaths.append(len(place.events()))
        fresh = set(tale(place.events())) - seen
        more = 1 if fresh else more + 1  # what a crash makes it do again is not counted as getting on
        seen |= fresh
        if ref_of(place) not in git("for-each-ref", "--format=%(refname)", cwd=place.repository):
            assert changed(before, likeness(place.repository)) == []
    assert (delivered(place), tale(place.events())) == (whole.tree, whole.tale)
    assert tale(place.events(), at=deaths) == [step for step in whole.tale if step[0] not in MADE]
    assert changed(before, likeness(place.repository)) == branch_of(place.task, git_dir="tally/.git")
    assert verify(place.folder).damage == ()
    assert git("ls-tree", "-r", "HEAD", cwd=place.repository) == whole.files


IN_AN_EDIT = (
    "open .thoughtforge-edit 2 before",
    "os.rename count.py 1 before",
    "os.rename count.py 1 after",
    "os.rename CHANGELOG 1 before",
    "os.rename CHANGELOG 1 after",
)
"""Moments of an edit that is on record and not over: the file not begun, not in place, in place and not yet judged."""


def looking_first() -> dict[str, Rule]:
    """The usual replies, but green reads the file before it edits it."""
    rules = replies()
    rules["write_code"]["when"]["context"] = ["^stage: green$", "read_file path="]
    look = says("green", "read_file", {"path": "tally/count.py"})
    return {"hand_in_code": rules.pop("hand_in_code"), **rules, "look": look}


@pytest.mark.parametrize("at", IN_AN_EDIT)
def test_killed_in_the_middle_of_an_edit_it_is_made_once(whole: Whole, tmp_path: Path, at: str) -> None:
    place = make_tally(tmp_path)
    script(place, looking_first())
    begin(place, at=at)
    assert [e["type"] for e in place.events()[-1:]] == ["edit_planned"]
    done = place.run("continue", place.task, "--json")
    assert (done.code, delivered(place)) == (0, whole.tree), done.out + done.err
    edits = [e for e in place.events("action_taken") if e["tool"] == "edit_file"]
    assert [(e["outcome"], e["summary"]) for e in edits] == [("ok", "edited tally/count.py (+5 −0)")]
