"""What a stage went through: whether an agent was asked, and whether the task came to rest since."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from thoughtforge.calls.events import CallStarted, DraftMade
from thoughtforge.definitions.drivers import may_be_thought
from thoughtforge.kernel.events import Measured, Record, RunnerStopped, StageStarted
from thoughtforge.kernel.fold import plus
from thoughtforge.kernel.state import NOTHING, Projection, register
from thoughtforge.think.stops import ThoughtStop

EDITED = "edited"
"""The measurement that holds the texts a person has changed since they were confirmed."""


class StageCourse(NamedTuple):
    """One stage."""

    called: bool = False
    """An agent was asked at least once."""
    begun: bool = False
    rested: bool = False
    """The task rested since the stage began or its texts were last looked at."""
    short: bool = False
    """It halted for the size of what it made, and nothing was drafted since."""


Courses = Mapping[str, StageCourse]


def apply(kept: Courses, record: Record) -> Courses:
    """Every stage after one more record."""
    event = record.event
    match event:
        case CallStarted():
            return _with(kept, event.stage, called=True)
        case StageStarted():
            return _with(kept, event.stage, begun=True, rested=False, short=False)
        case Measured() if event.what == EDITED:
            return _with(kept, event.stage, rested=False)
        case DraftMade():
            return _with(kept, event.stage, short=False)
        case RunnerStopped():
            for name in [name for name, one in kept.items() if one.begun]:
                short = kept[name].short or event.reason is ThoughtStop.phase3_output_incomplete
                kept = _with(kept, name, rested=True, short=short)
            return kept
        case _:
            return kept


def _with(kept: Courses, stage: str, **changes: Any) -> Courses:
    return plus(kept, stage, kept.get(stage, StageCourse())._replace(**changes))


READ = (CallStarted, StageStarted, Measured, DraftMade, RunnerStopped)
COURSES: Projection[Courses] = register(Projection("courses", NOTHING, apply, READ, about=may_be_thought))
