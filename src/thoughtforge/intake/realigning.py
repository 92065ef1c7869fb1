"""A wish to go back while everything is still being said: there is nothing to go back to, and that is answered."""

from __future__ import annotations

from thoughtforge.agent.means import Means
from thoughtforge.intake.conversation import is_realign
from thoughtforge.intake.talking import answer, answered, conversation

DUMP = "brain_dump"
NOTHING = "nothing_to_realign"
"""The code of the answer."""


def answer_in_dump(means: Means) -> None:
    """Answer the newest such wish, once; the words themselves are no part of the dump."""
    known = conversation(means)
    asked = [m.seq for m in known.messages if m.role == "human" and m.phase == DUMP and is_realign(m.text)]
    if asked and not answered(known, NOTHING, asked[-1]):
        text = "There is no correction to go back to yet; everything said so far is kept."
        answer(means, text, code=NOTHING, about=DUMP)
