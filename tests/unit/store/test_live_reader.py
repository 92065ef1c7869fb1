"""A reader beside a writer in another process: it never errs, never repairs and never sees half an event."""

from __future__ import annotations

from pathlib import Path

from thoughtforge.kernel.fold import EMPTY, fold
from thoughtforge.people.events import HintGiven
from thoughtforge.store.log import START, FileLog, Head, Position, links, read_records
from thoughtforge.store.secrets import Masker
from thoughtforge.store.verify import verify
from unit.store.conftest import Start

READS = 20_000


def test_a_live_reader_sees_whole_events_in_order_and_touches_nothing(tmp_path: Path, start: Start) -> None:
    writer = start("write", tmp_path)
    assert writer.stdout is not None
    assert writer.stdout.readline() == "writing\n"
    at, grew = START, 0
    for count in range(READS):
        for link in links(tmp_path / "events.jsonl", after=at):
            assert link.seq == at.last.seq + 1
            at, grew = Position(Head(link.seq, link.hash), at.last.hash, link.end), grew + 1
        if count % 500 == 0:
            assert fold(EMPTY, read_records(tmp_path)).seq >= at.last.seq
    while grew < 20 and writer.poll() is None:  # a slow disk: the reader must have met the writer
        for link in links(tmp_path / "events.jsonl", after=at):
            at, grew = Position(Head(link.seq, link.hash), at.last.hash, link.end), grew + 1
    written = int(writer.communicate()[0])
    assert written >= at.last.seq >= 20
    assert verify(tmp_path) == (written, 0, ())
    texts = [r.event.text.split(" ")[0] for r in read_records(tmp_path) if isinstance(r.event, HintGiven)]
    assert texts == [str(number) for number in range(written)]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["events.jsonl", "head"]


def test_a_reader_that_comes_in_the_middle_of_a_write_sees_the_events_before(tmp_path: Path) -> None:
    writer = FileLog(tmp_path, masker=Masker.of({}), clock=lambda: "2026-01-01T00:00:00+00:00")
    for number in range(3):
        writer.append(HintGiven(text=f"{number} ü" * 1_000))
    writer.close()
    log = tmp_path / "events.jsonl"
    raw = log.read_bytes()
    before = list(read_records(tmp_path))[:-1]
    last_line = len(raw.splitlines(keepends=True)[-1])
    for left in (1, 2, 100, last_line // 2, last_line - 2, last_line - 1):
        log.write_bytes(raw[: len(raw) - last_line + left])
        assert list(read_records(tmp_path)) == before
        assert log.stat().st_size == len(raw) - last_line + left
