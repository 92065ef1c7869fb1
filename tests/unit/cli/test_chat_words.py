"""What people can do next, in the words of the chat."""

from __future__ import annotations

from thoughtforge.cli.chat import chat_words
from thoughtforge.views.values import NextAction


def test_hints_in_a_chat_are_words_of_the_chat() -> None:
    actions = [
        NextAction("Decide", "thoughtforge say T-1 TEXT"),
        NextAction("Decide", "thoughtforge confirm T-1"),
        NextAction("end it", "thoughtforge terminate T-1"),
        NextAction("give it", "thoughtforge provide T-1 TEXT"),
        NextAction("go on", "thoughtforge continue T-1"),
        NextAction("raise the cap", "thoughtforge continue T-1 --max-steps N"),
    ]
    assert chat_words(actions) == (
        "Decide: type what you want to say | /confirm; end it: /terminate; give it: /provide TEXT; go on: /resume; "
        "raise the cap: thoughtforge continue T-1 --max-steps N (in a shell)"
    )
