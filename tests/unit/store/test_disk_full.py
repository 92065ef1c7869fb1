"""A disk that is full in the middle of a write: the record stays whole, and goes on when there is room again."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from thoughtforge.people.events import HintGiven
from thoughtforge.store.file_task import FileBlobs
from thoughtforge.store.log import read_records
from thoughtforge.store.secrets import Masker
from thoughtforge.store.verify import verify

WORKER = Path(__file__).with_name("worker.py")
ON_SMALL_DISK = 'mount -t tmpfs -o size=64k none "$1" && exec "$2" "$3" "$4" "$1"'
TO_PUT = """
import resource, sys
from pathlib import Path
from thoughtforge.store.file_task import FileBlobs
from thoughtforge.store.secrets import Masker
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
try:
    FileBlobs(Path(sys.argv[1]), masker=Masker.of({})).put(b"x" * 5000)
except OSError as error:
    print(error.strerror)
"""


def test_a_file_that_may_not_grow_leaves_no_part_of_a_line(tmp_path: Path) -> None:
    command = [sys.executable, WORKER, "fill_file", tmp_path]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    room, _, rest = ended.stdout.strip().partition(" refused, ")
    refused, _, tried = room.partition(" of ")
    assert (refused, rest) == (tried, "4 events")
    assert [record.event for record in read_records(tmp_path)][-1] == HintGiven(text="there is room again")
    assert verify(tmp_path).damage == ()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["events.jsonl", "head"]


def test_a_disk_without_room_leaves_a_whole_record(tmp_path: Path) -> None:
    unshare = shutil.which("unshare")
    if unshare is None or subprocess.run([unshare, "-rm", "true"], capture_output=True, check=False).returncode:
        pytest.skip("a small disk of one's own needs a mount namespace")
    alone = [unshare, "-rm", "sh", "-c", ON_SMALL_DISK, "sh", tmp_path, sys.executable, WORKER, "fill_disk"]
    ended = subprocess.run(alone, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.splitlines()[0] == "full"
    assert ended.stdout.splitlines()[1].startswith("True () () ")


def test_a_blob_that_does_not_fit_leaves_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-c", TO_PUT, tmp_path]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.stdout, ended.stderr) == ("File too large\n", "")
    assert list((tmp_path / "blobs").iterdir()) == []
    digest = FileBlobs(tmp_path, masker=Masker.of({})).put(b"x" * 5000)
    assert [path.name for path in (tmp_path / "blobs").iterdir()] == [digest]
