"""The inbox: messages come whole, in order, and are put on record once, whatever happens in between."""

from __future__ import annotations

import json
from pathlib import Path

from thoughtforge.kernel import events as e
from thoughtforge.kernel.loop import Journal
from thoughtforge.people.events import AbortAsked, HintGiven
from thoughtforge.service.messages import absorb
from thoughtforge.store.lease import FileInbox, InboxMessage
from thoughtforge.store.log import FileLog, read_records
from thoughtforge.store.secrets import Masker
from unit.kernel.making import task
from unit.store.conftest import Start

MOMENT = "2026-01-01T00:00:00+00:00"
PIECES = 150


def open_log(folder: Path) -> FileLog:
    return FileLog(folder, masker=Masker.of({}), clock=lambda: MOMENT)


def created(folder: Path) -> Journal:
    journal = Journal(open_log(folder))
    journal.append(e.TaskCreated(task=task(), task_file="f"))
    return journal


def hint(folder: Path, text: str, stamp: str) -> str:
    return FileInbox(folder).drop("hint", {"text": text}, by="ada", stamp=stamp)


def test_messages_come_in_the_order_they_were_left(tmp_path: Path) -> None:
    later = hint(tmp_path, "second", "2026-01-01T10:00:00.000002+00:00")
    first = hint(tmp_path, "first", "2026-01-01T10:00:00.000001+00:00")
    assert FileInbox(tmp_path).waiting() == [
        InboxMessage(first, "hint", {"text": "first"}, "ada"),
        InboxMessage(later, "hint", {"text": "second"}, "ada"),
    ]
    FileInbox(tmp_path).done(FileInbox(tmp_path).waiting()[0])
    assert [message.id for message in FileInbox(tmp_path).waiting()] == [later]


def test_two_messages_of_the_same_moment_are_two(tmp_path: Path) -> None:
    names = {hint(tmp_path, str(number), MOMENT) for number in range(50)}
    assert {message.id for message in FileInbox(tmp_path).waiting()} == names
    assert len(names) == 50


def test_a_task_without_messages_has_none_waiting(tmp_path: Path) -> None:
    assert FileInbox(tmp_path).waiting() == []
    FileInbox(tmp_path).done(InboxMessage("gone", "hint", {}, "ada"))
    assert list(tmp_path.iterdir()) == []


def test_no_reader_ever_sees_half_a_message(tmp_path: Path, start: Start) -> None:
    droppers = [start("drop", tmp_path, name, PIECES) for name in ("ada", "bob")]
    seen: list[tuple[str, str]] = []
    finished = False
    while not finished:
        finished = all(dropper.poll() is not None for dropper in droppers)
        for message in FileInbox(tmp_path).waiting():
            number, _, text = message.data["text"].partition(" ")
            assert text == "x" * 20_000
            seen.append((message.by, number))
            FileInbox(tmp_path).done(message)
    assert sorted(seen) == sorted((name, str(number)) for name in ("ada", "bob") for number in range(PIECES))
    assert list((tmp_path / "inbox").iterdir()) == []


def test_a_message_on_record_whose_file_stayed_is_not_taken_up_twice(tmp_path: Path) -> None:
    journal = created(tmp_path)
    name = hint(tmp_path, "once", MOMENT)
    journal.append(HintGiven(text="once", by="ada", message=name))  # killed before the file was removed
    again = Journal(journal.log)
    absorb(FileInbox(tmp_path), again)
    assert (again.state.seq, again.state.hints, again.state.messages) == (2, ("once",), frozenset({name}))
    assert FileInbox(tmp_path).waiting() == []


def test_a_message_is_on_record_before_its_file_goes(tmp_path: Path) -> None:
    journal = created(tmp_path)
    name = hint(tmp_path, "mind the gap", MOMENT)
    absorb(FileInbox(tmp_path), journal)
    assert list(read_records(tmp_path))[-1].event == HintGiven(text="mind the gap", by="ada", message=name)


def test_a_message_that_came_too_late_or_from_a_newer_program_is_recorded_as_such(tmp_path: Path) -> None:
    journal = created(tmp_path)
    journal.append(AbortAsked())
    names = [hint(tmp_path, "too late", "1"), FileInbox(tmp_path).drop("sing", {}, by="ada", stamp="2")]
    absorb(FileInbox(tmp_path), journal)
    late, strange = [record.event for record in read_records(tmp_path)][-2:]
    assert isinstance(late, e.WarningGiven)
    assert isinstance(strange, e.WarningGiven)
    assert (late.code, late.message) == ("message_too_late", names[0])
    assert strange.text == "sing from ada came too late: this version does not know the message sing"
    assert FileInbox(tmp_path).waiting() == []


def test_what_is_no_message_is_set_aside_and_stops_nobody(tmp_path: Path) -> None:
    name = hint(tmp_path, "good", "9")
    for number, content in enumerate([b"{", b"[]", b'{"kind": "hint"}', b"\xff", b'{"kind":"a","by":"b","data":7}']):
        (tmp_path / "inbox" / f"{number}.json").write_bytes(content)
    (tmp_path / "inbox" / ".half").write_text(json.dumps({"kind": "hint"})[:9])
    assert [message.id for message in FileInbox(tmp_path).waiting()] == [name]
    aside = sorted(path.name for path in (tmp_path / "inbox").glob("*.unreadable"))
    assert aside == [f"{number}.unreadable" for number in range(5)]
