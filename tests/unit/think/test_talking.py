"""The conversation as material: what does not fit is left out and named."""

from __future__ import annotations

import pytest

from thoughtforge.agent.asking import fitted
from thoughtforge.agent.run import Done
from thoughtforge.think.conversation import ChatMessage
from thoughtforge.think.talking import LEFT_OUT, CatchUp, VersionTurn, chat_block, next_turn

BUDGET = 8_000


def messages(words: int) -> list[ChatMessage]:
    """Sixty messages of so many words."""
    return [ChatMessage(seq=n, time="", role="human", text=f"message {n} " * words, phase="intake") for n in range(60)]


def test_messages_that_were_left_out_are_named_as_cut() -> None:
    block = chat_block("conversation", messages(300), budget=BUDGET, anchor=1)
    assert LEFT_OUT in block.text
    assert block.text.startswith("human: message 0 ")
    assert [*fitted([block], system=0, room=3 * BUDGET).cut] == ["conversation"]


def test_a_conversation_that_fits_is_not() -> None:
    block = chat_block("conversation", messages(3), budget=BUDGET, anchor=1)
    assert LEFT_OUT not in block.text
    assert fitted([block], system=0, room=3 * BUDGET).cut == {}


@pytest.mark.parametrize(
    ("view", "turn"),
    [
        (CatchUp(said=0, taken_up=-1), VersionTurn()),
        (CatchUp(said=7, taken_up=-1), VersionTurn()),
        (CatchUp(said=9, taken_up=7), VersionTurn()),
        (CatchUp(said=9, taken_up=9), Done()),
        (CatchUp(said=0, taken_up=0), Done()),
    ],
)
def test_a_version_is_ready_once_nothing_was_said_while_it_was_made(view: CatchUp, turn: VersionTurn | Done) -> None:
    assert next_turn(view) == turn
