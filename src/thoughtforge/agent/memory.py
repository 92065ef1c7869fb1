"""What an agent did in its stage, folded from the log: its trail, notes and open edits; and loop detection over it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from thoughtforge.calls.events import ActionTaken
from thoughtforge.forge.events import PhaseAudited, PhaseFixed, PhaseStarted, PlanAudited, PlanResearched
from thoughtforge.kernel import events as e
from thoughtforge.kernel.events import ArtifactMade, Record, StagePassed
from thoughtforge.kernel.fold import plus, without
from thoughtforge.kernel.model import Digest
from thoughtforge.kernel.state import NOTHING, Projection, register
from thoughtforge.people.events import ActionAsked
from thoughtforge.polish.events import PolishFixed, PolishReviewed, PolishTests
from thoughtforge.settings.config import LoopSettings
from thoughtforge.workspaces.events import CommitMade, EditPlanned
from thoughtforge.workspaces.past import CIRCLES


def detect_loop(trail: Sequence[Deed], rules: LoopSettings) -> str:
    """What goes round, in words; empty while there is progress."""
    if not trail:
        return ""
    times = trail.count(trail[-1])  # on other files the same action is a new attempt
    if times >= rules.repeats:
        return f"the same action had the same result {times} times"
    if _back_and_forth(trail):
        return "edits alternate between the same two versions"
    idle = _idle(trail) if trail[-1].tree else 0  # whoever may only read changes nothing
    if idle >= rules.without_progress:
        return f"the last {idle} actions changed nothing"
    return ""


def _back_and_forth(trail: Sequence[Deed]) -> bool:
    """A, B, A, B: the last four different states of the files are two."""
    states: list[str] = []
    for step in trail:
        if step.tree and (not states or states[-1] != step.tree):
            states.append(step.tree)
    last = states[-4:]
    return len(last) == 4 and last[0] == last[2] and last[1] == last[3]


def _idle(trail: Sequence[Deed]) -> int:
    """Actions since the files were last something they had not been before."""
    seen: set[str] = set()
    last_new = 0
    for place, step in enumerate(trail):
        if step.tree not in seen:
            seen.add(step.tree)
            last_new = place
    return len(trail) - 1 - last_new


Pending = tuple[EditPlanned, ...]
ENDS = (ActionTaken, CommitMade, PolishFixed, PolishReviewed, PolishTests, ArtifactMade, StagePassed)


def apply_pending(kept: Pending, record: Record) -> Pending:
    """The open edits after one more record; whatever ends a step of a stage ends its edits."""
    match record.event:
        case EditPlanned():
            return (*kept, record.event)
        case end if isinstance(end, ENDS):
            stage = end.stage
            return tuple(edit for edit in kept if edit.stage != stage) if kept else kept
        case _:
            return kept


PENDING: Projection[Pending] = register(Projection("pending", (), apply_pending, (EditPlanned, *ENDS)))


KEPT_NOTES = 40
KEPT_ACTIONS = 3
KEPT_HANDED = 12
KEPT_TRAIL = 60
KEPT_CYCLES = 20
KEPT_REFUSALS = 12
OPENS = ("read_file", "create_file", "edit_file", "move_file")
"""Tools after which an agent knows the text of a file."""


class Deed(NamedTuple):
    """Fingerprint of one action, for loop detection: the action with its result, and the files afterwards."""

    mark: str
    tree: str


class Refusal(NamedTuple):
    """One condition of an exit that did not hold, and why."""

    name: str
    detail: str


class Cycle(NamedTuple):
    """One hand-in whose exit did not hold."""

    failing: str
    """What fails, by name; the same names mean that nothing moved."""
    broken: bool
    """The build itself failed: there is no code, or no test that can be run."""


@dataclass(frozen=True, slots=True)
class Memory:
    """One stage so far, as its agent remembers it."""

    notes: tuple[str, ...] = ()
    recent: tuple[ActionTaken, ...] = ()
    trail: tuple[Deed, ...] = ()
    """The actions since the stage began or a person last helped."""
    circles: e.Measured | None = None
    """The loop warning the agent got, until the stage begins again or a person helps."""
    refuted: int = 0
    """How often held-back cases failed since a person last helped."""
    failed: int = 0
    """How often the exit did not hold since the round began or a person last helped."""
    cycles: tuple[Cycle, ...] = ()
    """What came of each hand-in that failed, over the rounds of a stage, since a person last helped."""
    inputs: tuple[Digest, ...] = ()
    opened: tuple[str, ...] = ()
    """Files the agent read or wrote since the round began, as it named them."""
    handed: tuple[Digest, ...] = ()
    """What was handed in since the round began, oldest first."""
    raised: tuple[str, ...] = ()
    """Blocking issues of the reviews so far, one line each, as long as the inputs are the same."""
    refusals: tuple[Refusal, ...] = ()
    """What was refused since the round began, each once, oldest first."""
    measured: frozenset[str] | None = None
    """What was measured of the work at hand; None while nothing measured so far is of work that is over."""

    def counts(self, what: str) -> bool:
        """Whether the last measurement of that name is of the work at hand."""
        return self.measured is None or what in self.measured


@dataclass(frozen=True, slots=True)
class Memories:
    """Every stage's memory, and the stage each open question belongs to."""

    stages: Mapping[str, Memory] = field(default_factory=lambda: NOTHING)
    asked: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    last: str = ""
    """The stage that began last: where a person helps when they press a button."""

    def stage(self, name: str) -> Memory:
        """The memory of a stage, also of one that has not begun."""
        return self.stages.get(name, Memory())


