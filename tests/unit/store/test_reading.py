"""Lines of every version: old ones are raised on reading, newer ones are kept as they are and never guessed at."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from thoughtforge.calls.events import ActionTaken
from thoughtforge.kernel import events as e
from thoughtforge.store.log import RAISE, newest, read_event
from unit.kernel.generated import EVENTS, STEADY


@settings(STEADY, max_examples=150)
@given(EVENTS)
def test_an_event_written_as_json_values_is_read_back_equal(event: e.Event) -> None:
    assert read_event(event.model_dump(mode="json")) == event


def test_every_old_version_of_every_event_can_be_raised() -> None:
    assert set(RAISE) == {(kind, version) for kind in e.KINDS for version in range(1, newest(kind))}


def test_a_warning_of_version_1_is_read_as_one_without_a_code() -> None:
    old = {"type": "warning_given", "version": 1, "message": "", "text": "mind the gap"}
    assert read_event(old) == e.WarningGiven(text="mind the gap", code="")
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
    assert read_event(data) == e.Unknown(kind, version, data)


def test_an_action_of_version_1_is_raised_to_one_without_a_tree() -> None:
    acted = ActionTaken(stage="spec", round=1, step=1, role="r", tool="edit_file", outcome="ok", summary="s")
    old = acted.model_dump(mode="json") | {"version": 1}
    del old["tree"]
    assert read_event(old) == acted
