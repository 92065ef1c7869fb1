"""Records of every released version verify and fold for ever, and no later version writes them anew.

`v1` was written by the first version, on the demo. The `v2` ones were written when actions named the tree of the
workspace, by the reference runs of the same names in `tests/stories`.
`thought` was written by the last version with all events in the kernel.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from harness import thoughtforge
from thoughtforge.agent.memory import PENDING
from thoughtforge.calls.events import ActionTaken
from thoughtforge.kernel import events as e
from thoughtforge.kernel.fold import EMPTY, fold
from thoughtforge.kernel.route import Stopped, next_step
from thoughtforge.kernel.state import TaskUsage
from thoughtforge.kernel.stops import StopReason, TaskStatus
from thoughtforge.polish.rounds import ROUNDS
from thoughtforge.store.file_task import read_folder
from thoughtforge.store.log import FileLog, Head, head_bytes, links, read_records, seal
from thoughtforge.store.secrets import Masker
from thoughtforge.store.verify import Proof, verify
from thoughtforge.think.conversation import CONVERSATION

RECORDS = sorted(path for path in Path(__file__).parent.iterdir() if (path / "events.jsonl").exists())
V1 = Path(__file__).parent / "v1"
THOUGHT = Path(__file__).parent / "thought"
WARNING = "uncommitted changes are not seen and not touched: .thoughtforge/, README.md"


@pytest.mark.parametrize("record", RECORDS, ids=lambda path: path.name)
def test_a_record_of_any_version_is_whole_and_has_no_event_we_cannot_read(record: Path) -> None:
    state = fold(EMPTY, read_records(record))
    assert verify(record).damage == ()
    assert (state.unknown, state.status(), next_step(state)) == ((), TaskStatus.done, Stopped(StopReason.done))


def test_the_record_of_version_1_tells_what_happened_then() -> None:
    state = fold(EMPTY, read_records(V1))
    assert verify(V1) == Proof(events=78, blobs=43, damage=())
    assert state.the_task().id == "20261116-u585-add-a-json-flag-to"
    assert state.hints == ("Keep the text form as it is",)
    assert state.warnings == (WARNING,)
    assert [(name, stage.status, len(stage.versions)) for name, stage in state.stages.items()] == [
        ("intake", "passed", 1),
        ("clarify", "passed", 1),
        ("analyze", "passed", 1),
        ("spec", "passed", 4),
    ]
    used = state.used
    assert used == TaskUsage(
        steps=14,
        tokens=45_800,
        input_tokens=used.input_tokens,
        output_tokens=45_800 - used.input_tokens,
        wall_seconds=used.wall_seconds,
    )


def test_an_old_warning_is_raised_on_reading_and_stays_as_it_was_on_disk() -> None:
    raw = [json.loads(line) for line in (V1 / "events.jsonl").read_text().splitlines()]
    (old,) = [line for line in raw if line["type"] == "warning_given"]
    assert (old["version"], "code" in old) == (1, False)
    (new,) = [record.event for record in read_records(V1) if isinstance(record.event, e.WarningGiven)]
    assert new == e.WarningGiven(version=2, text=WARNING, code="")


def test_an_old_action_is_raised_to_one_that_says_nothing_of_files() -> None:
    raw = [json.loads(line) for line in (V1 / "events.jsonl").read_text().splitlines()]
    old = [line for line in raw if line["type"] == "action_taken"]
    assert {(line["version"], "tree" in line) for line in old} == {(1, False)}
    new = [record.event for record in read_records(V1) if isinstance(record.event, ActionTaken)]
    assert (len(new), {(event.version, event.tree) for event in new}) == (len(old), {(2, "")})


def test_an_old_record_goes_on_under_this_version(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(V1, tmp_path / "old"))
    log = FileLog(folder, masker=Masker.of({}), clock=lambda: "2026-12-01T00:00:00+00:00")
    log.append(e.WarningGiven(text="new", code="word"))
    log.close()
    assert verify(folder) == Proof(events=79, blobs=43, damage=())
    assert fold(EMPTY, read_records(folder)).warnings == (WARNING, "new")


def append_raw(folder: Path, *events: dict[str, Any]) -> None:
    """Write what a later version would, with a chain and a head that hold."""
    *_, last = links(folder / "events.jsonl")
    seq, prev = last.seq, last.hash
    with (folder / "events.jsonl").open("ab") as file:
        for event in events:
            seq += 1
            line, prev = seal({"seq": seq, "time": "2026-12-01T00:00:00+00:00", "prev": prev, **event})
            file.write(line)
    (folder / "head").write_bytes(head_bytes(Head(seq, prev)))


TO_COME = (
    {"type": "hint_given", "version": 7, "text": "to come", "mood": "curious"},
    {"type": "song_sung", "version": 1, "verses": 3},
)


def test_events_of_a_newer_version_are_shown_and_verified_but_the_task_is_not_run(tmp_path: Path) -> None:
    home = tmp_path / "home"
    folder = Path(shutil.copytree(V1, home / "tasks" / "20261116-u585-add-a-json-flag-to"))
    append_raw(folder, *TO_COME)
    state = fold(EMPTY, read_records(folder))
    assert (state.unknown, state.hints) == (("hint_given v7", "song_sung v1"), ("Keep the text form as it is",))
    assert verify(folder) == Proof(events=80, blobs=43, damage=())
    here = {"cwd": tmp_path, "home": tmp_path, "THOUGHTFORGE_HOME": str(home)}
    assert thoughtforge("verify", "last", **here).code == 0
    assert thoughtforge("status", "last", "--json", **here).json["events"] == 80
    refused = thoughtforge("continue", "last", **here)
    assert refused.code == 2
    assert "the log has events this version does not know: hint_given v7, song_sung v1" in refused.err


def test_the_record_of_a_thought_tells_what_was_said_and_how_it_was_polished() -> None:
    known = read_folder(THOUGHT).snapshot
    said = [(m.role, m.phase, m.code) for m in known.of(CONVERSATION).messages]
    assert said == [
        ("human", "brain_dump", ""),
        ("ai", "distilling", "distillation-1"),
        ("human", "human_review", ""),
        ("ai", "human_review", "distillation-12"),
        ("ai", "spec_building", "proposal-0"),
        ("ai", "polishing", "done"),
    ]
    rounds = known.of(ROUNDS)
    assert (rounds.number, rounds.course, dict(rounds.attempts)) == (3, (1, 2, 3), {1: 1, 2: 1, 3: 1})
    assert [(one.review.outcome, one.fix is not None, len(one.planned)) for one in rounds.rounds] == [
        ("continue", True, 1),
        ("continue", False, 0),
        ("done", False, 0),
    ]
    assert known.of(PENDING) == ()
