"""Killed with SIGKILL at an event of a design: it goes on to the same specification and repeats one call at most.

It is one event of each kind, with --every-boundary every single one. The process that dies loads crash_support/site;
nothing in it is replaced. An event ends with the rename of `head.new` onto `head`: just before it the line is in the
log and `head` is one behind, just after it both agree. These are all the states a kill between two writes can leave;
half a line is made on disk.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from flows.crash_support import Outcome, Shelf, outcome, repeats, tear
from harness import REQUEST
from harness.boundaries import MOMENTS, Choose
from harness.place import Place, make_place, until

CHUNKS = 6
"""Into how many tests the boundaries are dealt, so that they spread over the workers."""


class Whole(NamedTuple):
    """A design nobody disturbed."""

    clean: Shelf
    """The repository as it was before."""
    events: list[dict[str, Any]]
    outcome: Outcome

    @property
    def written(self) -> int:
        """Events of the making of the task; it is listed after these."""
        return next(e["seq"] for e in self.events if e["type"] == "runner_started") - 1


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """Run it once; every test begins with a copy of what was there before."""
    folder = tmp_path_factory.mktemp("whole")
    place = make_place(folder)
    clean = Shelf(place.repository, place.person)
    used = clean.copy(folder / "used")
    done = used.design()
    return Whole(clean, used.events(), outcome(used, done))


def go_on(shelf: Shelf) -> Outcome:
    """Continue the only task."""
    return outcome(shelf, shelf.run("continue", shelf.folder.name))


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_killed_at_any_event_a_task_goes_on_to_the_same_specification(
    whole: Whole, choose: Choose, tmp_path: Path, chunk: int
) -> None:
    for boundary in choose(whole.events, after=whole.written)[chunk::CHUNKS]:
        shelf = whole.clean.copy(tmp_path / boundary.at)
        shelf.kill("design", REQUEST, at=boundary.at)
        left = shelf.events()
        assert [e["type"] for e in left] == [e["type"] for e in whole.events[: boundary.number]]
        assert go_on(shelf) == whole.outcome, boundary
        last = left[-1]
        expected = [(last["key"], True)] if last["type"] == "call_started" else []
        assert repeats(shelf.events()) == expected, boundary


def test_there_is_no_boundary_that_was_not_tried(whole: Whole, tmp_path: Path) -> None:
    shelf = whole.clean.copy(tmp_path)
    done = shelf.doomed("design", REQUEST, at=f"os.rename head {len(whole.events) + 1} before")
    assert outcome(shelf, done) == whole.outcome


@pytest.mark.parametrize("chunk", range(4))
def test_half_a_line_is_set_aside_with_a_warning_and_the_task_goes_on(whole: Whole, tmp_path: Path, chunk: int) -> None:
    kinds = {event["type"]: event["seq"] for event in reversed(whole.events[whole.written :])}
    for kind, seq in list(kinds.items())[chunk::4]:
        shelf = whole.clean.copy(tmp_path / kind)
        shelf.kill("design", REQUEST, at=f"os.rename head {seq} before")
        half = tear(shelf.folder / "events.jsonl")
        assert go_on(shelf) == whole.outcome, kind
        aside = shelf.folder / f"torn-{seq}.part"
        assert (kind, aside.read_bytes()) == (kind, half)
        record = shelf.events()
        assert record[seq - 1]["text"] == f"an unfinished last event was set aside as {aside.name}"
        before = whole.events[seq - 2]
        assert repeats(record) == ([(before["key"], True)] if before["type"] == "call_started" else []), kind


def test_killed_again_and_again_it_still_ends(whole: Whole, tmp_path: Path) -> None:
    shelf = whole.clean.copy(tmp_path)
    shelf.kill("design", REQUEST, at=f"os.rename head {whole.written + 1} after")
    lives = 0
    while (done := shelf.doomed("continue", shelf.folder.name, at=f"os.rename head 13 {MOMENTS[lives % 2]}")).code:
        assert done.code == -signal.SIGKILL, done.err
        lives += 1
    assert outcome(shelf, done) == whole.outcome
    assert lives > 3
    assert len(repeats(shelf.events())) <= lives


BEFORE_IT_IS_LISTED = (
    "os.mkdir .*-add-a-json-flag-to 1 after",
    "open lease 1 before",
    "open task.yaml 1 after",
    "open events.jsonl 1 after",
    "os.rename head 1 before",
    "os.rename head 1 after",
    "os.rename *-add-a-json-flag-to 1 before",
)
"""Moments of making a task, in order."""


def test_killed_while_a_task_is_made_leaves_no_task_behind(whole: Whole, tmp_path: Path) -> None:
    shelf = whole.clean.copy(tmp_path)
    tasks = shelf.repository / ".thoughtforge" / "tasks"
    for moment in BEFORE_IT_IS_LISTED:
        shelf.kill("design", REQUEST, at=moment)
        assert (moment, shelf.listed()) == (moment, [])
    assert len(list(tasks.iterdir())) == len(BEFORE_IT_IS_LISTED)
    assert outcome(shelf, shelf.design()) == whole.outcome
    done = shelf.folder.name
    assert shelf.run("prune", "--yes").json["removed"] == []
    assert [path.name for path in tasks.iterdir() if path.is_dir()] == [done]
    assert shelf.run("prune", "--older-than", "0", "--yes").json["removed"] == [done]
    assert shelf.listed() == []


def test_killed_right_after_a_task_is_made_it_is_listed_and_goes_on(whole: Whole, tmp_path: Path) -> None:
    shelf = whole.clean.copy(tmp_path)
    shelf.kill("design", REQUEST, at="os.rename *-add-a-json-flag-to 1 after")
    assert shelf.listed() == [f"{shelf.folder.name} pending"]
    assert go_on(shelf) == whole.outcome


def test_a_killed_runner_in_the_background_leaves_a_task_that_goes_on(whole: Whole, place: Place) -> None:
    place.script({"when": {"context": "^stage: spec$"}, "delay": 600, "reply": "never said"})
    started = place.run("design", REQUEST, "--detach", "--json").json
    until(lambda: [e for e in place.events("call_started") if e["stage"] == "spec"], "the call that never ends")
    os.kill(started["pid"], signal.SIGKILL)
    status = until(
        lambda: next((s for s in [place.run("status", place.task, "--json").json] if s["runner"] is None), None),
        "the end of the runner",
    )
    gone = f"Its process is gone; continue: thoughtforge continue {place.task}"
    assert (status["state"], status["next_action"]) == ("running", gone)
    place.script()
    shelf = Shelf(place.repository, place.person)
    assert go_on(shelf) == whole.outcome
    assert repeats(place.events()) == [("spec/1/artifact", True)]
