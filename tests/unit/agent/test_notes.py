"""What an agent writes down for later: it keeps its lines, and tells nobody what was held back."""

import pytest

from thoughtforge.agent.steps import NOTE_LENGTH, kept_note, tells


def test_a_note_keeps_its_lines_and_at_most_600_characters() -> None:
    assert kept_note("a.py: x  \n\n  b.py: y\n") == "a.py: x\n  b.py: y"
    assert kept_note(None) == ""
    assert (len(kept_note("x" * 700)), NOTE_LENGTH) == (600, 600)


@pytest.mark.parametrize(
    ("note", "told"),
    [
        ("the case is 4711", True),
        ("('red kite') → RED_KITE", True),
        ("tests are in test_kites.py, 47 lines", False),
        ("14711 rows", False),
    ],
)
def test_a_note_with_a_value_of_a_held_back_case_is_known(note: str, told: bool) -> None:
    assert tells(note, frozenset({"4711", "red kite"})) is told
