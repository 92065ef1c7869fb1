"""What may be added at the end of a Python test file: nothing that reaches the tests above it."""

from __future__ import annotations

import pytest

from thoughtforge.languages.python.appending import wrong_addition

BASE = '''"""Books."""

import pytest

from shelf.books import count

CASES = [1, 2]


@pytest.fixture
def books(tmp_path):
    return ["a"]


def test_count(books):
    assert count(books) == len(books)


class TestShelf:
    def test_empty(self):
        assert count([]) == 0
'''
TESTS = frozenset({"tests.helpers", "helpers", "tests.conftest", "conftest"})

GOOD = [
    "def test_more(books):\n    from shelf.books import longest\n\n    assert longest(books) == 'a'\n",
    "from datetime import date\n\n\n@pytest.mark.parametrize('day', [date(2020, 1, 1), range(3)])\n"
    "def test_day(day, *, size=int('3')) -> None:\n    assert day\n",
    "from shelf import report\n\nWORDS = ('one', 'two')\n\n\nclass TestMore:\n    '''Doc.'''\n\n    size = 3\n\n"
    "    @staticmethod\n    def make():\n        return CASES\n\n    def setup_method(self):\n        self.x = 1\n",
    "@pytest.mark.parametrize('n', [pytest.param(1, id='one'), pytest.approx(2.0)])\ndef test_n(n):\n    assert n\n",
    "async def test_later():\n    globals()['x'] = 1\n",
]


@pytest.mark.parametrize("added", GOOD)
def test_tests_with_names_of_their_own_can_be_added(added: str) -> None:
    assert wrong_addition(BASE, f"\n\n{added}", TESTS) == ()


BAD = {
    "def test_count():\n    pass\n": "test_count occurs in the file already",
    "def count(books):\n    return len(books)\n": "count occurs in the file already",
    "def len(books):\n    return 1\n": "len occurs in the file already",
    "import pytest\n": "pytest occurs in the file already",
    "from shelf.fake import tally as count\n": "count occurs in the file already",
    "import pytest as p\n\n\n@p.fixture(autouse=True)\ndef quiet():\n    yield\n": "@p.fixture is not taken here",
    "from pytest import fixture as quiet\n\n\n@quiet(autouse=True)\ndef hush():\n    yield\n": "@quiet is not taken",
    "def tmp_path():\n    return 1\n": "tmp_path occurs in the file already",
    "pytestmark = 'slow'\n": "pytestmark is read by the runner",
    "pytestmark = pytest.mark.skip\n": "only tests, functions, classes, imports and constants",
    "def pytest_runtest_setup(item):\n    pass\n": "pytest_runtest_setup is read by the runner",
    "def setup_module():\n    pass\n": "setup_module is read by the runner",
    "def setUpModule():\n    pass\n": "setUpModule is read by the runner",
    "def __getattr__(name):\n    return 1\n": "__getattr__ is read by the runner",
    "count.__code__ = test_count.__code__\n": "only tests, functions, classes, imports and constants",
    "CASES.clear()\n": "only tests, functions, classes, imports and constants",
    "if True:\n    count = None\n": "only tests, functions, classes, imports and constants",
    "del test_count\n": "only tests, functions, classes, imports and constants",
    "CASES[0] = 3\n": "only tests, functions, classes, imports and constants",
    "from tests.helpers import quiet\n": "import no names of other test files",
    "from .helpers import quiet\n": "import no names of other test files",
    "from shelf import *\n": "import no names of other test files",
    "def test_x(a=globals().update(count=0)):\n    pass\n": "call globals inside the test",
    "@pytest.mark.parametrize('x', [CASES.clear()])\ndef test_x(x):\n    pass\n": "call CASES.clear inside the test",
    "import sys\n\n\ndef test_x(a=sys.setprofile(None)):\n    pass\n": "call sys.setprofile inside the test",
    "def test_x(a=(b := 3)):\n    pass\n": "no name is given a value inside an expression",
    "def test_x(a: print('x')):\n    pass\n": "call print inside the test",
    "class TestX:\n    CASES.clear()\n": "holds functions and constants only",
    "class TestX(metaclass=object):\n    pass\n": "TestX takes no keywords",
    "class TestX(setattr(pytest, 'raises', 1)):\n    pass\n": "call setattr inside the test",
    "import sys as s\n\n\ndef test_x(a=s.setprofile(None)):\n    pass\n": "call s.setprofile inside the test",
    "from os import system\n\n\ndef test_x(a=system('x')):\n    pass\n": "call system inside the test",
    "from builtins import setattr as st\n\n\ndef test_x(a=st(pytest, 'x', 1)):\n    pass\n": "call st inside the test",
    "from unittest.mock import patch\n\n\ndef test_x(a=patch('x').start()):\n    pass\n": "call patch inside the test",
    "def test_x(a=pytest.skip('x', allow_module_level=True)):\n    pass\n": "call pytest.skip inside the test",
    "x: setattr(pytest, 'raises', 1) = 1\n": "call setattr inside the test",
    "class TestX:\n    x: CASES.clear() = 1\n": "call CASES.clear inside the test",
    "def test_x(a=[0 for pytest.raises in [1]]):\n    pass\n": "pytest.raises is given no value",
    "def test_x(a=[0 for CASES[0] in [7]]):\n    pass\n": "CASES[0] is given no value",
    "def test_x():\n    global count\n    count = len\n": "count is what the tests above use",
    "class TestX:\n    def test_x(self):\n        global CASES\n        CASES = ()\n": "CASES is what the tests",
    "from shelf.odd import hook as property\n": "property keeps its meaning",
    "def test_x():\n    pass\n\n\ndef test_x():\n    pass\n": "test_x is added 2 times",
    "from __future__ import annotations\n": "cannot be read",
    "    def test_more(self):\n        pass\n": "goes on inside what stands at the end",
    "def broken(:\n": "cannot be read",
}


@pytest.mark.parametrize(("added", "why"), BAD.items())
def test_what_could_reach_the_tests_above_is_refused(added: str, why: str) -> None:
    assert why in "; ".join(wrong_addition(BASE, f"\n\n{added}", TESTS))


def test_a_mark_is_one_of_pytest() -> None:
    base = "import unittest\n\n\nclass CountTest(unittest.TestCase):\n    def test_count(self):\n        pass\n"
    marked = "\n\n@pytest.mark.anything\ndef test_more():\n    pass\n"
    assert wrong_addition(base, f"\n\nimport pytest\n{marked}", TESTS) == ()
    (why,) = wrong_addition(base, f"\n\nimport shelf.odd as pytest\n{marked}", TESTS)
    assert "pytest keeps its meaning" in why
