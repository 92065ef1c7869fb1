"""The index of summaries: deleting it, damaging it or letting it grow old changes nothing that is shown."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from thoughtforge.kernel.events import RunnerStarted
from thoughtforge.kernel.fold import EMPTY, fold
from thoughtforge.people.events import HintGiven
from thoughtforge.store.file_store import FileStore
from thoughtforge.store.home import Home
from thoughtforge.store.log import FileLog, read_records
from thoughtforge.store.secrets import Masker
from thoughtforge.views.tasks import summary
from thoughtforge.views.values import as_data
from unit.store.conftest import GOLDEN


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home with two whole tasks, one damaged and one empty."""
    home = Home(tmp_path)
    home.prepare()
    for name in ("a-whole", "b-damaged", "c-whole"):
        shutil.copytree(GOLDEN, home.folder(name))
    log = home.folder("b-damaged") / "events.jsonl"
    log.write_bytes(log.read_bytes().replace(b"stock", b"stack", 1))
    home.folder("d-empty").mkdir()
    return home


def summaries(home: Home) -> list[dict[str, Any]]:
    """What a process that has read nothing yet is told."""
    store = FileStore(home, masker=lambda: Masker.of({}), clock=lambda: "")
    return store.summaries()


def expected(home: Home) -> list[dict[str, Any]]:
    """What the logs themselves say."""
    whole = as_data(summary(fold(EMPTY, read_records(home.folder("a-whole")))))
    log = home.folder("b-damaged") / "events.jsonl"
    broken = f"{log}, line 1: the line does not match its hash or the line before it"
    return [whole, damaged("b-damaged", broken, whole), whole, damaged("d-empty", "the log has no event", whole)]


def damaged(task: str, what: str, like: dict[str, Any]) -> dict[str, Any]:
    return {
        **dict.fromkeys(like),
        "task": task,
        "request": "",
        "state": "halted",
        "reason": "log_damaged",
        "detail": what,
        "next_action": f"See the damage: thoughtforge verify {task}",
        "next_actions": [{"label": "See the damage", "command": f"thoughtforge verify {task}"}],
        "progress": 0.0,
        "labels": [],
    }


def test_a_summary_says_what_the_log_says(home: Home) -> None:
    assert summaries(home) == expected(home)
    assert summaries(home) == expected(home)
    assert list(summaries(home)[1]) == list(summaries(home)[0])


def test_an_index_that_fits_is_read_and_not_written_again(home: Home) -> None:
    summaries(home)
    before = (home.tasks / "index").stat()
    summaries(home)
    after = (home.tasks / "index").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


DAMAGE = {
    "deleted": None,
    "empty": b"",
    "garbage": b"\x00\xff" * 900,
    "JSON of another kind": b"[1, 2, 3]",
    "deeply nested": b"[" * 200_000,
    "only a mark": b"0.1.0/2 abc\n",
}


@pytest.mark.parametrize("content", DAMAGE.values(), ids=DAMAGE.keys())
def test_whatever_becomes_of_the_index_the_list_is_the_same(home: Home, content: bytes | None) -> None:
    summaries(home)
    if content is None:
        (home.tasks / "index").unlink()
    else:
        (home.tasks / "index").write_bytes(content)
    assert summaries(home) == expected(home)


def test_one_changed_byte_anywhere_in_the_index_changes_nothing(home: Home) -> None:
    shown = summaries(home)
    path = home.tasks / "index"
    raw = path.read_bytes()
    for position in range(0, len(raw), max(1, len(raw) // 40)):
        path.write_bytes(raw[:position] + bytes([raw[position] ^ 1]) + raw[position + 1 :])
        assert summaries(home) == shown


def test_rows_of_another_program_version_do_not_count(home: Home) -> None:
    shown = summaries(home)
    path = home.tasks / "index"
    mark, _, text = path.read_bytes().partition(b"\n")
    rows = json.loads(text)
    rows["a-whole"]["summary"]["state"] = "running"
    path.write_bytes(mark.replace(b"/", b"/9", 1) + b"\n" + json.dumps(rows).encode())
    assert summaries(home) == shown


def append(folder: Path, *events: Any) -> None:
    log = FileLog(folder, masker=Masker.of({}), clock=lambda: "2026-12-01T00:00:00+00:00")
    for event in events:
        log.append(event)
    log.close()


def test_a_row_older_than_its_log_is_made_again(home: Home) -> None:
    before = summaries(home)
    append(home.folder("c-whole"), HintGiven(text="later"), RunnerStarted(pid=1, host="h", program="p"))
    after = summaries(home)
    assert after[2] == {**before[2], "last_activity": "2026-12-01T00:00:00+00:00"}
    assert (after[:2], after[3:]) == (before[:2], before[3:])


def test_a_task_that_is_gone_leaves_the_list_and_the_index(home: Home) -> None:
    shown = summaries(home)
    shutil.rmtree(home.folder("a-whole"))
    assert summaries(home) == shown[1:]
    assert b"a-whole" not in (home.tasks / "index").read_bytes()


def test_an_index_that_cannot_be_written_keeps_nobody_from_the_list(home: Home) -> None:
    (home.tasks / f"index.{os.getpid()}").symlink_to("/nowhere/at/all")
    assert summaries(home) == expected(home)
    assert not (home.tasks / "index").exists()


def test_a_home_without_tasks_has_an_empty_list(tmp_path: Path) -> None:
    assert summaries(Home(tmp_path)) == []
    assert list(tmp_path.iterdir()) == []
