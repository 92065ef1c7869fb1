"""read_file shows numbered lines and explains what it cannot show."""

import pytest

from thoughtforge.code.tool_context import ToolResult
from thoughtforge.kernel.errors import UserError
from thoughtforge.tools import read_file

FILES = {"a.py": "one\ntwo\nthree\n", "pic.png": b"\x89PNG\0", "empty": "", "old.txt": b"na\xefve\n"}


def test_a_file_is_shown_with_line_numbers(use):
    assert use(read_file, {"path": "a.py"}, FILES) == ToolResult(
        True,
        "read a.py, lines 1 to 3 of 3",
        "a.py, lines 1 to 3 of 3:\n     1  one\n     2  two\n     3  three",
    )


def test_a_range_of_lines_is_cut_out(use):
    result = use(read_file, {"path": "a.py", "start_line": 2, "end_line": 9}, FILES)
    assert result.output == "a.py, lines 2 to 3 of 3:\n     2  two\n     3  three"


@pytest.mark.parametrize("lines", [{"start_line": 4}, {"start_line": 3, "end_line": 2}])
def test_lines_that_are_not_there_are_an_error_that_says_which_are(use, lines):
    result = use(read_file, {"path": "a.py", **lines}, FILES)
    assert (result.ok, result.summary.partition(";")[0]) == (False, "a.py has lines 1 to 3")


def test_binary_and_empty_files_are_explained(use):
    results = [use(read_file, {"path": path}, FILES | {"x": path}) for path in ("pic.png", "empty")]
    assert results == [
        ToolResult(True, *["pic.png is a binary file of 5 bytes, not shown."] * 2),
        ToolResult(True, *["empty is empty."] * 2),
    ]


def test_a_note_comes_before_the_text(use):
    assert use(read_file, {"path": "old.txt"}, FILES).output == (
        "old.txt is not UTF-8: undecodable bytes are shown as \ufffd.\nold.txt, lines 1 to 1 of 1:\n     1  na\ufffdve"
    )


def test_lines_from_the_part_left_out_of_a_large_file_are_an_error_and_those_of_its_end_are_not(use):
    big = {"big.txt": "".join(f"{number}\n" for number in range(1, 300_001))}
    hidden = use(read_file, {"path": "big.txt", "start_line": 100_000, "end_line": 100_001}, big)
    note = "a large file of 1,988,895 bytes: only its beginning and end are shown"
    said = f"big.txt is {note}. Lines 100000 to 100001 are in the omitted part."
    assert hidden == ToolResult(False, said, said)
    end = use(read_file, {"path": "big.txt", "start_line": 299_999}, big | {"again": ""})
    assert end.output.splitlines()[1:] == [
        "big.txt, lines 299999 to 300000 of 300000:",
        "299999  299999",
        "300000  300000",
    ]


def test_a_file_that_is_not_there_is_a_mistake(use):
    with pytest.raises(UserError, match=r"there is no file b\.py"):
        use(read_file, {"path": "b.py"}, FILES)


def test_what_does_not_fit_is_cut_at_the_end_and_the_lines_really_shown_are_told(use):
    long = {"long.py": "".join(f"line {number}\n" for number in range(1, 51))}
    first = use(read_file, {"path": "long.py"}, long, lines=13)
    assert first.summary == "read long.py, lines 1 to 10 of 50"
    assert first.output.splitlines()[0] == "long.py, lines 1 to 10 of 50:"
    assert first.output.splitlines()[-2:] == ["    10  line 10", "[cut here: continue at line 11]"]
    rest = use(read_file, {"path": "long.py", "start_line": 41}, long | {"x": ""}, lines=13)
    assert (rest.summary, rest.output.splitlines()[-1]) == ("read long.py, lines 41 to 50 of 50", "    50  line 50")


def test_at_least_one_line_is_shown_so_that_reading_gets_on(use):
    assert use(read_file, {"path": "a.py", "start_line": 2}, FILES, lines=0).output == (
        "a.py, lines 2 to 2 of 3:\n     2  two\n[cut here: continue at line 3]"
    )
