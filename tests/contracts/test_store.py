"""What every store keeps to, whatever stands behind it."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from stores import MASKER, SECRET, STORES, begun
from thoughtforge.kernel.errors import LogCorrupt, TaskLocked, ThoughtForgeError, UserError
from thoughtforge.kernel.events import Event, TaskCreated, WarningGiven
from thoughtforge.kernel.fold import EMPTY, fold
from thoughtforge.kernel.state import empty
from thoughtforge.people.events import HintGiven
from thoughtforge.store.events import LossAccepted
from thoughtforge.store.lease import InboxMessage
from thoughtforge.store.port import NewTask, Store
from unit.kernel.making import task

ONE, TWO = "20260101-aaaa-one", "20260102-bbbb-two"


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    """Each kind of store in turn, empty."""
    return STORES[request.param](tmp_path)


def events(store: Store, task_id: str = ONE) -> list[object]:
    return [record.event for record in store.peek(task_id).read()]


class Unwritable(HintGiven):
    """An event that fails when it is written."""

    def model_dump(self, **options: object) -> dict[str, object]:
        raise OSError("no room")


def test_a_new_task_is_there_with_its_events_blobs_and_files(store: Store) -> None:
    new = NewTask(MASKER)
    request = new.put("build a shelf")
    new.files["task.yaml"] = b"id: one\n"
    first = TaskCreated(task=task(id=ONE, request_digest=request), task_file="f")
    new.events += [first, HintGiven(text="of oak", by="ada")]
    store.create(ONE, new, who="ada")
    assert store.ids() == [ONE]
    assert events(store) == new.events
    assert store.peek(ONE).blobs.get(request) == b"build a shelf"
    assert (store.local(ONE) / "task.yaml").read_bytes() == b"id: one\n"
    assert store.peek(ONE).holder() is None


def test_a_task_that_could_not_be_written_whole_is_not_there(store: Store) -> None:
    with pytest.raises(OSError, match="no room"):
        begun(store, ONE, HintGiven(text="fine"), Unwritable(text="not"))
    assert store.ids() == []
    assert events(store) == []
    begun(store)
    assert store.ids() == [ONE]


def test_an_id_in_use_is_refused_and_its_task_stays(store: Store) -> None:
    begun(store, ONE, HintGiven(text="mine"))
    before = events(store)
    with pytest.raises(UserError, match="there is a task '20260101-aaaa-one' already"):
        begun(store, ONE, HintGiven(text="other"))
    assert events(store) == before
    assert store.ids() == [ONE]


def test_events_are_numbered_in_order_and_read_from_any_place(store: Store) -> None:
    begun(store)
    with store.open(ONE, who="ada") as opened:
        written = [opened.journal.append(HintGiven(text=str(number))) for number in range(4)]
    assert [record.seq for record in written] == [2, 3, 4, 5]
    assert list(store.peek(ONE).read(after=1)) == written
    assert list(store.peek(ONE).read(after=3)) == written[2:]
    assert list(store.peek(ONE).read(after=9)) == []
    with store.open(ONE, who="ada") as opened:
        assert opened.journal.append(HintGiven(text="later")).seq == 6


def test_an_event_comes_back_as_it_will_be_read(store: Store) -> None:
    begun(store)
    with store.open(ONE, who="ada") as opened:
        record = opened.journal.append(HintGiven(text=f"the word is {SECRET}, half a pair: \ud800"))
    assert record.event == HintGiven(text="the word is [masked:DOOR], half a pair: ?")
    assert list(store.peek(ONE).read())[-1] == record


def test_a_task_that_was_closed_takes_no_more_events(store: Store) -> None:
    begun(store)
    with store.open(ONE, who="ada") as opened:
        pass
    with pytest.raises((OSError, ThoughtForgeError)):
        opened.journal.append(HintGiven(text="too late"))
    assert len(events(store)) == 1


def test_text_is_kept_masked_and_files_exactly(store: Store) -> None:
    begun(store)
    blobs = store.peek(ONE).blobs
    text, exact = f"open: {SECRET}".encode(), f"open: {SECRET}\xff".encode("latin-1")
    assert blobs.get(blobs.put(text)) == b"open: [masked:DOOR]"
    assert blobs.get(blobs.put(exact, exact=True)) == exact
    assert blobs.put(exact, exact=True) == hashlib.sha256(exact).hexdigest()


def test_a_blob_nobody_kept_is_damage_and_no_answer(store: Store) -> None:
    begun(store)
    with pytest.raises(LogCorrupt, match="missing"):
        store.peek(ONE).blobs.get("0" * 64)


def test_one_at_a_time_holds_a_task_and_others_are_told_who(store: Store) -> None:
    begun(store)
    with store.open(ONE, who="ada") as opened:
        opened.held()
        assert "ada" in str(store.peek(ONE).holder())
        with pytest.raises(TaskLocked) as refused, store.open(ONE, who="bob"):
            pass
        assert "ada" in refused.value.holder
    assert store.peek(ONE).holder() is None
    with store.open(ONE, who="bob") as opened:
        opened.held()


def test_a_lease_ends_with_an_error_too(store: Store) -> None:
    begun(store)
    with pytest.raises(ZeroDivisionError), store.open(ONE, who="ada"):
        raise ZeroDivisionError
    assert store.peek(ONE).holder() is None


def test_two_tasks_are_held_apart(store: Store) -> None:
    begun(store, ONE)
    begun(store, TWO)
    with store.open(ONE, who="ada") as one, store.open(TWO, who="bob") as two:
        one.journal.append(HintGiven(text="first"))
        two.journal.append(HintGiven(text="second"))
    assert (len(events(store, ONE)), len(events(store, TWO))) == (2, 2)


def test_messages_wait_in_order_masked_and_whole_until_they_are_done(store: Store) -> None:
    begun(store)
    first = store.send(ONE, "hint", {"text": f"not {SECRET}", "more": [1, {"a": None}]}, by="ada")
    second = store.send(ONE, "pause", {}, by="bob")
    with store.open(ONE, who="ada") as opened:
        assert opened.inbox.waiting() == [
            InboxMessage(first, "hint", {"text": "not [masked:DOOR]", "more": [1, {"a": None}]}, "ada"),
            InboxMessage(second, "pause", {}, "bob"),
        ]
        opened.inbox.done(opened.inbox.waiting()[0])
        opened.inbox.done(InboxMessage("gone", "hint", {}, "ada"))
        assert [message.id for message in opened.inbox.waiting()] == [second]


def test_a_message_can_be_left_while_somebody_holds_the_task(store: Store) -> None:
    begun(store)
    with store.open(ONE, who="ada") as opened:
        left = store.send(ONE, "hint", {"text": "now"}, by="bob")
        assert [message.id for message in opened.inbox.waiting()] == [left]


def test_a_look_sees_every_complete_event_while_the_task_is_held(store: Store) -> None:
    begun(store)
    before = store.peek(ONE)
    assert before.state.hints == ()
    with store.open(ONE, who="ada") as opened:
        opened.journal.append(HintGiven(text="seen"))
        assert store.peek(ONE).state == opened.journal.state
        assert store.peek(ONE).state.hints == ("seen",)
    assert before.state.hints == (), "one look stays one moment"


def test_a_snapshot_is_the_fold_of_everything_read(store: Store) -> None:
    begun(store, ONE, HintGiven(text="a"), WarningGiven(text="w", code="c"))
    for number in range(3):
        with store.open(ONE, who="ada") as opened:
            opened.journal.append(HintGiven(text=str(number)))
            held = opened.journal.snapshot
        seen = store.peek(ONE)
        records = list(seen.read())
        assert seen.snapshot == held == empty().after(records)
        assert seen.state == fold(EMPTY, records)
        assert seen.snapshot.seq == records[-1].seq


def test_a_task_is_found_by_its_id_its_beginning_or_as_the_last(store: Store) -> None:
    with pytest.raises(UserError, match=f"there is no task in {store.where}"):
        store.find("last")
    begun(store, TWO)
    begun(store, ONE)
    assert store.ids() == [ONE, TWO]
    assert [store.find(word) for word in (ONE, "20260102", TWO[:10])] == [ONE, TWO, TWO]
    for word, what in (("2026", "'2026' matches several tasks"), ("x", "there is no task 'x'")):
        with pytest.raises(UserError, match=what) as refused:
            store.find(word)
        assert refused.value.do == f"Use one of: {ONE}, {TWO}"


def test_the_last_task_is_the_one_created_last(store: Store) -> None:
    begun(store, ONE)
    begun(store, TWO)
    assert store.find("last") == TWO


def test_the_list_says_of_each_task_what_its_record_says(store: Store) -> None:
    assert store.summaries() == []
    begun(store, ONE)
    begun(store, TWO, HintGiven(text="x"))
    with store.open(ONE, who="ada") as opened:
        opened.journal.append(HintGiven(text="later"))
    assert [(row["task"], row["last_activity"]) for row in store.summaries()] == [
        (task_id, store.peek(task_id).state.time) for task_id in (ONE, TWO)
    ]


def test_a_task_that_was_removed_is_gone_with_all_it_had(store: Store) -> None:
    begun(store, ONE)
    begun(store, TWO)
    with store.open(ONE, who="ada") as opened:
        (opened.local / "scratch").mkdir()
        store.remove(opened)
    assert store.ids() == [TWO]
    assert not store.local(ONE).exists()
    assert (events(store), store.peek(ONE).state, store.peek(ONE).holder()) == ([], EMPTY, None)
    begun(store, ONE, HintGiven(text="a second life"))
    assert store.peek(ONE).state.hints == ("a second life",)


def test_what_is_not_there_is_neither_opened_nor_spoken_to(store: Store) -> None:
    begun(store, TWO)
    with pytest.raises(UserError, match=f"there is no task '{ONE}'"), store.open(ONE, who="ada"):
        pass
    with pytest.raises(UserError, match=f"there is no task '{ONE}'"):
        store.send(ONE, "hint", {}, by="ada")
    assert store.ids() == [TWO]


def test_sweeping_leaves_whole_tasks_alone(store: Store) -> None:
    begun(store)
    store.sweep(who="ada")
    assert store.ids() == [ONE]
    assert store.verify(ONE).events == 1


def test_a_proof_counts_events_and_blobs_and_names_what_is_missing(store: Store) -> None:
    new = NewTask(MASKER)
    digest = new.put("request")
    new.events += [TaskCreated(task=task(id=ONE, request_digest=digest), task_file=hashlib.sha256(b"x").hexdigest())]
    new.files["task.yaml"] = b"x"
    store.create(ONE, new, who="ada")
    proof = store.verify(ONE)
    assert (proof.events, proof.blobs, proof.damage) == (1, 1, ())
    with store.open(ONE, who="ada") as opened:
        opened.journal.append(from_nowhere())
    (damage,) = store.verify(ONE).damage
    assert "missing" in damage


def from_nowhere() -> Event:
    """An event that names a blob nobody has kept."""
    return TaskCreated(task=task(id=ONE, request_digest="ab" * 32), task_file=hashlib.sha256(b"x").hexdigest())


def test_an_accepted_loss_is_on_record_with_who_accepted_it(store: Store) -> None:
    begun(store, ONE, HintGiven(text="kept"))
    store.accept_loss(ONE, who="ada at work", by="ada")
    last = events(store)[-1]
    assert isinstance(last, LossAccepted)
    assert (last.lost_after, last.by) == (2, "ada")
    with store.open(ONE, who="ada") as opened:
        assert opened.journal.state.hints == ("kept",)


def test_views_are_written_into_the_local_folder(store: Store) -> None:
    begun(store)
    with store.open(ONE, who="ada") as opened:
        assert opened.local == store.local(ONE)
        opened.views.write(opened.journal.state)
    assert {"state.yaml", "status.json"} <= {path.name for path in store.local(ONE).iterdir()}
