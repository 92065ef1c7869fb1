"""thoughtforge.log says what the engine did, in lines a program can read, without secrets, within its size."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.place import make_place
from thoughtforge.kernel import events as e
from thoughtforge.kernel.fold import EMPTY
from thoughtforge.kernel.stops import StopReason
from thoughtforge.service.progress import FILE, LINES, OperationsLog
from thoughtforge.store.secrets import Masker
from unit.kernel.making import FAILED, begun, judged, passed, records, task

FIRST = {"phase_transition", "agent_call", "agent_response", "guard_evaluation"}
KINDS = FIRST | {"halt", "error", "config_loaded", "plugin_loaded"}


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / FILE).read_text().splitlines()]


def write(folder: Path, *events: e.Event, masker: Masker | None = None, **more: Any) -> list[dict[str, Any]]:
    log = OperationsLog(folder, masker or Masker.of({}), **more)
    for record in records(events):
        log(record, EMPTY)
    log.close()
    return lines(folder)


def test_each_fact_is_one_line_with_five_fields(tmp_path: Path) -> None:
    stopped = e.RunnerStopped(reason=StopReason.provider_failed, detail="100 % away")
    told = write(
        tmp_path, e.TaskCreated(task=task(), task_file="f"), begun("intake"), judged("intake", "a", FAILED), stopped
    )
    assert [(row["level"], row["event"], row["phase"], row["detail"]) for row in told] == [
        ("info", "phase_transition", "", "created with the goal g"),
        ("info", "phase_transition", "intake", "intake begins, round 1, by analyst"),
        ("warn", "guard_evaluation", "intake", "gate after intake, round 1: fail title: is missing"),
        ("error", "halt", "intake", "provider_failed: 100 % away"),
    ]
    assert {tuple(row) for row in told} == {("timestamp", "level", "event", "phase", "detail")}
    assert told[0]["timestamp"] == "2026-01-01T00:00:01.000000+00:00"


def test_a_task_that_rests_for_a_person_is_a_warning_and_one_that_is_done_is_not(tmp_path: Path) -> None:
    ends = [e.RunnerStopped(reason=StopReason(reason)) for reason in ("question", "done")]
    told = write(tmp_path, *ends)
    assert [(row["level"], row["event"]) for row in told] == [("warn", "halt"), ("info", "phase_transition")]


def test_secrets_are_masked_and_a_line_stays_a_line(tmp_path: Path) -> None:
    (row,) = write(
        tmp_path, e.WarningGiven(text="key\nis hunter2-hunter2"), masker=Masker.of({"KEY": "hunter2-hunter2"})
    )
    assert row["detail"] == "key is [masked:KEY]"


def test_the_phase_can_be_named_by_the_caller(tmp_path: Path) -> None:
    (row,) = write(tmp_path, begun("build"), phase=lambda state: "building")
    assert row["phase"] == "building"


def test_a_full_file_is_put_aside_and_only_some_are_kept(tmp_path: Path) -> None:
    write(tmp_path, *[e.WarningGiven(text="x" * 400) for _ in range(40)], most_bytes=2000)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == [FILE, *(f"{FILE}.{number}" for number in (1, 2, 3))]
    assert max(path.stat().st_size for path in tmp_path.iterdir()) <= 2000


def test_a_folder_that_is_gone_stops_nobody(tmp_path: Path) -> None:
    log = OperationsLog(tmp_path / "gone" / "away", Masker.of({}))
    for record in records(passed("intake", "a")):
        log(record, EMPTY)
    log.close()
    assert list(tmp_path.iterdir()) == []


def test_a_run_leaves_every_kind_of_line_it_has(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    place.design("--through", "analyze")
    told = lines(place.folder)
    kinds = {row["event"] for row in told}
    assert kinds == KINDS - {"halt", "error"}
    assert [row["event"] for row in told[:2]] == ["config_loaded", "phase_transition"]
    assert (told[-1]["event"], told[-1]["detail"]) == ("phase_transition", "done")


@pytest.mark.parametrize("kind", LINES)
def test_only_events_there_are_have_a_line(kind: type) -> None:
    assert issubclass(kind, e.Event)
