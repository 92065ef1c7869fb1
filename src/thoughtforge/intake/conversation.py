"""What a person and a task have said to each other, read from the log. Pure; nothing is ever taken off the record."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from thoughtforge.intake.word_count import word_count
from thoughtforge.kernel import events as e
from thoughtforge.kernel.model import Digest

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


class Action(NamedTuple):
    """Something a person pressed, with what they gave along."""

    seq: int
    action: str
    text: str
    stage: str
    """The stage it was pressed in."""


class Conversation(NamedTuple):
    """All messages and actions of a task, oldest first."""

    messages: tuple[Message, ...] = ()
    actions: tuple[Action, ...] = ()

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


def read(records: Iterable[e.Record], whole: Whole) -> Conversation:
    """The conversation on record; `whole` gives the text of a blob."""
    messages: list[Message] = []
    actions: list[Action] = []
    stage = ""
    for seq, time, event in records:
        match event:
            case e.TaskCreated():
                text = whole(event.task.request_digest)
                messages = _with([], Message(seq, time, "human", text, "brain_dump")) if text.strip() else []
            case e.StageStarted():
                stage = event.stage
            case e.Said():
                said = Message(seq, time, event.role, _text(event, whole), event.phase, event.code)
                messages = _with(messages, said)
            case e.ActionAsked():
                text = _text(event, whole)
                actions.append(Action(seq, event.action, text, stage))
                if text:
                    messages.append(Message(seq, time, "human", text, PHASE_OF.get(stage, stage)))
    return Conversation(tuple(messages), tuple(actions))


PHASE_OF = {"distill": "distilling", "spec": "spec_building", "build": "building", "polish": "polishing"}
"""Stage → phase in the words of the views."""


def is_realign(text: str) -> bool:
    """Whether a message asks to go back."""
    return text.strip().lower() == REALIGN


def correction(messages: Iterable[Message]) -> int | None:
    """The number of the last thing the person corrected; None when there is nothing to go back to."""
    found = [m.seq for m in messages if m.role == "human" and m.phase != "brain_dump" and not is_realign(m.text)]
    return found[-1] if found else None


def _with(messages: list[Message], said: Message) -> list[Message]:
    """The messages after one more; a realign puts aside what came after the last correction, itself included."""
    if said.role != "human" or not is_realign(said.text):
        return [*messages, said]
    phases = ONE_TALK if said.phase in ONE_TALK else (said.phase,)
    back = correction(m for m in messages if m.phase in phases and not m.excluded)
    if back is None:
        return [*messages, said._replace(excluded=True)]
    aside = [m._replace(excluded=True) if m.phase in phases and m.seq > back else m for m in messages]
    return [*aside, said._replace(excluded=True)]


def _text(event: e.Said | e.ActionAsked, whole: Whole) -> str:
    return whole(event.digest) if event.digest else event.text
