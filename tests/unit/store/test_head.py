"""head may lag the log by one event and never lead it; whatever else it says is damage with a place."""

from __future__ import annotations

from pathlib import Path

import pytest

from thoughtforge.kernel.errors import LogCorrupt
from thoughtforge.people.events import HintGiven
from thoughtforge.store.log import GENESIS, FileLog, Head, head_bytes, links, read_head
from thoughtforge.store.secrets import Masker
from thoughtforge.store.verify import verify

MOMENT = "2026-01-01T00:00:00+00:00"


def open_log(folder: Path) -> FileLog:
    return FileLog(folder, masker=Masker.of({}), clock=lambda: MOMENT)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The record of four events."""
    log = open_log(tmp_path)
    for number in range(4):
        log.append(HintGiven(text=str(number)))
    log.close()
    return tmp_path


def hashes(folder: Path) -> list[str]:
    """The hash of each event; that of none is first."""
    return [GENESIS, *(link.hash for link in links(folder / "events.jsonl"))]


def test_a_head_one_event_behind_is_brought_up_to_date_by_the_next_writer(folder: Path) -> None:
    known = hashes(folder)
    (folder / "head").write_bytes(head_bytes(Head(3, known[3])))
    assert verify(folder).damage == ()
    open_log(folder).close()
    assert read_head(folder) == Head(4, known[4])


UNREADABLE = "head, line 1: cannot be parsed as seq and hash"
WRONG = [
    ("two events behind", lambda h: head_bytes(Head(2, h[2])), "head, line 1: vouches for event 2, but the log has 4"),
    ("none", lambda h: None, "head, line 1: missing, though the log has 4 events"),
    (
        "one ahead",
        lambda h: head_bytes(Head(5, h[4])),
        "events.jsonl, line 5: the log ends after event 4, but head vouches for 5",
    ),
    ("another hash", lambda h: head_bytes(Head(4, h[3])), "head, line 1: names another event 4 than the log"),
    ("another hash before", lambda h: head_bytes(Head(3, h[4])), "head, line 1: names another event 3 than the log"),
    ("empty", lambda h: b"", UNREADABLE),
    ("not JSON", lambda h: b"\xff\xfe{", UNREADABLE),
    ("no mapping", lambda h: b"[4]", UNREADABLE),
    ("no hash", lambda h: b'{"seq": 4}', UNREADABLE),
    ("no number", lambda h: b'{"seq": Infinity, "hash": ""}', UNREADABLE),
    (
        "said differently",
        lambda h: head_bytes(Head(4, h[4])).strip(),
        "head, line 1: not in the form the writer uses",
    ),
]


@pytest.mark.parametrize(("make", "told"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_any_other_head_stops_the_writer_and_is_named(folder: Path, make: object, told: str) -> None:
    content = make(hashes(folder))  # type: ignore[operator]
    (folder / "head").unlink()
    if content is not None:
        (folder / "head").write_bytes(content)
    with pytest.raises(LogCorrupt) as damage:
        open_log(folder)
    assert str(damage.value) == f"{folder}/{told}"
    assert verify(folder).damage == (f"{folder}/{told}",)


def test_the_first_event_may_be_there_before_the_first_head(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    log.append(HintGiven(text="first"))
    log.close()
    (tmp_path / "head").unlink()
    assert verify(tmp_path).damage == ()
    open_log(tmp_path).close()
    assert read_head(tmp_path) == Head(1, hashes(tmp_path)[1])


def test_a_head_without_a_log_is_a_lost_log(folder: Path) -> None:
    (folder / "events.jsonl").unlink()
    with pytest.raises(LogCorrupt, match="line 1: the log ends after event 0, but head vouches for 4"):
        open_log(folder)


def test_an_event_whose_head_cannot_be_written_is_not_kept(folder: Path) -> None:
    before = (folder / "events.jsonl").read_bytes()
    log = open_log(folder)
    (folder / "head.new").mkdir()
    for _ in range(3):  # more than once: head may lag by one event only
        with pytest.raises(IsADirectoryError):
            log.append(HintGiven(text="never"))
    assert (folder / "events.jsonl").read_bytes() == before
    (folder / "head.new").rmdir()
    assert log.append(HintGiven(text="now")).seq == 5
    log.close()
    assert verify(folder)[::2] == (5, ())
