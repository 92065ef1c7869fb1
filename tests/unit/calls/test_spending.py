"""What a task has used: reserved first, settled by the provider's word, never zero because it is unknown."""

from __future__ import annotations

import pytest

from thoughtforge.calls.events import CallFailed, CapsChanged
from thoughtforge.calls.port import Usage
from thoughtforge.kernel import events as e
from thoughtforge.kernel.fold import EMPTY, fold
from thoughtforge.kernel.model import Caps
from thoughtforge.kernel.state import TaskUsage
from thoughtforge.kernel.stops import StopReason
from thoughtforge.people.events import HintGiven
from thoughtforge.store.events import LossAccepted
from unit.kernel.making import RUNNER, at, begun, call, ended, made, story, task

FAILED = CallFailed(call="C-1", kind="timeout", error="no answer")


def failed(tokens: tuple[int | None, int | None], usd: float | None) -> CallFailed:
    usage = Usage(input_tokens=tokens[0], output_tokens=tokens[1])
    return CallFailed(call="C-1", kind="cut", error="cut", usage=usage, usd=usd)


USED = [
    ("a call without an end counts as reserved", [call(1)], TaskUsage(steps=1, tokens=100, usd=1.0)),
    (
        "one whose price nobody knows is counted as such",
        [call(1, usd=None)],
        TaskUsage(steps=1, tokens=100, unknown_usd_calls=1),
    ),
    (
        "an end puts what was reported in place of the reservation",
        [call(1), ended(1)],
        TaskUsage(steps=1, tokens=70, input_tokens=50, output_tokens=20, usd=0.5),
    ),
    (
        "a price the provider did not tell is unknown, not zero: it counts as reserved",
        [call(1), ended(1, usd=None)],
        TaskUsage(steps=1, tokens=70, input_tokens=50, output_tokens=20, usd=1.0, unknown_usd_calls=1),
    ),
    (
        "a price that becomes known is no longer unknown",
        [call(1, usd=None), ended(1)],
        TaskUsage(steps=1, tokens=70, input_tokens=50, output_tokens=20, usd=0.5),
    ),
    (
        "tokens nobody reported count as estimated",
        [call(1), ended(1, tokens=(None, None))],
        TaskUsage(steps=1, tokens=47, estimated_calls=1, usd=0.5),
    ),
    (
        "half a report is completed by the estimate",
        [call(1), ended(1, tokens=(50, None))],
        TaskUsage(steps=1, tokens=57, input_tokens=50, estimated_calls=1, usd=0.5),
    ),
    ("a failed call counts as reserved", [call(1), FAILED], TaskUsage(steps=1, tokens=100, usd=1.0)),
    (
        "a failed call of unknown price stays unknown",
        [call(1, usd=None), FAILED],
        TaskUsage(steps=1, tokens=100, unknown_usd_calls=1),
    ),
    (
        "a failed call that told its use is settled",
        [call(1), failed((8, 2), 0.25)],
        TaskUsage(steps=1, tokens=10, usd=0.25),
    ),
    (
        "a failed call of known use and unknown price keeps the price that was reserved",
        [call(1), failed((8, 2), None)],
        TaskUsage(steps=1, tokens=10, usd=1.0, unknown_usd_calls=1),
    ),
    (
        "a failed call that told half of its use counts as reserved",
        [call(1), failed((8, None), 0.25)],
        TaskUsage(steps=1, tokens=100, usd=1.0),
    ),
    (
        "a failed call that told nothing counts as reserved",
        [call(1), failed((None, None), None)],
        TaskUsage(1, 100, usd=1.0),
    ),
    (
        "a second end of the same call changes nothing",
        [call(1), ended(1), ended(1), FAILED],
        TaskUsage(steps=1, tokens=70, input_tokens=50, output_tokens=20, usd=0.5),
    ),
    ("an end without a beginning changes nothing", [ended(7)], TaskUsage()),
    (
        "calls add up",
        [call(1), ended(1), call(2), FAILED.model_copy(update={"call": "C-2"}), call(3)],
        TaskUsage(steps=3, tokens=270, input_tokens=50, output_tokens=20, usd=2.5),
    ),
]


@pytest.mark.parametrize(("events", "used"), [row[1:] for row in USED], ids=[row[0] for row in USED])
def test_what_is_used_follows_from_the_calls_on_record(events: list[e.Event], used: TaskUsage) -> None:
    assert story(*events).used == used


def test_unknown_money_counts_as_nothing_only_where_a_person_allowed_it() -> None:
    allowed = task(caps=Caps(usd=2.0, unknown_usd=True))
    assert story(call(1), ended(1, usd=None), of=allowed).used.usd == 0.0
    assert story(call(1), ended(1, usd=None), of=task(caps=Caps(usd=2.0))).used.usd == 1.0
    later = story(call(1), ended(1, usd=None), CapsChanged(caps=allowed.caps), call(2), ended(2, usd=None))
    assert (later.used.usd, later.used.unknown_usd_calls) == (1.0, 2)


def test_only_calls_without_an_end_are_open() -> None:
    state = story(call(1), ended(1), call(2), call(3), FAILED.model_copy(update={"call": "C-3"}))
    assert list(state.open_calls) == ["C-2"]


def timed(*moments: tuple[float, e.Event | e.Unknown]) -> float:
    """The seconds of work after these events at these moments."""
    first = e.TaskCreated(task=task(), task_file="f")
    rest = (e.Record(seq, at(when), event) for seq, (when, event) in enumerate(moments, start=2))
    return fold(EMPTY, [e.Record(1, at(0), first), *rest]).used.wall_seconds


STOPPED = e.RunnerStopped(reason=StopReason.paused)
HINT = HintGiven(text="h", message="from a person")


def test_time_counts_only_while_a_runner_is_at_work() -> None:
    assert timed((100, RUNNER), (110, begun("intake")), (130, STOPPED), (5000, RUNNER), (5001, STOPPED)) == 31


def test_the_night_after_a_crash_is_not_work() -> None:
    assert timed((0, RUNNER), (10, begun("intake")), (9000, RUNNER), (9005, made("intake", "a"))) == 15


@pytest.mark.parametrize(
    "event",
    [
        e.WarningGiven(text="an unfinished last event was set aside"),
        CapsChanged(caps=Caps()),
        LossAccepted(lost_after=1, kept_aside="x"),
        e.TaskExtended(task=task()),
        HINT,
    ],
    ids=lambda event: type(event).__name__,
)
def test_what_is_written_before_the_next_runner_starts_does_not_count_the_night(event: e.Event) -> None:
    assert timed((0, RUNNER), (10, begun("intake")), (9000, event), (9001, RUNNER), (9003, STOPPED)) == 12


def test_a_word_from_a_person_takes_nothing_off_the_work_around_it() -> None:
    assert timed((0, RUNNER), (10, call(1)), (59, HINT), (70, ended(1))) == 70


def test_a_clock_that_runs_backwards_counts_nothing() -> None:
    assert timed((100, RUNNER), (40, begun("intake")), (45, STOPPED)) == 5


def test_an_event_of_a_newer_program_counts_as_work() -> None:
    assert timed((0, RUNNER), (5, e.Unknown("x", 9, {})), (7, STOPPED)) == 7
