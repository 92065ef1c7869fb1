"""Events are registered under names of their own, cannot be changed, and name registered reasons only."""

from __future__ import annotations

from typing import Literal

import pytest
from pydantic import ValidationError

from thoughtforge.kernel import events as e
from thoughtforge.kernel.stops import StopReason
from thoughtforge.people.events import HintGiven
from unit.kernel.generated import CLASSES


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_an_event_is_registered_under_a_name_of_its_own(kind: type[e.Event]) -> None:
    name = kind.model_fields["type"].default
    assert e.KINDS[name] is kind


def test_two_events_cannot_share_a_name() -> None:
    class Twin(e.Event):
        type: Literal["hint_given"] = "hint_given"

    with pytest.raises(ValueError, match="two events have the name hint_given"):
        e.register(Twin)


def test_an_event_cannot_be_changed_or_carry_a_field_nobody_defined() -> None:
    event = HintGiven(text="h")
    with pytest.raises(ValidationError):
        event.text = "other"  # type: ignore[misc]
    with pytest.raises(ValidationError):
        HintGiven.model_validate({"text": "h", "tone": "kind"})


def test_a_runner_stops_for_a_published_reason_only() -> None:
    assert e.RunnerStopped(reason=StopReason.paused).model_dump(mode="json")["reason"] == "paused"
    with pytest.raises(ValidationError):
        e.RunnerStopped.model_validate({"reason": "because"})
