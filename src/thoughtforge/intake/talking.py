"""The conversation as drivers need it: read from the record, answered on the record."""

from __future__ import annotations

from collections.abc import Sequence

from thoughtforge.agent.context import Block
from thoughtforge.agent.means import Means
from thoughtforge.agent.tokens import estimate
from thoughtforge.intake.conversation import CONVERSATION, SHOWN, Conversation, Message, resolved
from thoughtforge.intake.phases import phase
from thoughtforge.kernel.events import WarningGiven
from thoughtforge.people.events import Said

LEFT_OUT = "[… earlier messages do not fit …]"


def conversation(means: Means) -> Conversation:
    """Everything said so far."""
    return resolved(means.journal.of(CONVERSATION), means.text)


def answer(means: Means, text: str, *, code: str = "", about: str = "") -> None:
    """Say something to the person; a code marks what the engine says itself, `about` the phase it belongs to."""
    digest = means.put(text) if len(text) > SHOWN else None
    at = phase(means.journal.state)
    where = about or at.halted_in or at.name
    means.journal.append(Said(role="ai", text=text[:SHOWN], digest=digest, phase=where, code=code))


def answered(known: Conversation, code: str, after: int) -> bool:
    """Whether that was already said after a message; a crash in between must not say it twice."""
    return any(m.code == code and m.seq > after for m in known.messages)


def warn_of_cut(means: Means, cut: Sequence[str], *, after: int) -> None:
    """Material that did not fit is named once, in chat and on record."""
    if not cut or answered(conversation(means), "cut", after):
        return
    text = f"Not everything fits into one question to the agent. Cut: {', '.join(cut)}."
    means.journal.append(WarningGiven(text=text, code="cut"))
    answer(means, text, code="cut")


def chat_block(title: str, messages: Sequence[Message], *, budget: int, anchor: int = 0) -> Block:
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
    return Block(title, text, budget, floor=budget // 2, untrusted=True, cut=bool(gap))
