"""Every honest test fails once its expectations are changed; a forged one goes on passing and is named."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from suite_runs import run_tests, write
from thoughtforge.testing import report as result
from thoughtforge.testing.proofs import change_all, judge
from thoughtforge.testing.report import SuiteReport

PATH = "tests/test_calc.py"
PRODUCT = """class Oops(ValueError):
    pass

def add(a, b):
    return a + b

def fail():
    raise Oops("no")

def pair():
    return (1, 2)

def nothing():
    return None

async def later():
    return 7
"""
HONEST = '''"""Honest tests of every kind."""

from __future__ import annotations

import asyncio
import unittest
import warnings
from unittest import mock

import pytest
from calc import Oops, add, fail, later, nothing, pair

CASES = [(1, 2, 3), (2, 2, 4)]


def check(a, b, c):
    assert add(a, b) == c


def indirect(c):
    check(1, 1, c)


def test_literal():
    assert add(1, 2) == 3


def test_literal_first():
    assert -3 == add(-1, -2)


def test_text_over_lines():
    assert add("a", "é") == (
        "a"
        "é"  # the end
    )


def test_bytes_float_bool_none():
    assert add(b"a", b"b") == b"ab"


def test_float():
    assert add(0.5, 0.5) == 1.0


def test_zero_float():
    assert add(0.0, 0.0) == 0.0


def test_true():
    assert (add(1, 1) == 2) is True


def test_none():
    assert nothing() is None


def test_none_equal():
    assert nothing() == None


def test_approx():
    assert add(0.1, 0.2) == pytest.approx(0.3)


def test_approx_of_many():
    assert [add(0.1, 0.2)] == pytest.approx([0.3])


def test_approx_with_tolerance():
    assert add(100, 0) == pytest.approx(99, abs=5)


def test_list():
    assert [add(1, 1)] == [
        2,  # two
    ]


def test_empty():
    assert add([], []) == []


def test_tuple_and_dict_and_set():
    assert {"a": pair()} == {"a": (1, 2)}


def test_set():
    assert {*pair()} == {1, 2}


def test_name():
    expected = 3
    assert add(1, 2) == expected


def test_f_string():
    assert add("a", "b") == f"{'a'}b"


def test_and():
    assert add(1, 1) == 2 and isinstance(add(1, 1), int)


def test_or():
    assert add(1, 1) == 1 or add(1, 1) == 2


def test_chain():
    assert 0 < add(1, 1) < 5


def test_equal_chain():
    assert add(1, 1) == add(2, 0) == 2


def test_bare():
    assert add(1, 1)


def test_not():
    assert not add(0, 0)


def test_in():
    assert "b" in add("a", "bc")


def test_in_several():
    assert add(1, 1) in (2, 3)


def test_not_in_and_unequal():
    assert 5 not in pair()
    assert add(1, 1) != 3


def test_raises():
    with pytest.raises(Oops, match="no"):
        fail()


def test_raises_and_more():
    with pytest.raises(ValueError) as caught:
        fail()
    assert caught.value.args == ("no",)


def test_warns():
    with pytest.warns(DeprecationWarning):
        warnings.warn("old", DeprecationWarning)


def test_loop():
    for a, b, c in CASES:
        assert add(a, b) == c


def test_with_and_try():
    try:
        with warnings.catch_warnings():
            assert add(1, 1) == 2
    finally:
        pass


def test_only_bare_when_the_value_is_not_reached():
    assert isinstance(add(1, 1), int)
    if add(1, 1) == 5:
        assert add(1, 1) == 5


def test_through_a_function():
    check(1, 2, 3)


def test_through_two_functions():
    indirect(2)


def test_through_a_function_inside():
    def inner():
        assert add(1, 1) == 2

    inner()


def test_a_call_was_made():
    called = mock.Mock()
    called(1)
    called.assert_called_once_with(1)


def test_a_call_was_made_at_all():
    called = mock.Mock()
    called()
    called.assert_called()


@pytest.mark.parametrize(("a", "b", "c"), [(1, 2, 3), ("a", "b", "ab"), ([1], [2], [1, 2]), (1.5, 1, 2.5)])
def test_parameters(a, b, c):
    assert add(a, b) == c


def test_asynchronous():
    async def whole():
        assert await later() == 7

    asyncio.run(whole())


class TestInAClass:
    def test_method(self):
        assert pair() == (1, 2)


class TestCase(unittest.TestCase):
    def check(self, value):
        self.assertEqual(value, 2)

    def test_equal(self):
        self.assertEqual(add(1, 1), 2)

    def test_equal_first(self):
        self.assertEqual(2, add(1, 1))

    def test_almost(self):
        self.assertAlmostEqual(add(100, 1), 100, delta=5)

    def test_counts(self):
        self.assertCountEqual([2, 1], list(pair()))

    def test_true(self):
        self.assertTrue(add(1, 1) == 2)

    def test_false(self):
        self.assertFalse(add(0, 0))

    def test_in(self):
        self.assertIn("a", add("a", "b"))

    def test_in_number(self):
        self.assertIn(add(0, 1), pair())

    def test_none(self):
        self.assertIsNone(nothing())

    def test_less(self):
        self.assertLess(add(1, 1), 3)

    def test_raises(self):
        with self.assertRaises(Oops):
            fail()

    def test_raises_call(self):
        self.assertRaisesRegex(Oops, "no", fail)

    def test_through_a_method(self):
        self.check(add(1, 1))

    def test_sub(self):
        for number in (1, 2):
            with self.subTest(number=number):
                self.assertEqual(add(number, 0), number)
'''


def test_every_honest_test_fails_and_keeps_its_id(tmp_path: Path) -> None:
    as_written = run_tests(write(tmp_path / "a", {"calc.py": PRODUCT, PATH: HONEST}), tmp_path / "runs")
    passed = [result.id for result in as_written.results.values() if result.outcome == "passed"]
    assert (as_written.broken, sorted(as_written.results)) == ("", sorted(passed))
    changed = change_all({PATH: HONEST})[PATH]
    assert changed.tests_without == ()
    report = run_tests(write(tmp_path / "b", {"calc.py": PRODUCT, PATH: changed.text}), tmp_path / "runs")
    assert report.broken == ""
    assert report.collected == as_written.collected
    assert judge(report, passed) == ()
    assert len(passed) == 58


FORGED = {
    "equals everything": (
        "class Any:\n    def __eq__(self, other):\n        return True\n\ndef add(a, b):\n    return Any()\n"
    ),
    "reads the expected value where it is called": (
        "import ast, linecache, sys\n\n"
        "def add(a, b):\n"
        "    frame = sys._getframe(1)\n"
        "    line = linecache.getline(frame.f_code.co_filename, frame.f_lineno)\n"
        "    return ast.literal_eval(line.partition('==')[2].strip() or '1')\n"
    ),
}


@pytest.mark.parametrize("cheat", FORGED)
def test_a_forged_value_is_found_out(tmp_path: Path, cheat: str) -> None:
    test = "from calc import add\n\ndef test_add():\n    assert add(1, 2) is not None\n    assert add(1, 2) == 3\n"
    before = run_tests(write(tmp_path / "a", {"calc.py": FORGED[cheat], PATH: test}), tmp_path / "runs")
    ids = tuple(before.results)
    assert [result.outcome for result in before.results.values()] == ["passed"]
    changed = change_all({PATH: test})[PATH].text
    after = run_tests(write(tmp_path / "b", {"calc.py": FORGED[cheat], PATH: changed}), tmp_path / "runs")
    assert judge(after, ids) == ids == (f"{PATH}::test_add",)


def test_tests_that_assert_nothing_the_engine_knows_are_named() -> None:
    text = (
        "def look(x):\n    print(x)\n\n"
        "def test_runs():\n    look(1)\n\n"
        "def test_constant():\n    assert True\n\n"
        "def test_unknown():\n    assert_that(1).is_one()\n\n"
        "def test_swallowed():\n    try:\n        assert 1 == 1\n    except AssertionError:\n        pass\n\n"
        "class TestX:\n    def test_method(self):\n        self.x = 1\n\n"
        "def test_good():\n    assert 1 == 1\n"
    )
    names = ("test_runs", "test_constant", "test_unknown", "test_swallowed", "TestX::test_method")
    assert change_all({"t.py": text})["t.py"].tests_without == tuple(f"t.py::{name}" for name in names)


def test_functions_of_another_file_assert_for_its_tests() -> None:
    files = {
        "tests/asserting.py": "def check(x):\n    assert x == 1\n\ndef unused(x):\n    assert x == 2\n",
        "tests/test_a.py": "from asserting import check\n\ndef test_a():\n    check(1)\n",
    }
    made = change_all(files)
    assert made["tests/test_a.py"] == (files["tests/test_a.py"], (), ())
    assert "assert x == 2\n" in made["tests/asserting.py"].text
    assert "def check(x):\n    assert x == 2\n\ndef unused" in made["tests/asserting.py"].text


def test_what_is_only_turned_round_does_not_hide_a_changed_value() -> None:
    text = "def test():\n    assert isinstance(f(), int)\n    assert f() == 3\n    if f():\n        assert f()\n"
    assert change_all({"t.py": text})["t.py"].text.endswith(
        "def test():\n    assert isinstance(f(), int)\n    assert f() == 4\n    if f():\n        assert f()\n"
    )


def test_parameters_and_fixtures_stay_as_they_are() -> None:
    text = (
        "import pytest\n\n@pytest.fixture\ndef x():\n    assert 1 == 1\n    return 1\n\n"
        "@pytest.mark.parametrize('e', [pytest.raises(ValueError)])\ndef test(e, x):\n    assert x == 1\n"
    )
    assert change_all({"t.py": text})["t.py"].text.endswith(
        text.partition("import pytest\n")[2].replace("x == 1\n", "x == 2\n")
    )


def test_a_file_with_windows_lines_and_a_mark_at_its_start_is_read() -> None:
    text = "\ufeff'''Doc.'''\r\ndef test():\r\n    assert f() == 'ü'\r\n"
    changed = change_all({"t.py": text})["t.py"].text
    assert changed.endswith("def test():\n    assert f() == 'ü (changed)'\n")
    assert ast.get_docstring(ast.parse(changed)) == "Doc."


def test_whatever_did_not_fail_is_forged() -> None:
    results = {
        name: result.TestResult(name, outcome) for name, outcome in (("a", "failed"), ("b", "passed"), ("c", "skipped"))
    }
    assert judge(SuiteReport(results=results), ("a", "b", "c", "d")) == ("b", "c", "d")


def test_a_test_that_expects_no_value_is_weak() -> None:
    text = (
        "def test_called():\n    assert callable(f)\n\ndef test_there():\n    assert f() is not None\n\n"
        "def test_value():\n    assert f() == 3\n\ndef helper():\n    assert f() == 4\n\n"
        "def test_helped():\n    helper()\n"
    )
    made = change_all({"t.py": text})["t.py"]
    assert (made.tests_without, made.tests_weak) == ((), ("t.py::test_called", "t.py::test_there"))
