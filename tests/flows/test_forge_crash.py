"""Killed with SIGKILL at every kind of event of run-all: asked again, it ends with the same tree and no phase twice.

One plan dies again and again: each process is killed when the next kind of event that none died at is on record, or,
with --every-boundary, when one more thing is.
"""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest

from flows.crash_support import SITE
from flows.test_phases import commits, planned, run
from harness import Done, git
from harness.boundaries import MOMENTS
from harness.place import Place
from thoughtforge.store.verify import verify

MOST_LIVES = 300
ASIDE = ("runner_started", "runner_stopped", "plan_asked", "warning_given")
"""What every process puts on record anew."""
FIELDS = ("type", "stage", "key", "what", "path", "tool", "phase", "after")

Step = tuple[Any, ...]


def tale(record: list[dict[str, Any]]) -> list[Step]:
    """Everything that was put on record, each thing once, whoever did it."""
    keys = {e["call"]: e["key"] for e in record if e["type"] == "call_started"}
    told = [{**e, "key": keys.get(e.get("call", ""))} for e in record if e["type"] not in ASIDE]
    return list(dict.fromkeys(tuple(str(e.get(name)) for name in FIELDS) for e in told))


def tree(place: Place) -> str:
    """The tree the person got."""
    return git("rev-parse", "thoughtforge/plan-001^{tree}", cwd=place.repository).strip()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A run nobody disturbed."""
    place = planned(tmp_path_factory.mktemp("whole"))
    assert run(place, "run-all", "plan-001").code == 0
    return place


def doomed(place: Place, *, after: int, moment: str) -> Done:
    """Ask for all phases, and die at that event."""
    at = f"os.rename head {after} {moment}"
    done = place.run("plan", "run-all", "plan-001", "--json", PYTHONPATH=str(SITE), CRASH=at, timeout=300)
    assert done.code in (0, -signal.SIGKILL), done.out + done.err
    return done


def ahead(steps: list[Step], there: set[Step], died_at: set[str], *, every: bool) -> int:
    """How many new things until the next one to die at."""
    missing = [step for step in steps if step not in there]
    fresh = (n for n, step in enumerate(missing, start=1) if every or f"{step[0]} {step[3]}" not in died_at)
    return next(fresh, len(missing) + 1)


def test_killed_at_each_kind_of_event_run_all_ends_with_the_same_tree_and_no_phase_twice(
    whole: Place, tmp_path: Path, pytestconfig: Any
) -> None:
    every = bool(pytestconfig.getoption("--every-boundary"))
    place, steps = planned(tmp_path), tale(whole.events())
    died_at: set[str] = set()
    again, known = 0, 0
    for lives in range(MOST_LIVES):
        behind = lives > 0 and MOMENTS[(lives - 1) % 2] == "before"  # then head is brought up to the log first
        there = set(tale(place.events()))
        again, known = (again + 1 if len(there) == known else 0), len(there)  # what a crash makes it do again
        more = ahead(steps, there, died_at, every=every) + again
        doomed(place, after=behind + 2 + more, moment=MOMENTS[lives % 2])
        last = place.events()[-1]
        died_at.add(f"{last['type']} {last.get('what')}")
        if last["type"] == "ref_written":
            break
    assert (tree(place), commits(place)) == (tree(whole), commits(whole))
    assert verify(place.folder).damage == ()
    done = {e["phase"] for e in place.events("phase_ended")}
    assert len(place.events("phase_ended")) == len(done) == 4
    assert len(died_at) >= 12
