"""What a person and a task have said to each other: a projection of the log. Nothing is ever taken off the record."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from thoughtforge.intake.word_count import word_count
from thoughtforge.kernel import events as e
from thoughtforge.kernel.model import Digest
from thoughtforge.kernel.projection import Projection, register
from thoughtforge.people.events import ActionAsked, Said

REALIGN = "realign from here"
"""The only words of a message the engine reads: the whole of it, in any case."""
SHOWN = 4_000
"""Characters of a message kept in its event; a blob has all of a longer one."""
ONE_TALK = ("distilling", "human_review")
"""What is said while the first distillation runs is a correction of it like any later one."""

Whole = Callable[[Digest], str]


class Message(NamedTuple):
    """One message. `excluded` ones stay on record and are not told to an agent."""

    seq: int
    time: str
    role: str
    text: str
    phase: str
    code: str = ""
    excluded: bool = False
    digest: Digest | None = None
    """The blob that holds all of a long one; `text` is then its beginning, until it is resolved."""


class Action(NamedTuple):
    """Something a person pressed, with what they gave along."""

    seq: int
    action: str
    text: str
    stage: str
    """The stage it was pressed in."""
    digest: Digest | None = None


class Conversation(NamedTuple):
    """All messages and actions of a task, oldest first."""

    messages: tuple[Message, ...] = ()
    actions: tuple[Action, ...] = ()
    stage: str = ""
    """The stage that began last."""

    def told(self, *phases: str) -> tuple[Message, ...]:
        """What an agent is told of these phases."""
        return tuple(m for m in self.messages if m.phase in phases and not m.excluded)

    def dump(self) -> str:
        """The brain dump: everything the person said before the first distillation."""
        return "\n\n".join(m.text for m in self.told("brain_dump") if m.role == "human")

    def words(self) -> int:
        """How many words the brain dump has."""
        return word_count(self.dump())

    def last(self, role: str, *phases: str) -> int:
        """The number of the newest message of a role in these phases, 0 when there is none."""
        return max((m.seq for m in self.messages if m.role == role and m.phase in phases), default=0)

    def asked(self, action: str, stage: str = "") -> tuple[Action, ...]:
        """How often something was pressed, in one stage or in all."""
        return tuple(a for a in self.actions if a.action == action and stage in ("", a.stage))


def resolved(kept: Conversation, whole: Whole) -> Conversation:
    """The conversation with the text of every blob, which `whole` gives; a request of nothing is no message."""
    messages = (m._replace(text=whole(m.digest)) if m.digest else m for m in kept.messages)
    actions = (a._replace(text=whole(a.digest)) if a.digest else a for a in kept.actions)
    there = (m for place, m in enumerate(messages) if place or m.text.strip())
    return kept._replace(messages=tuple(there), actions=tuple(actions))


def apply(kept: Conversation, record: e.Record) -> Conversation:
    """The conversation after one more record."""
    seq, time, event = record
    match event:
        case e.TaskCreated():
            task = event.task
            first = Message(seq, time, "human", task.request, "brain_dump", digest=task.request_digest)
            return kept._replace(messages=_with((), first, realigns=is_realign(task.request)))
        case e.StageStarted():
            return kept._replace(stage=event.stage)
        case Said():
            said = Message(seq, time, event.role, event.text, event.phase, event.code, digest=event.digest)
            realigns = event.role == "human" and event.digest is None and is_realign(event.text)
            return kept._replace(messages=_with(kept.messages, said, realigns=realigns))
        case ActionAsked():
            return _pressed(kept, Action(seq, event.action, event.text, kept.stage, event.digest), time)
        case _:
            return kept


def _pressed(kept: Conversation, asked: Action, time: str) -> Conversation:
    kept = kept._replace(actions=(*kept.actions, asked))
    if not asked.text:
        return kept
    said = Message(asked.seq, time, "human", asked.text, PHASE_OF.get(asked.stage, asked.stage), digest=asked.digest)
    return kept._replace(messages=(*kept.messages, said))


PHASE_OF = {"distill": "distilling", "spec": "spec_building", "build": "building", "polish": "polishing"}
"""Stage → phase in the words of the views."""


def is_realign(text: str) -> bool:
    """Whether a message asks to go back."""
    return text.strip().lower() == REALIGN


def correction(messages: Iterable[Message]) -> int | None:
    """The number of the last thing the person corrected; None when there is nothing to go back to."""
    found = [m.seq for m in messages if m.role == "human" and m.phase != "brain_dump" and not is_realign(m.text)]
    return found[-1] if found else None


def _with(messages: tuple[Message, ...], said: Message, *, realigns: bool) -> tuple[Message, ...]:
    """The messages after one more; a realign puts aside what came after the last correction, itself included."""
    if not realigns:
        return (*messages, said)
    phases = ONE_TALK if said.phase in ONE_TALK else (said.phase,)
    back = correction(m for m in messages if m.phase in phases and not m.excluded)
    if back is None:
        return (*messages, said._replace(excluded=True))
    aside = (m._replace(excluded=True) if m.phase in phases and m.seq > back else m for m in messages)
    return (*aside, said._replace(excluded=True))


CONVERSATION = register(Projection("conversation", Conversation(), apply))
