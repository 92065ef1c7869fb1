"""One runner per task across processes: who holds it is told, and it is free the moment its holder is gone."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from thoughtforge.kernel.errors import LeaseLost, TaskLocked
from thoughtforge.people.events import HintGiven
from thoughtforge.store.lease import holder, lease
from thoughtforge.store.log import FileLog
from thoughtforge.store.secrets import Masker
from unit.store.conftest import Start


def said(process: object) -> str:
    """The next line a worker prints."""
    return str(process.stdout.readline()).strip()  # type: ignore[attr-defined]


def written(folder: Path) -> str:
    """When the holder wrote its name."""
    return f"{datetime.fromtimestamp(int((folder / 'lease').stat().st_mtime), UTC):%Y-%m-%d %H:%M:%S} UTC"


def test_a_second_process_is_told_who_holds_the_task_and_since_when(tmp_path: Path, start: Start) -> None:
    worker = start("hold", tmp_path, "ada@workstation")
    assert said(worker) == "held"
    who = f"ada@workstation (process {worker.pid}) since {written(tmp_path)}"
    assert holder(tmp_path) == who
    with pytest.raises(TaskLocked) as held, lease(tmp_path, who="bob"):
        pytest.fail("two held the lease")
    assert (held.value.task_id, held.value.holder) == (tmp_path.name, who)
    assert str(held.value) == f"task {tmp_path.name} is being run by {who}"


def test_the_task_is_free_when_its_holder_lets_go(tmp_path: Path, start: Start) -> None:
    worker = start("hold", tmp_path, "ada")
    assert said(worker) == "held"
    worker.communicate()
    assert holder(tmp_path) is None
    with lease(tmp_path, who="bob"):
        assert holder(tmp_path) == f"bob (process {os.getpid()}) since {written(tmp_path)}"
    assert holder(tmp_path) is None


def test_the_task_is_free_at_once_when_its_holder_is_killed(tmp_path: Path, start: Start) -> None:
    worker = start("hold", tmp_path, "ada")
    assert said(worker) == "held"
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    assert holder(tmp_path) is None
    with lease(tmp_path, who="bob"):
        assert holder(tmp_path) == f"bob (process {os.getpid()}) since {written(tmp_path)}"


def test_a_child_of_the_holder_does_not_keep_the_task(tmp_path: Path, start: Start) -> None:
    worker = start("hold_with_child", tmp_path)
    child = int(said(worker))
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    os.kill(child, 0)  # it lives: it waits for its stdin, which is ours
    with lease(tmp_path, who="bob"):
        assert holder(tmp_path) == f"bob (process {os.getpid()}) since {written(tmp_path)}"
    os.kill(child, 0)


def test_looking_who_holds_a_task_never_keeps_anyone_from_it(tmp_path: Path, start: Start) -> None:
    with lease(tmp_path, who="first"):
        pass
    probing = [start("probe", tmp_path) for _ in range(2)]
    assert [said(worker) for worker in probing] == ["probing", "probing"]
    taken = 0
    for number in range(200):
        with lease(tmp_path, who=f"starter {number}"):
            taken += 1
    assert taken == 200
    assert {holder(tmp_path) for _ in range(5_000)} == {None}  # and nobody who looks is taken for a holder
    assert [worker.poll() for worker in probing] == [None, None]


def test_a_shorter_name_replaces_a_longer_one_whole(tmp_path: Path) -> None:
    with lease(tmp_path, who="a person with a very long name indeed"):
        pass
    with lease(tmp_path, who="bob"):
        assert holder(tmp_path) == f"bob (process {os.getpid()}) since {written(tmp_path)}"


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"7", b'{"who": "x"}', b"\xff"], ids=repr)
def test_a_damaged_name_does_not_hide_that_the_task_is_held(tmp_path: Path, content: bytes) -> None:
    with lease(tmp_path, who="ada"):
        (tmp_path / "lease").write_bytes(content)
        assert holder(tmp_path) == "another process"
        with pytest.raises(TaskLocked, match="is being run by another process"), lease(tmp_path, who="bob"):
            pytest.fail("two held the lease")


def test_a_task_nobody_ever_ran_has_no_holder(tmp_path: Path) -> None:
    assert holder(tmp_path) is None
    assert list(tmp_path.iterdir()) == []


def test_the_lock_file_stays_and_is_the_same_file_for_everyone(tmp_path: Path) -> None:
    inodes = set()
    for _ in range(3):
        with lease(tmp_path, who="ada"):
            inodes.add((tmp_path / "lease").stat().st_ino)
    assert len(inodes) == 1
    assert (tmp_path / "lease").stat().st_mode & 0o777 == 0o600


def open_log(folder: Path) -> FileLog:
    return FileLog(folder, masker=Masker.of({}), clock=lambda: "2026-01-01T00:00:00+00:00")


def replace_lock(folder: Path) -> None:
    (folder / "lease").unlink()
    (folder / "lease").touch()


def remove_lock(folder: Path) -> None:
    (folder / "lease").unlink()


def exchange_folder(folder: Path) -> None:
    folder.rename(folder.with_name("moved away"))
    shutil.copytree(folder.with_name("moved away"), folder)


def move_folder(folder: Path) -> None:
    folder.rename(folder.with_name("moved away"))


@pytest.mark.parametrize("take", [replace_lock, remove_lock, exchange_folder, move_folder])
def test_who_lost_the_lease_appends_nothing(tmp_path: Path, take: Callable[[Path], None]) -> None:
    folder = tmp_path / "task"
    folder.mkdir()
    with lease(folder, who="ada"):
        log = open_log(folder)
        log.append(HintGiven(text="mine"))
        log.check_lease()
        take(folder)
        for _ in range(2):
            with pytest.raises(LeaseLost, match="this process no longer holds task task"):
                log.append(HintGiven(text="too late"))
        with pytest.raises(LeaseLost):
            log.check_lease()
        log.close()
    for place in (folder, tmp_path / "moved away"):
        if place.is_dir():
            assert len((place / "events.jsonl").read_text().splitlines()) == 1


def test_a_folder_that_was_moved_away_and_back_is_still_held(tmp_path: Path) -> None:
    folder = tmp_path / "task"
    folder.mkdir()
    with lease(folder, who="ada"):
        log = open_log(folder)
        folder.rename(tmp_path / "away")
        with pytest.raises(LeaseLost):
            log.append(HintGiven(text="nowhere"))
        (tmp_path / "away").rename(folder)
        log.append(HintGiven(text="mine"))
        log.close()
    assert len((folder / "events.jsonl").read_text().splitlines()) == 1


def test_two_who_hold_different_lock_files_cannot_both_append(tmp_path: Path) -> None:
    with lease(tmp_path, who="old"):
        log = open_log(tmp_path)
        replace_lock(tmp_path)
        with lease(tmp_path, who="new"):
            theirs = open_log(tmp_path)
            theirs.append(HintGiven(text="theirs"))
            with pytest.raises(LeaseLost):
                log.append(HintGiven(text="ours"))
            theirs.append(HintGiven(text="theirs again"))
            theirs.close()
        log.close()
    assert len((tmp_path / "events.jsonl").read_text().splitlines()) == 2
