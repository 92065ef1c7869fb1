"""What the person said since they confirmed the proposal: it reaches whoever builds, reviews or fixes, word for word.

Hints, answers to a stuck build with the question, and wishes for a finished thought. An answer by id (`C-1: both days`)
carries the question it answers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from thoughtforge.agent.context import MEASURED, Block
from thoughtforge.agent.run import Run
from thoughtforge.kernel.model import JsonObject
from thoughtforge.people.events import REOPEN
from thoughtforge.people.rulings import hidden
from thoughtforge.think.conversation import Conversation
from thoughtforge.think.talking import conversation

TITLE = "what the person said since they confirmed the proposal"
SPOKEN = ("provide", REOPEN)
"""Actions whose text is something a person said."""
BY_ID = re.compile(r"^\s*([UQC]-[1-9]\d*)\s*:\s*(\S.*)$")
"""An answer as the form of open questions and the questions of a terminal write it."""
ROOM = 1_500


class Word(NamedTuple):
    """One thing a person said."""

    seq: int
    text: str
    question: str = ""
    """What it answers, when a build had asked."""

    def line(self) -> str:
        """It with what it answers."""
        return f"asked “{self.question}”, they answered: {self.text}" if self.question else self.text


def said_since(known: Conversation, points: Mapping[str, str]) -> tuple[Word, ...]:
    """Everything of the person since the build began, oldest first; `points` has the questions by their ids."""
    hints = [Word(one.seq, one.text) for one in known.hints]
    pressed = [Word(a.seq, a.text, _asked(known, a.seq) if a.action == "provide" else "") for a in known.actions]
    texts = {a.seq for a in known.actions if a.action in SPOKEN}
    words = [*hints, *(word for word in pressed if word.seq in texts)]
    kept = (word._replace(text=hidden(word.text).strip()) for word in words)
    told = (word._replace(text=with_questions(word.text, points)) for word in kept if word.text)
    return tuple(sorted(told, key=lambda word: word.seq))


def _asked(known: Conversation, before: int) -> str:
    """The question a build was stuck on when it was answered."""
    asked = [one.text for one in known.messages if one.code == "stuck" and one.seq < before]
    return " ".join(asked[-1].split()) if asked else ""


def words_of(run: Run) -> tuple[Word, ...]:
    """The same for a run, with what waits in its inbox."""
    run.people.drain_inbox()
    return said_since(conversation(run), points_of(run.record.accepted()))


def said_block(run: Run, *, budget: int = ROOM) -> Block:
    """It for an agent; it stands above what was written before."""
    text = "\n".join(f"- {word.line()}" for word in words_of(run))
    return Block(TITLE, text, budget, floor=min(budget, ROOM), untrusted=True, need=MEASURED)


def points_of(accepted: Mapping[str, JsonObject]) -> dict[str, str]:
    """Every question by its id: unknowns and questions of the intent, doubts and questions of the proposal."""
    intent, proposal = accepted.get("intent", {}), accepted.get("proposal", {})
    asked = {row["id"]: row["text"] for key in ("unknowns", "open_questions") for row in intent.get(key, ())}
    doubts = {row["id"]: row["concern"] for row in proposal.get("challenges", ())}
    return {**asked, **doubts, **{row["id"]: row["question"] for row in proposal.get("open", ())}}


def answers_by_id(text: str) -> dict[str, str]:
    """The answers in a text that are written in the engine's own form."""
    return {found[1]: found[2].strip() for line in text.splitlines() if (found := BY_ID.match(line))}


def answered_since(known: Conversation) -> frozenset[str]:
    """The ids that were answered in the engine's own form since the build began."""
    return frozenset(name for word in said_since(known, {}) for name in answers_by_id(word.text))


def with_questions(text: str, points: Mapping[str, str]) -> str:
    """The text, each answer by id with the question it answers."""
    return "\n".join(_with_question(line, points) for line in text.splitlines())


def _with_question(line: str, points: Mapping[str, str]) -> str:
    found = BY_ID.match(line)
    asked = points.get(found[1], "") if found else ""
    return f"{found[1]} (“{' '.join(asked.split())}”): {found[2]}" if found and asked else line