HELPED: Mapping[str, Any] = {"trail": (), "circles": None, "refuted": 0, "failed": 0, "cycles": ()}
"""A person has helped: what was counted against the agent is counted anew."""
ROUND_BEGINS: Mapping[str, Any] = {
    **{"notes": (), "recent": (), "trail": (), "refusals": (), "opened": (), "handed": ()},
    **{"circles": None, "refuted": 0, "failed": 0, "measured": frozenset()},
}
"""One piece of work of a stage is over: the next is another one."""
PIECES = (
    *(PolishReviewed, PolishFixed, PolishTests),
    *(PlanResearched, PlanAudited, PhaseStarted, PhaseAudited, PhaseFixed),
)
"""Where a piece of work ends or begins."""


def apply(kept: Memories, record: e.Record) -> Memories:
    """What is remembered after one more record."""
    event = record.event
    match event:
        case ActionTaken():
            return _acted(kept, event)
        case e.Measured():
            return _measured(kept, event)
        case e.StageStarted():
            kept = replace(kept, last=event.stage)
            mine = kept.stage(event.stage)
            refuted = mine.refuted if mine.inputs == event.inputs else 0
            fresh = {"recent": (), "trail": (), "circles": None, "failed": 0, "inputs": event.inputs}
            fresh["raised"] = mine.raised if mine.inputs == event.inputs else ()
            return _with(kept, event.stage, refuted=refuted, refusals=(), opened=(), handed=(), **fresh)
        case e.ReviewGiven():
            told = (f"{i.id} ({i.severity}) {i.location}: {i.description} → {i.remediation}" for i in event.blocking)
            return _with(kept, event.stage, raised=tuple(dict.fromkeys((*kept.stage(event.stage).raised, *told))))
        case piece if isinstance(piece, PIECES):
            return _with(kept, piece.stage, **ROUND_BEGINS)
        case ActionAsked() if kept.last:
            return _with(kept, kept.last, **HELPED)
        case e.EscalationRaised():
            return replace(kept, asked=plus(kept.asked, event.escalation.id, event.escalation.stage))
        case e.EscalationResolved() if event.id in kept.asked:
            stage, kept = kept.asked[event.id], replace(kept, asked=without(kept.asked, event.id))
            return kept if event.choice == "abort" else _with(kept, stage, **HELPED)
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
        notes=(*mine.notes, event.note)[-KEPT_NOTES:] if event.note and event.outcome == "ok" else mine.notes,
        recent=(*mine.recent, event)[-KEPT_ACTIONS:],
        trail=(*mine.trail, deed)[-KEPT_TRAIL:],
        handed=(*mine.handed, event.output)[-KEPT_HANDED:] if _hands_in(event) and event.output else mine.handed,
        opened=tuple(dict.fromkeys((*mine.opened, *_opened(event)))),
    )


def _opened(event: ActionTaken) -> tuple[str, ...]:
    """The files whose text the agent knows after an action."""
    known = event.outcome == "ok" and event.tool in OPENS
    return tuple(str(event.params[key]) for key in ("path", "to") if key in event.params) if known else ()


def _hands_in(event: ActionTaken) -> bool:
    return event.tool == "complete" and event.outcome == "ok"


def _measured(kept: Memories, event: e.Measured) -> Memories:
    if event.stage and (known := kept.stage(event.stage).measured) is not None:
        kept = _with(kept, event.stage, measured=known | {event.what})
    if event.stage and event.what == CIRCLES:  # told once, it is watched afresh
        return _with(kept, event.stage, circles=event, trail=())
    if event.stage and event.what == "held_back" and event.outcome == "fail":
        return _with(kept, event.stage, refuted=kept.stage(event.stage).refuted + 1)
    if event.stage and event.what == "exit":
        return _exited(kept, event)
    return kept


def _exited(kept: Memories, event: e.Measured) -> Memories:
    if event.outcome == "pass":
        return _with(kept, event.stage, failed=0, cycles=(), refusals=())
    if event.facts.get("starts_over"):
        return _with(kept, event.stage, refusals=(), measured=frozenset({"exit"}))
    mine = kept.stage(event.stage)
    cycle = Cycle(str(event.facts.get("failing", "")), bool(event.facts.get("build_broken")))
    new = (Refusal(c.name, c.detail) for c in event.criteria if c.outcome == "fail")
    return _with(
        kept,
        event.stage,
        failed=mine.failed + 1,
        cycles=(*mine.cycles, cycle)[-KEPT_CYCLES:],
        refusals=tuple(dict.fromkeys((*mine.refusals, *new)))[-KEPT_REFUSALS:],
    )


READ = (
    *(ActionTaken, ActionAsked, *PIECES),
    *(e.Measured, e.StageStarted, e.ReviewGiven, e.EscalationRaised, e.EscalationResolved),
)
MEMORIES = register(Projection("memories", Memories(), apply, READ))
