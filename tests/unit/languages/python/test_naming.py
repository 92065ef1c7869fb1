"""Python tests by their names and by their text."""

from __future__ import annotations

import pytest

from thoughtforge.languages.python.suite import is_python_test, names_in

TEXT = """
import unittest
from nowhere import thing

def test_plain(): ...
async def test_later(): ...
def helper(): ...

class TestGroup:
    def test_in(self): ...
    class TestDeep:
        def test_deep(self): ...

class Sums(unittest.TestCase):
    def test_sum(self): ...

class Other:
    def test_not_collected(self): ...
"""


def test_names_are_those_the_runner_would_give() -> None:
    wanted = ("test_plain", "test_later", "TestGroup::test_in", "TestGroup::TestDeep::test_deep", "Sums::test_sum")
    assert names_in("tests/test_a.py", TEXT) == tuple(f"tests/test_a.py::{name}" for name in wanted)


@pytest.mark.parametrize("text", ["def (", "x = 1\0", ""])
def test_a_text_that_cannot_be_read_has_none(text: str) -> None:
    assert names_in("test_a.py", text) == ()


@pytest.mark.parametrize(
    ("path", "test"),
    [
        ("tests/data.json", True),
        ("src/conftest.py", True),
        ("src/shelf_test.py", True),
        ("src/test_shelf.py", True),
        ("src/contest.py", False),
        ("src/testing.py", False),
        ("tests.py", False),
    ],
)
def test_tests_are_known_by_name_and_folder(path: str, test: bool) -> None:
    assert is_python_test(path) is test
