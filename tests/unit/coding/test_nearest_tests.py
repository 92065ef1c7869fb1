"""Which tests are shown to whoever writes new ones: whole tests with their marks, long groups by their parts."""

from __future__ import annotations

from thoughtforge.coding.nearest_tests import examples_in

FILE = """\
import pytest


@pytest.mark.parametrize(
    "given",
    [
        1,
        2,
    ],
)
@pytest.mark.slow
def test_one(given):
    with given:
        assert given


LIMIT = 3


class TestMore:
    @staticmethod
    def test_two():
        pass
""".splitlines()


def blocks(lines: list[str]) -> list[tuple[list[int], list[int]]]:
    return [([*one.lines], [*one.marks]) for one in examples_in("t.py", lines)]


def test_a_test_is_whole_and_has_the_marks_above_it() -> None:
    assert blocks(FILE) == [([12, 13, 14], [*range(4, 12)]), ([20, 21, 22, 23], [])]


def test_a_long_group_is_taken_apart_and_a_long_test_is_not() -> None:
    tests = [f"    def test_{n}():\n        pass" for n in range(40)]
    group = "\n".join(["class TestAll:", *tests]).splitlines()
    long = ["def test_long():", *["    step()"] * 80]
    assert blocks(group)[:2] == [([2, 3], []), ([4, 5], [])]
    assert len(blocks(group)) == 40
    assert blocks(long) == [([*range(1, 82)], [])]
