"""The log on disk: what is written is read back equal, and what is lost is either recovered or reported."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from thoughtforge.calls.events import ActionTaken
from thoughtforge.kernel import events as e
from thoughtforge.kernel.errors import LogCorrupt
from thoughtforge.kernel.fold import EMPTY, fold
from thoughtforge.kernel.loop import Journal
from thoughtforge.people.events import HintGiven
from thoughtforge.store.events import LossAccepted
from thoughtforge.store.log import GENESIS, FileLog, Head, accept_loss, head_bytes, links, read_records
from thoughtforge.store.secrets import Masker
from thoughtforge.store.verify import verify
from unit.kernel.generated import EVENTS, SEQUENCES, STEADY
from unit.kernel.making import at

FEW = st.lists(EVENTS, min_size=2, max_size=5)


def open_log(folder: Path, masker: Masker | None = None) -> FileLog:
    """The writer, with a clock that counts the events."""
    ticks = iter(range(100_000))
    return FileLog(folder, masker=masker or Masker.of({}), clock=lambda: at(next(ticks) % 80_000))


def write(folder: Path, events: list[e.Event]) -> list[e.Record]:
    log = open_log(folder)
    written = [log.append(event) for event in events]
    log.close()
    return written


def hints(folder: Path, count: int) -> list[e.Record]:
    return write(folder, [HintGiven(text=f"hint {n}") for n in range(1, count + 1)])


def lines(folder: Path) -> list[bytes]:
    return (folder / "events.jsonl").read_bytes().splitlines(keepends=True)


@settings(STEADY, max_examples=50)
@given(SEQUENCES)
@example([HintGiven(text="ünbroken 😀 " * 100_000), HintGiven(text="")])
def test_any_sequence_of_events_is_read_back_equal(events: list[e.Event]) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        written = write(folder, events)
        assert [record.event for record in written] == events
        assert [record.seq for record in written] == list(range(1, len(events) + 1))
        assert list(read_records(folder)) == written
        log = open_log(folder)
        assert [record.seq for record in log.read(after=2)] == list(range(3, len(events) + 1))
        log.close()


@settings(STEADY, max_examples=30)
@given(SEQUENCES)
def test_the_state_of_the_writer_is_the_state_a_reader_folds(events: list[e.Event]) -> None:
    with tempfile.TemporaryDirectory() as place:
        log = open_log(Path(place))
        journal = Journal(log)
        for event in events:
            journal.append(event)
        log.close()
        assert journal.state == fold(EMPTY, read_records(Path(place)))


def test_a_line_holds_number_time_type_version_and_both_hashes(tmp_path: Path) -> None:
    hints(tmp_path, 2)
    first, second = (json.loads(line) for line in lines(tmp_path))
    assert {key: first[key] for key in ("seq", "time", "prev", "type", "version", "text")} == {
        "seq": 1,
        "time": at(0),
        "prev": GENESIS,
        "type": "hint_given",
        "version": 1,
        "text": "hint 1",
    }
    assert (second["seq"], second["prev"]) == (2, first["hash"])
    assert (tmp_path / "head").read_bytes() == head_bytes(Head(2, second["hash"]))
    assert (tmp_path / "events.jsonl").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("given_", "kept"),
    [
        ({"text": "half \ud83d of a pair", "\udcff": 1}, None),
        ({"nan": float("nan"), "inf": float("-inf")}, {"nan": None, "inf": None}),
        ({"pair": (1, 2)}, {"pair": [1, 2]}),
    ],
    ids=["half a surrogate pair", "no number", "a tuple"],
)
def test_what_json_cannot_hold_is_the_same_for_the_writer_and_for_readers(
    tmp_path: Path, given_: dict[str, object], kept: dict[str, object] | None
) -> None:
    event = ActionTaken(stage="s", round=1, step=1, role="r", tool="t", params=given_, outcome="ok", summary="\ud83d")
    written = write(tmp_path, [event])
    assert list(read_records(tmp_path)) == written
    first = written[0].event
    assert isinstance(first, ActionTaken)
    assert first.summary == "?"
    assert kept is None or first.params == kept
    assert verify(tmp_path).damage == ()


def cut(folder: Path, size: int, *, vouched: int) -> None:
    """Leave the first bytes of the log and a head that vouches for so many events, as a crash in a write does."""
    seen = list(links(folder / "events.jsonl"))
    with (folder / "events.jsonl").open("r+b") as file:
        file.truncate(size)
    (folder / "head").write_bytes(head_bytes(Head(vouched, seen[vouched - 1].hash)))


@settings(STEADY, max_examples=40)
@given(FEW, st.data())
def test_a_cut_anywhere_inside_the_last_line_recovers_to_the_events_before(
    events: list[e.Event], data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        written = write(folder, events)
        *before, last = lines(folder)
        left = data.draw(st.integers(1, len(last) - 1))
        cut(folder, sum(map(len, before)) + left, vouched=len(before))
        assert list(read_records(folder)) == written[:-1]
        log = open_log(folder)
        assert (folder / log.torn).read_bytes() == last[:left]
        assert log.torn == f"torn-{len(events)}.part"
        assert list(log.read()) == written[:-1]
        assert log.append(events[-1]).event == events[-1]
        log.close()
        assert [link.seq for link in links(log.path)] == list(range(1, len(events) + 1))


@settings(STEADY, max_examples=40)
@given(st.integers(2, 6), st.data())
def test_the_loss_of_whole_lines_is_reported_with_its_place(count: int, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        hints(folder, count)
        lost = data.draw(st.sets(st.integers(1, count), min_size=1))
        kept = [line for number, line in enumerate(lines(folder), start=1) if number not in lost]
        (folder / "events.jsonl").write_bytes(b"".join(kept))
        with pytest.raises(LogCorrupt) as damage:
            open_log(folder)
        assert (damage.value.path, damage.value.line) == (str(folder / "events.jsonl"), min(lost))
        assert verify(folder).damage == (str(damage.value),)
        assert lines(folder) == kept


def test_a_cut_last_line_that_head_vouched_for_is_a_loss_and_not_a_crash(tmp_path: Path) -> None:
    hints(tmp_path, 3)
    with (tmp_path / "events.jsonl").open("r+b") as file:
        file.truncate((tmp_path / "events.jsonl").stat().st_size - 5)
    with pytest.raises(LogCorrupt, match="line 3: the log ends after event 2, but head vouches for 3"):
        open_log(tmp_path)


def test_what_was_set_aside_before_is_not_written_over(tmp_path: Path) -> None:
    hints(tmp_path, 2)
    for half in (b'{"first', b'{"second'):
        with (tmp_path / "events.jsonl").open("ab") as file:
            file.write(half)
        open_log(tmp_path).close()
    assert (tmp_path / "torn-3.part").read_bytes() == b'{"first'
    assert (tmp_path / "torn-3-2.part").read_bytes() == b'{"second'


def test_a_reader_leaves_an_unfinished_line_where_it_is(tmp_path: Path) -> None:
    written = hints(tmp_path, 2)
    with (tmp_path / "events.jsonl").open("ab") as file:
        file.write(b'{"seq":3')
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert list(read_records(tmp_path)) == written
    assert verify(tmp_path).damage == (f"{tmp_path / 'events.jsonl'}, line 3: 8 bytes of an unfinished line",)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_reader_of_no_log_finds_nothing(tmp_path: Path) -> None:
    assert list(read_records(tmp_path)) == []
    assert verify(tmp_path).damage == (f"{tmp_path / 'events.jsonl'}, line 1: there is no event",)


def test_an_accepted_loss_keeps_what_holds_together_and_sets_the_rest_aside(tmp_path: Path) -> None:
    written = hints(tmp_path, 5)
    good = lines(tmp_path)
    broken = [*good[:2], good[2].replace(b"hint 3", b"hint X"), *good[3:]]
    (tmp_path / "events.jsonl").write_bytes(b"".join(broken))
    with pytest.raises(LogCorrupt, match="line 3"):
        open_log(tmp_path)
    assert accept_loss(tmp_path, stamp="2026-01-01T00:00:00") == (2, "lost-2026-01-01T000000.jsonl")
    assert (tmp_path / "lost-2026-01-01T000000.jsonl").read_bytes() == b"".join(broken[2:])
    log = open_log(tmp_path)
    assert log.append(LossAccepted(lost_after=2, kept_aside="x")).seq == 3
    log.close()
    assert list(read_records(tmp_path))[:2] == written[:2]
    assert verify(tmp_path)[::2] == (3, ())


def test_an_accepted_loss_of_everything_leaves_an_empty_log(tmp_path: Path) -> None:
    hints(tmp_path, 2)
    (tmp_path / "events.jsonl").unlink()
    assert accept_loss(tmp_path, stamp="now") == (0, "lost-now.jsonl")
    assert (tmp_path / "events.jsonl").read_bytes() == b""


def test_an_accepted_loss_twice_in_the_same_moment_keeps_both_rests(tmp_path: Path) -> None:
    hints(tmp_path, 2)
    names = []
    for rest in (b"one\n", b"two\n"):
        with (tmp_path / "events.jsonl").open("ab") as file:
            file.write(rest)
        names.append(accept_loss(tmp_path, stamp="now")[1])
    assert [(tmp_path / name).read_bytes() for name in names] == [b"one\n", b"two\n"]
