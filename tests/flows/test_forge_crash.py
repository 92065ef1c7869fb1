"""Killed with SIGKILL at an event of run-all: asked again, it ends with the same tree and no phase twice.

It is one event of each kind, now before it is on record and now after; with --every-boundary every one, and both.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from flows.crash_support import deaths
from flows.test_phases import commits, planned, run
from harness import git
from harness.boundaries import Boundary, Choose, kind, neighbours
from harness.place import Place
from thoughtforge.store.verify import verify

CHUNKS = 4
"""Into how many tests the boundaries are dealt, so that they spread over the workers."""


def tree(place: Place) -> str:
    """The tree the person got."""
    return git("rev-parse", "thoughtforge/plan-001^{tree}", cwd=place.repository).strip()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A run nobody disturbed."""
    place = planned(tmp_path_factory.mktemp("whole"))
    assert run(place, "run-all", "plan-001").code == 0
    return place


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_killed_at_an_event_run_all_ends_with_the_same_tree_and_no_phase_twice(
    whole: Place, choose: Choose, tmp_path: Path, pytestconfig: Any, chunk: int
) -> None:
    record = whole.events()
    began = next(event["seq"] for event in record if event["type"] == "plan_asked") - 1
    every = bool(pytestconfig.getoption("--every-boundary"))
    mine = [one._replace(number=one.number - began) for one in neighbours(choose(record, after=began), chunk, CHUNKS)]
    place = planned(tmp_path / "here")
    ask = partial(place.run, "plan", "run-all", "plan-001", "--json", timeout=300)
    for at in deaths(tmp_path / "here", ask, mine, every=every):
        assert kind(place.events()[-1]) == kind(record[began + at.number - 1])
        goes_on(whole, place, at)


def goes_on(whole: Place, place: Place, at: Boundary) -> None:
    """Ask again."""
    if place.events()[-1]["type"] != "ref_written":  # then nothing is left to ask for
        done = run(place, "run-all", "plan-001")
        assert (done.code, done.json["status"]) == (0, "DONE"), (at, done.out)
    assert (tree(place), commits(place)) == (tree(whole), commits(whole)), at
    assert verify(place.folder).damage == (), at
    ended = [event["phase"] for event in place.events("phase_ended")]
    assert ended == ["phase-1", "phase-2", "phase-3", "phase-4"], at
