"""Bytes become text without hiding anything, and changed lines are found."""

import pytest

from thoughtforge.gate.files import changed_lines
from thoughtforge.gate.mirror import decode


def test_a_python_file_has_a_text_whatever_bytes_are_in_it() -> None:
    assert decode("a.py", b"x = 1\n\0\xff\n") == "x = 1\n\0\ufffd\n"
    assert decode("a.py", b"\xef\xbb\xbfx = 1\n") == "x = 1\n"
    assert decode("a.bin", b"x\0") == ""


def test_python_is_read_in_the_encoding_it_declares() -> None:
    assert decode("a.py", b"# coding: latin-1\nx = '\xe4'\n") == "# coding: latin-1\nx = 'ä'\n"
    hidden = b"# coding: utf-7\n# +AAo-import os\n"
    assert decode("a.py", hidden) == "# coding: utf-7\n# \nimport os\n"
    assert decode("a.py", b"# coding: no-such-thing\nx = 1\n") == "# coding: no-such-thing\nx = 1\n"


@pytest.mark.parametrize(
    ("before", "now", "lines"),
    [
        ("a\nb\nc\n", "a\nb\nc\n", set()),
        ("a\nb\nc\n", "a\nB\nc\n", {2}),
        ("a\nc\n", "a\nb\nc\n", {2}),
        ("a\nb\nc\n", "a\nc\n", set()),
        ("a\nb\nc\nd\ne\n", "a\nX\nc\nY\ne\n", {2, 4}),
        (None, "a\nb", {1, 2}),
        ("", "a", {1}),
    ],
)
def test_changed_lines_are_those_the_base_does_not_have(before: str | None, now: str, lines: set[int]) -> None:
    assert changed_lines(before, now) == lines
