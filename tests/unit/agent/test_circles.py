"""Work is told from going in circles by what was done, with what result, on which files."""

import pytest

from thoughtforge.agent.memory import Deed, detect_loop
from thoughtforge.settings.config import LoopSettings

RULES = LoopSettings(repeats=3, without_progress=5)
AGAIN = "the same action had the same result 3 times"
PING_PONG = "edits alternate between the same two versions"


def trail(text: str) -> tuple[Deed, ...]:
    """`read:A` is an action by its mark and the files after it."""
    return tuple(Deed(*one.split(":")) for one in text.split())


@pytest.mark.parametrize(
    ("told", "found"),
    [
        ("", ""),
        ("read:A read:A", ""),
        ("read:A read:A read:A", AGAIN),
        ("read:A look:A read:A look:A read:A", AGAIN),
        ("read:A read:A read:A look:A", ""),
        ("hand_in:A edit:B hand_in:B edit2:C hand_in:C", ""),
        ("a:A b:B c:A", ""),
        ("a:A b:B c:A d:B", PING_PONG),
        ("a:A a2:A b:B b2:B c:A d:B", PING_PONG),
        ("a:A b:B c:C d:B", ""),
        ("a:A b:B c:A d:C", ""),
        ("a:A b:A c:A d:A e:A", ""),
        ("a:A b:A c:A d:A e:A f:A", "the last 5 actions changed nothing"),
        ("a:A b:B c:A d:A e:A f:A g:A", "the last 5 actions changed nothing"),
    ],
)
def test_what_goes_round_is_told_in_words(told: str, found: str) -> None:
    assert detect_loop(trail(told), RULES) == found


def test_whoever_may_only_read_is_not_blamed_for_changing_nothing() -> None:
    reading = [Deed(f"read-{number}", "") for number in range(40)]
    assert detect_loop(reading, RULES) == ""
    assert detect_loop([*reading, reading[0], reading[0]], RULES) == AGAIN
