"""Held-back cases are read strictly, and everything wrong with them is said at once."""

from __future__ import annotations

from typing import Any

import pytest

from thoughtforge.testing.cases import HeldBackFile, check_cases, read_cases

GOOD = {"kind": "call", "criterion": "AC-1", "target": "calc:add", "args": [20, 22], "expect": 42}


def problems(*cases: dict[str, Any], criteria: tuple[str, ...] = ("AC-1",), **more: Any) -> tuple[str, ...]:
    read = read_cases([GOOD | case for case in cases])
    assert read.problems == ()
    return check_cases(read.cases, criteria, **more)


def test_a_good_case_has_no_problem() -> None:
    assert problems({}) == ()
    assert problems({"expect": None}) == ()


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ({"target": "calc"}, "case 1 (AC-1): 'calc' is not written as package.module:name"),
        ({"target": "os:system; x"}, "case 1 (AC-1): 'os:system; x' is not written as package.module:name"),
        ({"on": {"args": []}}, "case 1 (AC-1): 'None' is not written as package.module:name"),
        ({"raises": "ValueError"}, "case 1 (AC-1): expect and raises exclude each other"),
        ({"files": {"../x": ""}}, "case 1 (AC-1): the file name '../x' must stay inside its folder"),
        ({"files": {"/etc/x": ""}}, "case 1 (AC-1): the file name '/etc/x' must stay inside its folder"),
        ({"args": ["x" * 300_000]}, "case 1 (AC-1): 300"),
        ({"args": [float("nan")]}, "case 1 (AC-1): not plain JSON"),
        ({"criterion": "AC-9"}, "AC-1: no held-back case"),
    ],
)
def test_what_is_wrong_is_said(case: dict[str, Any], said: str) -> None:
    assert problems(case)[0].startswith(said)


def test_a_case_must_expect_something() -> None:
    read = read_cases([{"kind": "argv", "criterion": "AC-1", "argv": ["calc"]}])
    found = check_cases(read.cases, ["AC-1"])
    assert found == (
        "case 1 (AC-1): it expects nothing; give one of exit, stdout, stdout_contains, stdout_json, stderr_contains, "
        "writes",
    )


def test_data_that_is_no_case_is_refused_with_its_place() -> None:
    read = read_cases([{"kind": "shell", "criterion": "x"}, GOOD | {"expects": 3}, {"kind": "argv", "criterion": "x"}])
    assert read.cases == ()
    assert [problem.partition(":")[0] for problem in read.problems] == ["case 1 (x)", "case 2 (AC-1)", "case 3 (x)"]


def test_an_input_the_tests_show_is_not_held_back() -> None:
    seen = {"tests/test_calc.py": "def test():\n    assert calc.add(20, 22) == 42\n    assert add(x, 1) == 2\n"}
    assert [problem.partition(";")[0] for problem in problems({}, seen=seen)] == [
        "case 1 (AC-1): the tests call calc:add with the same input"
    ]
    assert problems({"args": [20, 23]}, seen=seen) == ()


@pytest.mark.parametrize(
    ("case", "shown"),
    [
        ({"args": [], "kwargs": {"high": 7, "low": 3}}, True),
        ({"args": [20, 22], "kwargs": {"deep": True}}, False),
        ({"args": [1], "kwargs": {"deep": True}}, True),
        ({"args": [1]}, False),
        ({"args": [1], "kwargs": {"deep": False}}, False),
        ({"args": [], "kwargs": {"low": 7, "high": 3}}, False),
    ],
)
def test_keyword_arguments_are_part_of_an_input(case: dict[str, Any], shown: bool) -> None:
    seen = {"tests/test_calc.py": "calc.add(20, 22)\ncalc.add(1, deep=True)\ncalc.add(low=3, high=7)\n"}
    assert bool(problems(case, seen=seen)) is shown


def test_a_test_file_stands_for_a_criterion_when_it_says_why() -> None:
    good = HeldBackFile("AC-2", "tests/test_held.py", "def test(): ...\n", "needs a clock")
    assert problems({}, criteria=("AC-1", "AC-2"), files=[good]) == ()
    found = problems({}, criteria=("AC-1", "AC-2"), files=[good._replace(why=" ", path="../x.py")])
    assert found == (
        "../x.py: say why AC-2 cannot be written as a case",
        "../x.py: the path must stay inside the repository",
    )
