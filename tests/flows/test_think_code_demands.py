"""What the prompts of building and fixing demand is measured: a README, tests people can run, the test of a fix."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.code_thoughts import (
    CODE_INTENT,
    CODE_PROPOSAL,
    FINDING,
    FIXED,
    GOOD,
    LISTED,
    LOUD,
    MENDED,
    TESTS,
    WISH,
    building,
    create,
    done,
    fixing,
    reviewed,
    suite_done,
    with_tests,
)
from flows.thoughts import Garden, agreed, make_garden

BELOW = "tests/test_greeter.py"
LOG_TEST = '''"""What the log holds."""

from greeter import greet


def test_the_log_names_nobody(caplog):
    caplog.set_level("INFO")
    greet("Zoe")
    assert caplog.messages == ["greeting"]
'''


@pytest.fixture
def garden(tmp_path: Path) -> Garden:
    """A fresh place outside any repository."""
    return make_garden(tmp_path)


def refused(garden: Garden, stage: str) -> list[list[str]]:
    """The conditions that did not hold, exit by exit."""
    exits = [e for e in garden.events("measured") if e["what"] == "exit" and e["stage"] == stage]
    return [[c["name"] for c in e["criteria"] if c["outcome"] == "fail"] for e in exits]


def test_a_build_brings_a_readme_and_a_set_up_and_a_critical_fix_its_test(garden: Garden) -> None:
    proposal = {**CODE_PROPOSAL, "scope": {"in": ["greetings", "a README"], "out": ["trees"]}}
    tests = with_tests(create(BELOW, TESTS), suite_done(test_files=[{"path": BELOW, "tests": LISTED}]))
    made = building(
        *(create("greeter.py", GOOD), done("greeter.py")),
        *(create("README.md", "# Greeter\n\nTest it: pytest\n"), done("greeter.py")),
        *(create("conftest.py", '"""The root of the project."""\n'), done("greeter.py")),
    )
    fault = {**FINDING, "test": "greet logs `greeting` and no name"}
    mended = fixing(*MENDED, create("tests/test_log.py", LOG_TEST), done("greeter.py"))
    garden.script(
        *(*agreed(CODE_INTENT, proposal), *tests, *made, *mended),
        *(reviewed(fault, context=LOUD), reviewed(), FIXED),
    )
    told = garden.json("think", garden.note(WISH))
    assert (told["phase"], told["exit_code"]) == ("done", 0), told
    assert refused(garden, "build") == [["readme"], ["usual_command"], []]
    assert refused(garden, "polish") == [["fix_has_its_test"], []]
    builder, fixer = garden.contexts("build"), garden.contexts("polish")
    assert "`pytest` alone, in the root of the project, ends with 2" in builder[4]
    assert "no-print-statements" in builder[0].partition("### rules the engine checks")[2]
    assert any("Test: greet logs `greeting` and no name" in one for one in fixer)
    assert any("bring one that checks: greet logs" in one for one in fixer)
