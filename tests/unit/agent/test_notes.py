"""What an agent writes down for later: it keeps its lines."""

from thoughtforge.agent.steps import NOTE_LENGTH, kept_note


def test_a_note_keeps_its_lines_and_at_most_600_characters() -> None:
    assert kept_note("a.py: x  \n\n  b.py: y\n") == "a.py: x\n  b.py: y"
    assert kept_note(None) == ""
    assert (len(kept_note("x" * 700)), NOTE_LENGTH) == (600, 600)
