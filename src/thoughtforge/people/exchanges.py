"""What a finished task owes its readers: what people were asked and said, what reviewers made it change, and where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from thoughtforge.kernel import events as e
from thoughtforge.kernel.events import Record
from thoughtforge.kernel.fold import plus
from thoughtforge.kernel.model import Escalation
from thoughtforge.kernel.state import NOTHING, Projection, register


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """One question a task stopped for, with what a person answered."""

    asked: Escalation
    choice: str = ""
    """answer, accept …; empty while nobody answered."""
    answers: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    """Question id → answer; `*` answers every other question."""
    by: str = ""


@dataclass(frozen=True, slots=True)
class Exchanges:
    """Everything of one task."""

    questions: Mapping[str, AnsweredQuestion] = field(default_factory=lambda: NOTHING)
    """By the id of the question, in the order asked."""
    blocked: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    """Blocking issues of all reviews: stage and id → severity and description."""
    environments: tuple[str, ...] = ()
    """Each environment that was made or found, one line each."""


def apply(kept: Exchanges, record: Record) -> Exchanges:
    """What is known after one more record."""
    event = record.event
    match event:
        case e.EscalationRaised():
            one = AnsweredQuestion(event.escalation)
            return replace(kept, questions=plus(kept.questions, event.escalation.id, one))
        case e.EscalationResolved() if event.id in kept.questions:
            one = replace(kept.questions[event.id], choice=event.choice, answers=event.answers, by=event.by)
            return replace(kept, questions=plus(kept.questions, event.id, one))
        case e.ReviewGiven() if event.mode == "blocking":
            blocked = kept.blocked
            for issue in event.blocking:
                blocked = plus(blocked, f"{event.stage}: {issue.id}", f"({issue.severity}) {issue.description}")
            return replace(kept, blocked=blocked)
        case e.Measured(what="environment") if event.summary not in kept.environments:
            return replace(kept, environments=(*kept.environments, event.summary))
        case _:
            return kept


READ = (e.EscalationRaised, e.EscalationResolved, e.ReviewGiven, e.Measured)
EXCHANGES = register(Projection("exchanges", Exchanges(), apply, READ))
