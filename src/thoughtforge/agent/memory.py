"""What an agent remembers of its stage: notes, its last actions, and what tells work from going in circles."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from thoughtforge.calls.events import ActionTaken
from thoughtforge.kernel import events as e
from thoughtforge.kernel.fold import plus, without
from thoughtforge.kernel.model import Digest
from thoughtforge.kernel.projection import Projection, register
from thoughtforge.kernel.state import NOTHING
from thoughtforge.workspaces.past import CIRCLES

KEPT_NOTES = 40
KEPT_ACTIONS = 3
KEPT_TRAIL = 60


class Deed(NamedTuple):
    """One action as far as circles go: a mark of what was done with what result, and the files afterwards."""

    mark: str
    tree: str


@dataclass(frozen=True, slots=True)
class Memory:
    """One stage so far, as its agent remembers it."""

    notes: tuple[str, ...] = ()
    recent: tuple[ActionTaken, ...] = ()
    trail: tuple[Deed, ...] = ()
    """The actions since the stage began or a person last helped."""
    circles: e.Measured | None = None
    """What the agent was told of going round, until the stage begins again or a person helps."""
    refuted: int = 0
    """How often held-back cases failed since a person last helped."""
    inputs: tuple[Digest, ...] = ()


@dataclass(frozen=True, slots=True)
class Memories:
    """Every stage's memory, and the stage each open question belongs to."""

    stages: Mapping[str, Memory] = field(default_factory=lambda: NOTHING)
    asked: Mapping[str, str] = field(default_factory=lambda: NOTHING)

    def stage(self, name: str) -> Memory:
        """The memory of a stage, also of one that has not begun."""
        return self.stages.get(name, Memory())


def apply(kept: Memories, record: e.Record) -> Memories:
    """What is remembered after one more record."""
    event = record.event
    match event:
        case ActionTaken():
            return _acted(kept, event)
        case e.Measured():
            return _measured(kept, event)
        case e.StageStarted():
            mine = kept.stage(event.stage)
            refuted = mine.refuted if mine.inputs == event.inputs else 0
            return _with(kept, event.stage, recent=(), trail=(), circles=None, refuted=refuted, inputs=event.inputs)
        case e.EscalationRaised():
            return replace(kept, asked=plus(kept.asked, event.escalation.id, event.escalation.stage))
        case e.EscalationResolved() if event.id in kept.asked:
            stage, kept = kept.asked[event.id], replace(kept, asked=without(kept.asked, event.id))
            return kept if event.choice == "abort" else _with(kept, stage, trail=(), circles=None, refuted=0)
        case _:
            return kept


def _with(kept: Memories, stage: str, **changes: Any) -> Memories:
    return replace(kept, stages=plus(kept.stages, stage, replace(kept.stage(stage), **changes)))


def _acted(kept: Memories, event: ActionTaken) -> Memories:
    mine = kept.stage(event.stage)
    done = f"{event.tool} {sorted(event.params.items())} {event.outcome} {event.summary} {event.output}"
    deed = Deed(hashlib.sha256(done.encode("utf-8", "replace")).hexdigest()[:16], event.tree)
    return _with(
        kept,
        event.stage,
        notes=(*mine.notes, event.note)[-KEPT_NOTES:] if event.note else mine.notes,
        recent=(*mine.recent, event)[-KEPT_ACTIONS:],
        trail=(*mine.trail, deed)[-KEPT_TRAIL:],
    )


def _measured(kept: Memories, event: e.Measured) -> Memories:
    if event.stage and event.what == CIRCLES:  # told once, it is watched afresh
        return _with(kept, event.stage, circles=event, trail=())
    if event.stage and event.what == "held_back" and event.outcome == "fail":
        return _with(kept, event.stage, refuted=kept.stage(event.stage).refuted + 1)
    return kept


MEMORIES = register(Projection("memories", Memories(), apply))
