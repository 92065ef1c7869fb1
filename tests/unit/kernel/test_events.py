"""Events of every version: old ones are raised on reading, newer ones are kept as they are and never guessed at."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from hypothesis import given, settings
from pydantic import ValidationError

from thoughtforge.kernel import events as e
from thoughtforge.kernel.stops import StopReason
from unit.kernel.generated import CLASSES, EVENTS, STEADY


@settings(STEADY, max_examples=150)
@given(EVENTS)
def test_an_event_written_as_json_values_is_read_back_equal(event: e.Event) -> None:
    assert e.read_event(event.model_dump(mode="json")) == event


def test_every_old_version_of_every_event_can_be_raised() -> None:
    assert set(e.RAISE) == {(kind, version) for kind in e.KINDS for version in range(1, e.newest(kind))}


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_an_event_is_registered_under_a_name_of_its_own(kind: type[e.Event]) -> None:
    name = kind.model_fields["type"].default
    assert e.KINDS[name] is kind


def test_two_events_cannot_share_a_name() -> None:
    class Twin(e.Event):
        type: Literal["hint_given"] = "hint_given"

    with pytest.raises(ValueError, match="two events are called hint_given"):
        e.register(Twin)


def test_a_warning_of_version_1_is_read_as_one_without_a_code() -> None:
    old = {"type": "warning_given", "version": 1, "message": "", "text": "mind the gap"}
    assert e.read_event(old) == e.WarningGiven(text="mind the gap", code="")
    assert old == {"type": "warning_given", "version": 1, "message": "", "text": "mind the gap"}


STRANGE: list[tuple[str, dict[str, Any], str, int]] = [
    ("a type nobody knows", {"type": "moon_landed", "version": 1, "crew": 2}, "moon_landed", 1),
    ("a version to come", {"type": "hint_given", "version": 2, "text": "h", "tone": "kind"}, "hint_given", 2),
    ("a version after the newest", {"type": "warning_given", "version": 3, "text": "w"}, "warning_given", 3),
    ("a field nobody knows", {"type": "hint_given", "version": 1, "text": "h", "tone": "kind"}, "hint_given", 1),
    ("a field that is missing", {"type": "hint_given", "version": 1}, "hint_given", 1),
    ("a reason to come", {"type": "runner_stopped", "version": 1, "reason": "eclipse"}, "runner_stopped", 1),
    ("no type at all", {"version": 1}, "None", 1),
]


@pytest.mark.parametrize(("data", "kind", "version"), [row[1:] for row in STRANGE], ids=[row[0] for row in STRANGE])
def test_what_this_program_cannot_read_is_kept_as_it_is(data: dict[str, Any], kind: str, version: int) -> None:
    assert e.read_event(data) == e.Unknown(kind, version, data)


def test_an_event_cannot_be_changed_or_carry_a_field_nobody_defined() -> None:
    event = e.HintGiven(text="h")
    with pytest.raises(ValidationError):
        event.text = "other"  # type: ignore[misc]
    with pytest.raises(ValidationError):
        e.HintGiven.model_validate({"text": "h", "tone": "kind"})


def test_a_runner_stops_for_a_published_reason_only() -> None:
    assert e.RunnerStopped(reason=StopReason.paused).model_dump(mode="json")["reason"] == "paused"
    with pytest.raises(ValidationError):
        e.RunnerStopped.model_validate({"reason": "because"})
