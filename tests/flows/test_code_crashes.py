"""A request about a crash: tests that meet the reported error, and tests that meet another one, wait for the code."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import yaml

from flows.code_runs import SPECIFICATION, SUITE, build, make_tally, replies, script

FIRST = '''"""Sums."""


def total(numbers: list[int]) -> int:
    """The sum."""
    return sum(numbers)


def first(numbers: list[int]) -> int:
    """The first number."""
    return numbers[0]
'''
TESTS = """\
import pytest

from tally.count import first


def test_the_first_of_nothing_is_0():
    assert first([]) == 0


def test_what_is_no_list_is_refused():
    with pytest.raises(ValueError, match="no list"):
        first(None)
"""
MENDED = """    if not isinstance(numbers, list):
        raise ValueError("no list")
    return numbers[0] if numbers else 0
"""
CRITERIA = ["first([]) is 0 and no IndexError.", "first(None) raises ValueError."]
HELD = [
    {"criterion": "REQ-001.1", "kind": "call", "target": "tally.count:first", "kwargs": {"numbers": []}, "expect": 0},
    {"criterion": "REQ-001.2", "kind": "call", "target": "tally.count:first", "args": [{}], "raises": "ValueError"},
]


def test_a_crash_is_tested_as_it_is_reported(tmp_path: Path) -> None:
    place = make_tally(tmp_path, {"tally/count.py": FIRST})
    specification: dict[str, Any] = copy.deepcopy(SPECIFICATION)
    specification["requirements"][0] |= {"description": "first never crashes.", "acceptance_criteria": CRITERIA}
    (place.person / "spec.yaml").write_text(yaml.safe_dump(specification))
    suite = copy.deepcopy(SUITE)
    names = ("test_the_first_of_nothing_is_0", "test_what_is_no_list_is_refused")
    for test, name in zip(suite["test_files"][0]["tests"], names, strict=True):
        test["name"] = name
    rules = replies()
    rules["write_tests"]["reply"]["params"]["content"] = TESTS
    rules["hand_in_tests"]["reply"]["params"] = {"artifact": {**suite, "held_back": HELD}}
    rules["write_code"]["reply"]["params"] |= {"old": "    return numbers[0]\n", "new": MENDED}
    script(place, rules)

    done = build(place)

    assert done.code == 0, done.out + done.err
    assert "2 fail as they must, 0 do not fail, 0 broken" in place.contexts("red")[1]
