"""Killed with SIGKILL at an event of run-all: asked again, it ends with the same tree and no phase twice.

It is one event of each kind, now before it is on record and now after; with --every-boundary every one, and both.
"""

from __future__ import annotations

import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from flows.crash_support import SITE
from flows.test_phases import commits, planned, run
from harness import git
from harness.boundaries import Boundary, Choose, kind
from harness.place import Place
from thoughtforge.store.verify import verify

CHUNKS = 8
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


def wanted(record: Sequence[dict[str, Any]], found: Sequence[Boundary], *, every: bool) -> list[Boundary]:
    """The boundaries to die at: without `every` each kind of event once, kind after kind before and after it."""
    if every:
        return list(found)
    kinds = list(dict.fromkeys(kind(record[one.number - 1]) for one in found))
    moments = {each: ("before", "after")[place % 2] for place, each in enumerate(kinds)}
    return [one for one in found if one.moment == moments[kind(record[one.number - 1])]]


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_killed_at_an_event_run_all_ends_with_the_same_tree_and_no_phase_twice(
    whole: Place, choose: Choose, tmp_path: Path, pytestconfig: Any, chunk: int
) -> None:
    record = whole.events()
    asked = next(event["seq"] for event in record if event["type"] == "plan_asked")
    every = bool(pytestconfig.getoption("--every-boundary"))
    for at in wanted(record, choose(record, after=asked - 1), every=every)[chunk::CHUNKS]:
        dies_and_goes_on(whole, planned(tmp_path / f"{at.number}-{at.moment}"), at, began=asked - 1)


def dies_and_goes_on(whole: Place, place: Place, at: Boundary, *, began: int) -> None:
    """Die once at that event, and ask again."""
    dying = {"PYTHONPATH": str(SITE), "CRASH": at._replace(number=at.number - began).at}
    dead = place.run("plan", "run-all", "plan-001", "--json", timeout=300, **dying)
    assert dead.code == -signal.SIGKILL, dead.out + dead.err
    assert kind(place.events()[-1]) == kind(whole.events()[at.number - 1])
    if place.events()[-1]["type"] != "ref_written":  # then nothing is left to ask for
        done = run(place, "run-all", "plan-001")
        assert (done.code, done.json["status"]) == (0, "DONE"), (at, done.out)
    assert (tree(place), commits(place)) == (tree(whole), commits(whole)), at
    assert verify(place.folder).damage == (), at
    ended = [event["phase"] for event in place.events("phase_ended")]
    assert ended == ["phase-1", "phase-2", "phase-3", "phase-4"], at
