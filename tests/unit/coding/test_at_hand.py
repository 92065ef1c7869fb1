"""Which lines of a file to change an agent is shown."""

from __future__ import annotations

from thoughtforge.agent.tokens import estimate
from thoughtforge.coding.at_hand import (
    QuotedLine,
    enclosing,
    in_order,
    moved,
    quoted_lines,
    rendered,
    shortened,
    shown_by,
)

FILE = """\
import re


class Shelf:
    def __init__(
        self,
        room,
    ):
        self.room = room

    @property
    def free(self):
        if self.room > 3:

            return True
        return False


LIMIT = 4
function put(a) {
  if (a) {
    go()
  }
}
""".splitlines()


def blocks(line: int) -> list[tuple[int, int]]:
    return [(block.start, block.stop - 1) for block in enclosing(FILE, line)]


def test_the_blocks_around_a_line_go_by_indentation_and_take_their_decorators() -> None:
    assert blocks(15) == [(13, 15), (11, 16), (4, 16)]
    assert blocks(9) == [(5, 9), (4, 16)]
    assert blocks(12) == [(11, 16), (4, 16)]
    assert blocks(19) == []
    assert blocks(22) == [(21, 23), (20, 24)]


def test_a_function_of_140_lines_is_shown_whole_and_its_neighbours_are_not() -> None:
    text = [f"a_{n} = {n}" for n in range(50)]
    text += ["def long():", *(f"    step_{n}()" for n in range(139)), "", "def other():", "    pass"]
    shown = [place.line for place in in_order({"m.py": text}, [QuotedLine("m.py", 120)])]
    assert sorted(shown) == list(range(51, 191))
    assert sorted(shown[:7]) == list(range(117, 124))


def test_what_does_not_fit_is_the_part_farthest_from_the_quoted_line() -> None:
    text = ["def long():", *(f"    step_number_{n}(argument_{n})" for n in range(150))]
    order = in_order({"m.py": text}, [QuotedLine("m.py", 90)])
    whole = rendered({"m.py": text}, order)
    cut = shortened({"m.py": text}, order, whole, 400)
    assert 370 <= estimate(cut) <= 400 < estimate(whole)
    lines = cut.splitlines()
    assert (lines[0], lines[1]) == ("m.py, 151 lines:", "     1  def long():")
    assert "    90      step_number_88(argument_88)" in lines
    assert lines[2] == lines[-1] == "     …"


def test_a_short_file_nobody_quotes_is_whole_and_of_a_long_one_the_beginning_is_shown() -> None:
    short, long = ["a = 1"] * 20, ["a = 1"] * 500
    assert len(in_order({"s": short}, [QuotedLine("s", 1)])) == 20
    assert len(in_order({"l": long}, [QuotedLine("l", 1)])) == 30


def test_evidence_is_found_by_its_number_or_by_its_words() -> None:
    analysis = {
        "evidence": [
            {"file": "m.py", "line": 4, "snippet": "class Shelf:"},
            {"file": "m.py", "line": None, "snippet": "LIMIT = 4"},
            {"file": "other.py", "line": 1},
            {"file": "m.py", "line": 99},
            {"file": "m.py"},
        ]
    }
    assert quoted_lines(analysis, "m.py", FILE) == [4, 19]


def test_a_quoted_line_is_followed_through_edits() -> None:
    before = [f"line {n}" for n in range(1, 11)]
    now = [*before[:4], "new", "newer", *before[5:]]  # line 5 became two
    assert [moved(line, before, now) for line in (1, 4, 5, 6, 10)] == [1, 4, 5, 7, 11]
    assert moved(3, before, before) == 3


def test_a_line_wanted_twice_is_shown_once() -> None:
    places = [QuotedLine("a", number) for number in (1, 2, 1)]
    assert rendered({"a": ["x", "y"]}, places) == "a, 2 lines:\n     1  x\n     2  y"


def test_a_difference_tells_which_lines_of_the_files_it_shows() -> None:
    diff = "--- a/k.py\n+++ b/k.py\n@@ -4,2 +4,3 @@ def f():\n x\n+y\n z\n@@ -9 +10 @@\n-a\n+b\n"
    assert shown_by(diff) == {QuotedLine("k.py", number) for number in (4, 5, 6, 10)}


def test_a_short_file_is_shown_whole_behind_what_is_quoted_and_a_long_one_is_not() -> None:
    short, long = [f"name_{n} = {n}" for n in range(50)], [f"name_{n} = {n}" for n in range(150)]
    order = [place.line for place in in_order({"s": short}, [QuotedLine("s", 30)])]
    assert sorted(order) == list(range(1, 51))
    assert sorted(order[:7]) == list(range(27, 34))
    assert len(in_order({"l": long}, [QuotedLine("l", 30)])) < 30
