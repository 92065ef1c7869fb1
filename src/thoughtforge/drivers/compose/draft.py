"""A plan in the making: the slots that are filled, on record after every section."""

from __future__ import annotations

from typing import NamedTuple

from thoughtforge.agent.means import Means
from thoughtforge.calls.events import DraftMade
from thoughtforge.intake.rests import COURSES, Course
from thoughtforge.kernel.model import Stage


class Draft(NamedTuple):
    """What is filled so far."""

    slots: dict[str, str]
    short: str = ""
    """Why a plan that was whole is written anew; every section is told."""


def read_draft(means: Means, stage: Stage) -> Draft:
    """The draft on record; an empty one at the beginning."""
    draft = means.stage(stage.name).draft
    kept = means.artifact(draft) if draft else None
    return Draft(dict(kept["slots"]), kept.get("short", "")) if kept else Draft({})


def keep_draft(means: Means, stage: Stage, draft: Draft) -> None:
    """Put it on record."""
    digest = means.put({"slots": draft.slots, **({"short": draft.short} if draft.short else {})})
    means.journal.append(DraftMade(stage=stage.name, round=means.stage(stage.name).round, draft=digest))


def was_short(means: Means, stage: Stage) -> bool:
    """Whether the plan halted for its size and nothing was filled since."""
    return means.journal.of(COURSES).get(stage.name, Course()).short
