"""The conversation as material: what does not fit is left out and named."""

from __future__ import annotations

from thoughtforge.agent.asking import fitted
from thoughtforge.intake.conversation import Message
from thoughtforge.intake.talking import LEFT_OUT, chat_block

BUDGET = 8_000


def messages(words: int) -> list[Message]:
    """Sixty messages of so many words."""
    return [Message(seq=n, time="", role="human", text=f"message {n} " * words, phase="intake") for n in range(60)]


def test_messages_that_were_left_out_are_named_as_cut() -> None:
    block = chat_block("conversation", messages(300), budget=BUDGET, anchor=1)
    assert LEFT_OUT in block.text
    assert block.text.startswith("human: message 0 ")
    assert fitted([block], budget=3 * BUDGET)[1] == ("conversation",)


def test_a_conversation_that_fits_is_not() -> None:
    block = chat_block("conversation", messages(3), budget=BUDGET, anchor=1)
    assert LEFT_OUT not in block.text
    assert fitted([block], budget=3 * BUDGET)[1] == ()
