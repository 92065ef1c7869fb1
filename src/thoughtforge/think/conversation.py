"""The conversation of a thought, folded from the log: what was said, what was pressed, and where it goes back to."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from thoughtforge.kernel import events as e
from thoughtforge.kernel.model import Digest
from thoughtforge.kernel.state import Projection, register
from thoughtforge.people.events import ActionAsked, HintGiven, Said

HAN_AND_KANA = re.compile(
    r"[\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)
SOUTH_EAST = re.compile(r"[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff]")
"""Thai, Lao, Burmese and Khmer."""
UNSPACED = ((HAN_AND_KANA, 2), (SOUTH_EAST, 4))
"""Letters of a script → how many of them make a word, about; it decides only whether there is enough to go on."""


def word_count(text: str) -> int:
    """Everything between spaces is one word; where there are none, so many letters are."""
    return sum(map(_words_in, text.split()))


def _words_in(run: str) -> int:
    """The words in what stands between two spaces."""
    count, rest = 0, run
    for letters, length in UNSPACED:
        found = len(letters.findall(run))
        count += -(-found // length)
        rest = letters.sub("", rest)
    # what is left beside such letters is a word of its own, such as a name, or only marks
    return count + (rest == run or any(map(str.isalnum, rest)))


REALIGN = "realign from here"
"""The only words of a message the engine reads: the whole of it, in any case."""
SHOWN = 4_000
"""Characters of a message kept in its event; a blob has all of a longer one."""
ONE_TALK = ("distilling", "human_review")
"""What is said while the first distillation runs is a correction of it like any later one."""

Whole = Callable[[Digest], str]


class ChatMessage(NamedTuple):
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

    messages: tuple[ChatMessage, ...] = ()
    actions: tuple[Action, ...] = ()
    stage: str = ""
    """The stage that began last."""
    hints: tuple[ChatMessage, ...] = ()
    """Hints to a task at work: no part of the conversation with the agent that distils or proposes."""

    def told(self, *phases: str) -> tuple[ChatMessage, ...]:
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
            first = ChatMessage(seq, time, "human", task.request, "brain_dump", digest=task.request_digest)
            return kept._replace(messages=_with((), first, realigns=is_realign(task.request)))
        case e.StageStarted():
            return kept._replace(stage=event.stage)
        case Said():
            said = ChatMessage(seq, time, event.role, event.text, event.phase, event.code, digest=event.digest)
            realigns = event.role == "human" and event.digest is None and is_realign(event.text)
            return kept._replace(messages=_with(kept.messages, said, realigns=realigns))
        case HintGiven():
            hint = ChatMessage(seq, time, "human", event.text, PHASE_OF.get(kept.stage, kept.stage))
            return kept._replace(hints=(*kept.hints, hint))
        case ActionAsked():
            return _pressed(kept, Action(seq, event.action, event.text, kept.stage, event.digest), time)
        case _:
            return kept


def _pressed(kept: Conversation, asked: Action, time: str) -> Conversation:
    kept = kept._replace(actions=(*kept.actions, asked))
    if not asked.text:
        return kept
    said = ChatMessage(
        asked.seq, time, "human", asked.text, PHASE_OF.get(asked.stage, asked.stage), digest=asked.digest
    )
    return kept._replace(messages=(*kept.messages, said))


PHASE_OF = {
    "distill": "distilling",
    "spec": "spec_building",
    "tests": "building",
    "build": "building",
    "polish": "polishing",
}
"""Stage → phase in the words of the views."""


def is_realign(text: str) -> bool:
    """Whether a message asks to go back."""
    return text.strip().lower() == REALIGN


def correction(messages: Iterable[ChatMessage]) -> int | None:
    """The number of the last thing the person corrected; None when there is nothing to go back to."""
    found = [m.seq for m in messages if m.role == "human" and m.phase != "brain_dump" and not is_realign(m.text)]
    return found[-1] if found else None


def _with(messages: tuple[ChatMessage, ...], said: ChatMessage, *, realigns: bool) -> tuple[ChatMessage, ...]:
    """The messages after one more; a realign puts aside what came after the last correction, itself included."""
    if not realigns:
        return (*messages, said)
    phases = ONE_TALK if said.phase in ONE_TALK else (said.phase,)
    back = correction(m for m in messages if m.phase in phases and not m.excluded)
    if back is None:
        return (*messages, said._replace(excluded=True))
    aside = (m._replace(excluded=True) if m.phase in phases and m.seq > back else m for m in messages)
    return (*aside, said._replace(excluded=True))


CONVERSATION = register(
    Projection("conversation", Conversation(), apply, (e.TaskCreated, e.StageStarted, Said, HintGiven, ActionAsked))
)
