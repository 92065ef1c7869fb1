"""The conversation as drivers need it: read from the record, answered on the record."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from thoughtforge.agent.context import Block
from thoughtforge.agent.run import Done, Run, drive
from thoughtforge.agent.tokens import estimate
from thoughtforge.kernel.events import WarningGiven
from thoughtforge.kernel.model import JsonObject
from thoughtforge.kernel.ports import Produced
from thoughtforge.people.events import Said
from thoughtforge.think.conversation import CONVERSATION, SHOWN, ChatMessage, Conversation, is_realign, resolved
from thoughtforge.views.phases import phase

LEFT_OUT = "[… earlier messages do not fit …]"


def conversation(run: Run) -> Conversation:
    """Everything said so far."""
    return resolved(run.record.journal.of(CONVERSATION), run.record.text)


def answer(run: Run, text: str, *, code: str = "", about: str = "") -> None:
    """Say something to the person; a code marks what the engine says itself, `about` the phase it belongs to."""
    digest = run.record.put(text) if len(text) > SHOWN else None
    at = phase(run.record.journal.state)
    where = about or at.halted_in or at.name
    run.record.journal.append(Said(role="ai", text=text[:SHOWN], digest=digest, phase=where, code=code))


def answered(known: Conversation, code: str, after: int) -> bool:
    """Whether that was already said after a message; a crash in between must not say it twice."""
    return any(m.code == code and m.seq > after for m in known.messages)


def warn_of_cut(run: Run, cut: Sequence[str], *, after: int) -> None:
    """Material that did not fit is named once, in chat and on record."""
    if not cut or answered(conversation(run), "cut", after):
        return
    text = f"Not everything fits into one question to the agent. Cut: {', '.join(cut)}."
    run.record.journal.append(WarningGiven(text=text, code="cut"))
    answer(run, text, code="cut")


def chat_block(title: str, messages: Sequence[ChatMessage], *, budget: int, anchor: int = 0) -> Block:
    """Messages as material: the first `anchor` of them always, then as many of the newest as fit."""
    lines = [f"{m.role}: {m.text}" for m in messages]
    kept, rest = lines[:anchor], lines[anchor:]
    room = budget - sum(map(estimate, kept))
    newest: list[str] = []
    for line in reversed(rest):
        room -= estimate(line)
        if room < 0 and newest:
            break
        newest.insert(0, line)
    gap = [LEFT_OUT] if len(newest) < len(rest) else []
    text = "\n\n".join([*kept, *gap, *newest])
    whole = sum(map(estimate, lines)) if gap else 0
    return Block(title, text, budget, floor=budget // 2, untrusted=True, whole=whole)


class DocumentVersion(NamedTuple):
    """What an agent made of the conversation."""

    last: int
    """The newest message of the person that it takes up."""
    data: JsonObject


class CatchUp(NamedTuple):
    """How far the newest version has caught up with the person."""

    said: int
    """Their newest message."""
    taken_up: int
    """The newest message that a version takes up; -1 when there is no version yet."""


class VersionTurn(NamedTuple):
    """Make a version that takes up everything said so far."""


def next_turn(view: CatchUp) -> VersionTurn | Done:
    """A version is ready for the person once they said nothing more while it was made."""
    return Done() if view.taken_up == view.said else VersionTurn()


async def agree(run: Run, said: Callable[[], int], make: Callable[[], Awaitable[DocumentVersion]]) -> Produced:
    """Version after version until one takes up everything; `make` asks nothing again that is on record."""
    newest = DocumentVersion(-1, {})

    async def run_turn(_turn: VersionTurn) -> None:
        nonlocal newest
        newest = await make()

    await drive(lambda: CatchUp(said(), newest.last), next_turn, run_turn)
    return Produced(run.record.put(newest.data))


DUMP = "brain_dump"
NOTHING = "nothing_to_realign"
"""The code of the answer."""


def answer_in_dump(run: Run) -> None:
    """Answer the newest such wish, once; the words themselves are no part of the dump."""
    known = conversation(run)
    asked = [m.seq for m in known.messages if m.role == "human" and m.phase == DUMP and is_realign(m.text)]
    if asked and not answered(known, NOTHING, asked[-1]):
        text = "There is no correction to go back to yet; everything said so far is kept."
        answer(run, text, code=NOTHING, about=DUMP)
