"""Every registered projection: the same value whichever way a log is cut, and a snapshot nobody changes later."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thoughtforge.kernel import events as e
from thoughtforge.kernel.state import PROJECTIONS, Projection, _reading, empty, register
from thoughtforge.polish.rounds import ROUNDS
from thoughtforge.rooms import load_rooms
from unit.kernel.generated import SEQUENCES, STEADY
from unit.kernel.making import records, task

load_rooms()
UNKNOWN = e.Unknown("moon_landed", 3, {"type": "moon_landed"})
CREATED = e.TaskCreated(task=task(), task_file="f")


def test_what_was_read_again_and_again_is_a_projection() -> None:
    rooms = {"rounds", "courses", "memories", "past", "pending", "scale", "depth", "plan", "kept_conversations"}
    names = {"state", "conversation", "exchanges", "rulings", "copy_to", "retested", *rooms}
    assert set(PROJECTIONS) == names


def test_two_projections_cannot_share_a_name() -> None:
    with pytest.raises(ValueError, match="two projections have the name state"):
        register(Projection("state", 0, lambda value, record: value))


@settings(STEADY, max_examples=100)
@given(SEQUENCES, st.data())
def test_a_prefix_and_then_the_rest_give_what_the_whole_gives(events: list[e.Event], data: st.DataObject) -> None:
    log = records([CREATED, *events, UNKNOWN])
    cut = data.draw(st.integers(0, len(log)))
    assert empty().after(log[:cut]).after(log[cut:]) == empty().after(log)


@settings(STEADY, max_examples=50)
@given(SEQUENCES, SEQUENCES)
def test_a_snapshot_is_not_changed_by_what_comes_later(first: list[e.Event], second: list[e.Event]) -> None:
    log = records([CREATED, *first, *second])
    snapshot = empty().after(log[: len(first) + 1])
    before = {name: repr(value) for name, value in snapshot.values.items()}
    snapshot.after(log[len(first) + 1 :])
    assert {name: repr(value) for name, value in snapshot.values.items()} == before
    assert snapshot == empty().after(log[: len(first) + 1])


@pytest.mark.parametrize("name", sorted(PROJECTIONS))
@settings(STEADY, max_examples=50)
@given(SEQUENCES)
def test_a_projection_names_every_kind_of_fact_that_changes_it(name: str, events: list[e.Event]) -> None:
    one: Projection[Any] = PROJECTIONS[name]
    value = one.empty
    for record in records([CREATED, *events]):
        after = one.apply(value, record)
        assert isinstance(record.event, one.events) or after == value
        value = after


@pytest.mark.parametrize("name", sorted(PROJECTIONS))
def test_an_empty_value_is_shared_and_stays_empty(name: str) -> None:
    one: Projection[Any] = PROJECTIONS[name]
    before = repr(one.empty)
    one.apply(one.empty, records([CREATED])[0])
    assert repr(one.empty) == before


def test_a_projection_is_folded_only_in_tasks_it_is_about() -> None:
    seen: Projection[tuple[int, ...]] = Projection(
        "seen", (), lambda value, record: (*value, record.seq), (e.WarningGiven,), about=lambda task: task.id == "mine"
    )
    PROJECTIONS["seen"] = seen
    _reading.cache_clear()
    try:
        mine, other = task().model_copy(update={"id": "mine"}), task()
        warned = [e.WarningGiven(text="one"), e.WarningGiven(text="two")]
        created = {one.id: e.TaskCreated(task=one, task_file="f") for one in (mine, other)}
        assert empty().after(records([created[other.id], *warned])).of(seen) == ()
        assert empty().after(records([created["mine"], *warned])).of(seen) == (2, 3)
        grown = records([created[other.id], warned[0], e.TaskExtended(task=mine), warned[1]])
        assert empty().after(grown[:2]).after(grown[2:]).of(seen) == (4,)
        kept = records([created["mine"], warned[0], e.TaskExtended(task=other), warned[1]])
        assert empty().after(kept[:3]).after(kept[3:]).of(seen) == (2, 4)
    finally:
        del PROJECTIONS["seen"]
        _reading.cache_clear()


@pytest.mark.parametrize(
    ("driver", "folded"), [("polish", True), ("chat", True), ("a_driver_from_elsewhere", True), ("document", False)]
)
def test_the_polish_loop_is_followed_wherever_there_may_be_one(driver: str, folded: bool) -> None:
    stages = (task().pipeline.stages[0].model_copy(update={"driver": driver}),)
    pipeline = task().pipeline.model_copy(update={"stages": stages})
    created = e.TaskCreated(task=task().model_copy(update={"pipeline": pipeline}), task_file="f")
    stopped = e.RunnerStopped(reason="paused")
    assert bool(empty().after(records([created, stopped])).of(ROUNDS).stopped) == folded
