"""How much a text changed is counted in lines."""

import pytest

from thoughtforge.code.tool_context import Content, counted, difference, line_count


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("", "", "+0 −0"),
        ("a\nb\n", "a\nb\n", "+0 −0"),
        ("a\nb\n", "a\nc\nb\n", "+1 −0"),
        ("a\nb\nc\n", "a\nc\n", "+0 −1"),
        ("a\nb\nc\nd\ne\n", "a\nx\nc\ny\nz\ne\n", "+3 −2"),
        ("a\na\n", "a\na\na\n", "+1 −0"),
        ("a", "a\n", "+1 −0"),
    ],
)
def test_lines_are_counted_as_added_and_removed(before, after, said):
    assert difference(before, after) == said


def test_a_text_is_written_back_in_the_style_of_its_file():
    assert Content("a", "x", "\r\n", bom=True).encoded("x\ny") == b"\xef\xbb\xbfx\r\ny"


def test_counts_have_their_noun():
    assert [counted(number, "line") for number in (0, 1, 1200)] == ["0 lines", "1 line", "1,200 lines"]


def test_the_last_line_counts_also_without_an_end():
    assert [line_count(text) for text in ("", "a", "a\n", "a\nb", "\n")] == [0, 1, 1, 2, 1]
