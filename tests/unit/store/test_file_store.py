"""Tasks in files: a whole log is read once in a process, and whatever looks odd is proved from the beginning."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from stores import begun, file_store
from thoughtforge.kernel.errors import LogCorrupt, UserError
from thoughtforge.kernel.fold import EMPTY, fold
from thoughtforge.people.events import HintGiven
from thoughtforge.store.file_store import KEPT, FileStore
from thoughtforge.store.lease import lease
from unit.store.conftest import GOLDEN

ONE = "20260101-aaaa-one"


@pytest.fixture
def store(tmp_path: Path) -> FileStore:
    """A store with one task that it has read."""
    store = file_store(tmp_path)
    begun(store, ONE, *(HintGiven(text=f"hint {number}") for number in range(5)))
    assert len(store.peek(ONE).state.hints) == 5
    return store


def log_of(store: FileStore) -> Path:
    return store.home.folder(ONE) / "events.jsonl"


def flip(path: Path, *, keep_time: bool = False) -> None:
    """Change one letter early in the file, in place."""
    times = path.stat()
    with path.open("r+b") as file:
        file.seek(path.read_bytes().index(b"hint 1"))
        file.write(b"H")
    if keep_time:
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def append_elsewhere(store: FileStore, text: str) -> None:
    """What another process does."""
    with file_store(store.home.root).open(ONE, who="bob") as opened:
        opened.journal.append(HintGiven(text=text))


def test_what_was_proved_is_not_read_again_by_looks_or_writers(store: FileStore) -> None:
    known = store.peek(ONE).snapshot
    assert store.peek(ONE).snapshot is known
    with store.open(ONE, who="ada") as opened:
        assert opened.journal.snapshot is known
        opened.journal.append(HintGiven(text="six"))
        known = opened.journal.snapshot
    assert store.peek(ONE).snapshot is known


def test_a_log_that_was_changed_and_dated_back_is_proved_anew(store: FileStore) -> None:
    flip(log_of(store), keep_time=True)
    with pytest.raises(LogCorrupt):
        _ = store.peek(ONE).state
    with pytest.raises(LogCorrupt), store.open(ONE, who="ada"):
        pass
    (damage,) = [line for line in store.verify(ONE).damage if "does not match its hash" in line]
    assert "line 3" in damage


@pytest.mark.parametrize("looked", [True, False])
def test_a_look_reads_only_what_another_process_added_but_a_writer_proves_everything(
    store: FileStore, looked: bool
) -> None:
    append_elsewhere(store, "from bob")
    flip(log_of(store))
    if looked:
        assert store.peek(ONE).state.hints[-1] == "from bob"
    with pytest.raises(LogCorrupt, match="line 3"), store.open(ONE, who="ada"):
        pass


def test_what_is_known_and_what_is_new_add_up_to_the_whole(store: FileStore) -> None:
    for number in range(4):
        append_elsewhere(store, f"more {number}")
        seen = store.peek(ONE)
        assert seen.state == fold(EMPTY, seen.read())
        assert seen.snapshot == file_store(store.home.root).peek(ONE).snapshot


def test_a_log_of_the_same_size_that_was_touched_is_proved_anew(store: FileStore) -> None:
    flip(log_of(store))
    with pytest.raises(LogCorrupt):
        _ = store.peek(ONE).state
    with pytest.raises(LogCorrupt), store.open(ONE, who="ada"):
        pass


def test_a_log_that_shrank_is_proved_anew(store: FileStore) -> None:
    log = log_of(store)
    kept = b"".join(log.read_bytes().splitlines(keepends=True)[:-2])
    log.write_bytes(kept)
    assert len(store.peek(ONE).state.hints) == 3
    with pytest.raises(LogCorrupt, match="head vouches for 6"), store.open(ONE, who="ada"):
        pass


def test_another_file_in_its_place_is_proved_anew(store: FileStore) -> None:
    log = log_of(store)
    raw = log.read_bytes()
    other = log.with_name("other")
    other.write_bytes(raw.replace(b"hint 1", b"Hint 1") + b"more")
    other.replace(log)
    with pytest.raises(LogCorrupt):
        _ = store.peek(ONE).state


def test_a_history_that_was_written_anew_is_taken_from_the_disk(store: FileStore, tmp_path: Path) -> None:
    other = file_store(tmp_path / "other")
    begun(other, ONE, *(HintGiven(text=f"changed {number}") for number in range(9)))
    for name in ("events.jsonl", "head"):
        (store.home.folder(ONE) / name).write_bytes((other.home.folder(ONE) / name).read_bytes())
    assert (store.peek(ONE).state.seq, store.peek(ONE).state.hints[-1]) == (10, "changed 8")
    with store.open(ONE, who="ada") as opened:
        assert opened.journal.append(HintGiven(text="on it goes")).seq == 11
    assert file_store(tmp_path).peek(ONE).state.seq == 11


def test_a_head_that_names_another_event_stops_a_writer_who_remembers(store: FileStore) -> None:
    head = store.home.folder(ONE) / "head"
    head.write_bytes(head.read_bytes().replace(b'"hash": "', b'"hash": "0')[:-4] + b'"}\n')
    with pytest.raises(LogCorrupt), store.open(ONE, who="ada"):
        pass


def test_half_a_line_is_no_event_for_a_look_and_is_set_aside_by_a_writer(store: FileStore) -> None:
    with log_of(store).open("ab") as file:
        file.write(b'{"seq":7,"ti')
    assert store.peek(ONE).state.seq == 6
    with store.open(ONE, who="ada") as opened:
        assert opened.torn == "torn-7.part"
        assert opened.journal.append(HintGiven(text="seven")).seq == 7
    assert store.peek(ONE).state.hints[-1] == "seven"
    assert (store.home.folder(ONE) / "torn-7.part").read_bytes() == b'{"seq":7,"ti'
    assert store.verify(ONE).events == 7


def test_a_line_that_was_half_there_at_the_first_look_is_seen_at_the_next(store: FileStore) -> None:
    append_elsewhere(store, "whole")
    log = log_of(store)
    raw = log.read_bytes()
    log.write_bytes(raw[:-20])
    assert store.peek(ONE).state.seq == 6
    log.write_bytes(raw)
    assert store.peek(ONE).state.hints[-1] == "whole"


def test_after_an_accepted_loss_the_disk_is_read_again(store: FileStore) -> None:
    flip(log_of(store), keep_time=True)
    store.accept_loss(ONE, who="ada", by="ada")
    assert store.peek(ONE).state.hints == ("hint 0",)
    assert file_store(store.home.root).peek(ONE).state == store.peek(ONE).state


def test_nothing_left_that_holds_together_is_told_with_where_it_lies(store: FileStore) -> None:
    log_of(store).write_bytes(b"garbage\n")
    with pytest.raises(UserError, match="the record of .* has no valid event") as refused:
        store.accept_loss(ONE, who="ada", by="ada")
    aside = refused.value.do.removeprefix("The old files are in ").removesuffix(".")
    assert (store.home.folder(ONE) / aside).read_bytes() == b"garbage\n"


def test_what_is_half_made_is_no_task_and_is_swept_unless_somebody_makes_it(store: FileStore) -> None:
    left, making = store.home.folder(".left"), store.home.folder(".making")
    for folder in (left, making):
        folder.mkdir()
    with lease(making, who="bob"):
        store.sweep(who="ada")
    assert (store.ids(), left.exists(), making.exists()) == ([ONE], False, True)


def test_a_task_being_made_by_another_process_is_an_id_in_use(store: FileStore) -> None:
    store.home.folder(".20260105-cccc-new").mkdir()
    with pytest.raises(UserError, match="already"):
        begun(store, "20260105-cccc-new")
    assert store.home.folder(".20260105-cccc-new").is_dir()


def test_a_store_remembers_a_bounded_number_of_logs(tmp_path: Path) -> None:
    store = file_store(tmp_path)
    store.home.prepare()
    beside = shutil.ignore_patterns("artifacts", "blobs")  # thousands of files nobody looks at here
    for number in range(KEPT + 3):
        shutil.copytree(GOLDEN, store.home.folder(f"task-{number:04}"), ignore=beside)
        assert store.peek(f"task-{number:04}").state.seq > 0
    assert len(store._known) == KEPT
    flip_at = store.home.folder("task-0000") / "events.jsonl"
    flip_at.write_bytes(flip_at.read_bytes().replace(b"stock", b"stack", 1))
    with pytest.raises(LogCorrupt):
        _ = store.peek("task-0000").state


USES = {
    "create": "store.create('20260102-bbbb-two', NewTask(Masker.of({})), who='ada')",
    "read": "list(store.peek(ONE).read())",
    "snapshot": "store.peek(ONE).snapshot",
    "open": "store.open(ONE, who='ada').__enter__()",
}
USED = """
import sys
from pathlib import Path
from thoughtforge.store.file_store import FileStore
from thoughtforge.store.home import Home
from thoughtforge.store.secrets import Masker
ONE = sys.argv[2]
store = FileStore(Home(Path(sys.argv[1])), masker=lambda: Masker.of({}), clock=lambda: "2026-01-01T00:00:00+00:00")
assert store.ids() == [ONE]
before = "thoughtforge.think.conversation" in sys.modules
from thoughtforge.store.port import NewTask
%s
print(before, "thoughtforge.think.conversation" in sys.modules)
"""


@pytest.mark.parametrize("use", USES)
def test_rooms_are_loaded_before_the_first_event_is_read_or_written(tmp_path: Path, use: str) -> None:
    """A room registers the events it owns; without it they would be unknown. A list of tasks needs none."""
    begun(file_store(tmp_path))
    argv = [sys.executable, "-c", USED % USES[use], str(tmp_path), ONE]
    ended = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert (ended.stdout, ended.returncode) == ("False True\n", 0), ended.stderr
