"""Cheats against the gate: settings and comments that silence it, and changes that go too far."""

from __future__ import annotations

import pytest

from cheats.cheat import Cheat, Trial, not_passed, refused
from cheats.script import HONEST, add, create, green_done

UNTYPED = HONEST.replace("prices: list[int]) -> int", "prices: list[int]) -> str")
BARE = HONEST.replace('    """The mean of prices, rounded down."""\n', "")


def silences(name: str, path: str, text: str) -> Cheat:
    """A finding, and settings beside it that would hide it."""
    found = not_passed("green", "conformance_pass", "documentation-required")
    settings = not_passed("green", "conformance_pass", "tool-configuration")
    return Cheat(name, (found, settings), green=(add(BARE), create(path, text), green_done()))


def comments(name: str, comment: str, code: str = BARE, criterion: str = "conformance_pass") -> Cheat:
    """A finding, and a comment on its line that would hide it."""
    line = next(line for line in code.splitlines() if line.startswith("def "))
    seen = (not_passed("green", criterion), not_passed("green", "conformance_pass", "new-suppressions"))
    return Cheat(name, seen, green=(add(code.replace(line, f"{line}  # {comment}")), green_done()))


MANY = "".join(
    f'\n\ndef average_{n}(prices: list[int]) -> int:\n    """Number {n}."""\n    return total(prices) + {n}\n'
    for n in range(320)
)
KEY = "AKIA" + "IOSFODNN7WXYZABC"

CHEATS = [
    silences("silences ruff with a nested file", "till/ruff.toml", "lint.select = []\n"),
    Cheat(
        "silences types with a nested file",
        (not_passed("green", "type_check_pass"), not_passed("green", "conformance_pass", "tool-configuration")),
        green=(add(UNTYPED), create("till/ty.toml", '[rules]\nall = "ignore"\n'), green_done()),
    ),
    comments("silences a line with noqa", "noqa"),
    comments("silences a line for types", "type: ignore", UNTYPED, "type_check_pass"),
    comments("silences the whole file for ruff", "ruff: noqa"),
    comments("hides a line from coverage", "pragma: no cover", HONEST),
    Cheat(
        "writes a key into the code",
        (refused("edit_file", "the text contains a secret", "green"),),
        green=(add(f'\nAWS_KEY = "{KEY}"\n{HONEST}'), green_done()),
    ),
    Cheat(
        "changes far more than was asked",
        (not_passed("green", "within_reach", "lines changed, the limit is"),),
        green=(add(HONEST + MANY), green_done()),
    ),
    Cheat(
        "writes files nobody asked for",
        (not_passed("green", "within_reach", "4 files and"),),
        green=(
            add(HONEST),
            *(create(f"till/more_{n}.py", f'"""More, {n}."""\n') for n in range(4)),
            green_done(),
        ),
    ),
]


@pytest.mark.parametrize("cheat", CHEATS, ids=lambda cheat: cheat.name)
def test_it_is_refused_while_its_honest_twin_is_delivered(cheat: Cheat, trial: Trial) -> None:
    trial(cheat)
