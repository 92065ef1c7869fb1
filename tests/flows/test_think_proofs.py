"""What a thought's code is proved by: tests that expect something, and a set-up that is the builder's at first."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from flows.code_thoughts import (
    BUILT,
    CODE_INTENT,
    CODE_PROPOSAL,
    FINDING,
    GOOD,
    HELD_BACK,
    LISTED,
    LOUD,
    MENDED,
    TEST_FILE,
    TESTS,
    WISH,
    act,
    always,
    begun,
    building,
    create,
    done,
    edit,
    fixing,
    reviewed,
    steps,
    suite_done,
    with_tests,
)
from flows.thoughts import Garden, agreed, make_garden

NOTHING = '''"""Greets people, one day."""


def main(*args: str) -> None:
    """Does nothing yet, in so many words as are needed."""
'''
CALLABLE = """from greeter import main


def test_ac_1_greets_by_name():
    assert callable(main)


def test_a_stranger():
    # AC-2
    assert main is not None
"""


OWN = """from greeter import greet


def test_own():
    assert greet("Di") == "Hello, Di!"
"""
UNTYPED = '''"""What the tests share."""

import pytest


@pytest.fixture
def name() -> int:
    """A name."""
    return "Ann"
'''


@pytest.fixture
def garden(tmp_path: Path) -> Garden:
    """A fresh place outside any repository."""
    return make_garden(tmp_path)


def test_a_lazy_test_engineer_is_sent_back(garden: Garden) -> None:
    cases = [{**case, "target": "greeter:main"} for case in HELD_BACK]
    lazy = with_tests(create(TEST_FILE, CALLABLE), suite_done(held_back=cases))
    gives_up = always("tests", act("escalate_question", question="What else?", impact="blocking"))
    garden.script(*agreed(CODE_INTENT, CODE_PROPOSAL), *lazy, gives_up, reviewed())
    told = garden.json("think", garden.note(WISH))
    assert (told["phase"], told["halted_in"], told["halt_reason"]) == ("halted", "building", "stuck")
    exits = [event for event in garden.events("measured") if event["what"] == "exit"]
    (weak,) = [c for c in exits[0]["criteria"] if c["name"] == "tests_assert_something"]
    assert (weak["outcome"], weak["detail"].count("expects a value")) == ("fail", 2)


def test_a_program_that_does_nothing_is_not_saved_by_tests_of_its_author(garden: Garden) -> None:
    own = create("tests/test_own.py", CALLABLE)
    garden.script(*begun(), *building(create("greeter.py", NOTHING), own), always("build", done()), reviewed())
    told = garden.json("think", garden.note(WISH))
    assert (told["phase"], told["halt_reason"]) == ("halted", "stuck")
    assert "Code" not in garden.log()


def told_of(garden: Garden, name: str, *, stage: str) -> list[tuple[str, str]]:
    """How one condition stood at each exit of a stage."""
    exits = [e for e in garden.events("measured") if e["what"] == "exit" and e["stage"] == stage]
    return [(c["outcome"], c["detail"]) for e in exits for c in e["criteria"] if c["name"] == name]


def test_held_back_cases_answer_no_questions_while_something_else_fails(garden: Garden) -> None:
    asks = [
        reply
        for number in range(5)
        for reply in (create("tests/test_own.py", f"def test_try_{number}():\n    assert {number} < 0\n"), done())
    ]
    garden.script(*begun(), *building(create("greeter.py", GOOD), *asks), always("build", done()), reviewed())
    garden.json("think", garden.note(WISH))
    answers = told_of(garden, "held_back_cases", stage="build")
    assert len(answers) >= 5
    assert set(answers) == {("not_run", "tried once everything else holds")}


KNOWN = """return "Hello, Ann!" if name else "Hello, stranger!\""""


def test_held_back_cases_stay_when_a_person_moves_the_given_tests(garden: Garden) -> None:
    garden.script(*begun(), *building(create("greeter.py", GOOD), done("greeter.py")))  # nobody reviews yet
    assert garden.json("think", garden.note(WISH))["phase"] == "halted"
    garden.git("mv", TEST_FILE, "test_welcome.py")
    garden.git("-c", "user.name=P", "-c", "user.email=p@example.org", "commit", "-qm", "Move the tests")
    worse = [edit("greeter.py", """return f"Hello, {name or 'stranger'}!\"""", KNOWN), done("greeter.py")]
    garden.script(*fixing(*worse), always("polish", done("greeter.py"), role="fixer"), reviewed(FINDING))
    told = garden.json("resume", "last")
    assert (told["phase"], "Fix 1" in garden.log()) == ("halted", False)
    assert told_of(garden, "held_back_cases", stage="polish")[0][0] == "fail"


def test_a_test_that_one_fix_adds_is_not_lost_in_the_next(garden: Garden) -> None:
    first = fixing(create("tests/test_own.py", OWN), *MENDED)
    second = fixing(edit("greeter.py", '"greeting"', '"hello"'), done("greeter.py"))
    again = {**FINDING, "title": "The log says greeting"}
    garden.script(
        *(*begun(), *building(*BUILT), *first, *second),
        *(reviewed(FINDING, context=LOUD), reviewed(again, times=1), reviewed()),
        {"when": {"context": "form of recheck"}, "reply": {"fixed": ["F-001", "F-002"], "still": []}},
    )
    told = garden.json("think", garden.note(WISH))
    assert (told["phase"], "Fix 1" in garden.log(), "Fix 2" in garden.log()) == ("done", True, True), told
    outcomes = [outcome for outcome, _ in told_of(garden, "no_regressions", stage="polish")]
    assert outcomes == ["pass", "pass"]


def test_a_builder_is_not_held_to_types_in_the_support_of_the_given_tests(garden: Garden) -> None:
    wrote = [create("tests/conftest.py", UNTYPED), create(TEST_FILE, TESTS), suite_done()]
    garden.script(*agreed(CODE_INTENT, CODE_PROPOSAL), *with_tests(*wrote), *building(*BUILT), reviewed())
    told = garden.json("think", garden.note(WISH))
    assert (told["phase"], told["exit_code"]) == ("done", 0), told


def older(garden: Garden) -> None:
    """A thought as it was begun before tests were written first: its pipeline has no such stage."""
    import yaml

    from thoughtforge.catalog import LIBRARY

    folder = garden.person / ".config" / "thoughtforge" / "pipelines"
    folder.mkdir(parents=True)
    data = yaml.safe_load((LIBRARY / "pipelines" / "think.yaml").read_text())
    data["stages"] = [stage for stage in data["stages"] if stage["name"] != "tests"]
    (folder / "think.yaml").write_text(yaml.safe_dump(data))


@pytest.mark.parametrize("lazy", [True, False])
def test_without_a_test_engineer_a_criterion_needs_a_test_that_expects_a_value(garden: Garden, lazy: bool) -> None:
    older(garden)
    code, tests = (NOTHING, CALLABLE) if lazy else (GOOD, TESTS)
    made = building(create("greeter.py", code), create(TEST_FILE, tests))
    garden.script(*agreed(CODE_INTENT, CODE_PROPOSAL), *made, always("build", done()), reviewed())
    told = garden.json("think", garden.note(WISH))
    assert told["phase"] == ("halted" if lazy else "done"), told
    assert ("Tests" in garden.log(), "Code" in garden.log()) == (False, not lazy)


SETTINGS = """[project]
name = "greeter"
version = "1"

[tool.pytest.ini_options]
testpaths = ["tests"]
pythonpath = ["."]
markers = ["slow"]
"""
MARKED = """import pytest

from greeter import greet


@pytest.mark.slow
def test_own():
    assert greet("Di") == "Hello, Di!"
"""


def test_a_thought_brings_its_own_settings_of_pytest(garden: Garden) -> None:
    made = building(create("pyproject.toml", SETTINGS), create("greeter.py", GOOD), create("tests/test_own.py", MARKED))
    garden.script(*begun(), *made, always("build", done("greeter.py")), reviewed())
    told = garden.json("think", garden.note(WISH))
    assert (told["phase"], told["exit_code"]) == ("done", 0), told
    assert (garden.project / "pyproject.toml").read_text() == SETTINGS


JS_TESTS = """import test from "node:test";
import assert from "node:assert/strict";
import { greet } from "../greeter.js";

test("AC-1 greets by name", () => {
  assert.equal(greet("Ann"), "Hello, Ann!");
});

test("AC-2 greets a stranger", () => {
  assert.equal(greet(""), "Hello, stranger!");
});
"""
JS = """// Greets people: in code from elsewhere, and on the command line.
import { argv } from "node:process";
import { fileURLToPath } from "node:url";

export function greet(name) {
  return `Hello, ${name || "stranger"}!`;
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  console.log(greet(argv[2] ?? ""));
}
"""
PACKAGE = {"name": "greeter", "version": "1.0.0", "type": "module", "scripts": {"test": "node --test tests/"}}


def javascript(tests: str, path: str) -> list[dict[str, Any]]:
    """What the test engineer does in a project that is to become JavaScript."""
    names = ("AC-1 greets by name", "AC-2 greets a stranger")
    rows = [{**row, "name": name} for row, name in zip(LISTED, names, strict=True)]
    cases = [
        {
            "criterion": "AC-1",
            "kind": "argv",
            "argv": ["node", "{root}/greeter.js", "Bo"],
            "stdout": "Hello, Bo!\n",
            "exit": 0,
        },
        {
            "criterion": "AC-2",
            "kind": "argv",
            "argv": ["node", "{root}/greeter.js"],
            "stdout": "Hello, stranger!\n",
            "exit": 0,
        },
    ]
    faces = [{"name": "greeter.js:greet", "signature": "greet(name)", "purpose": "greets"}]
    suite = {"test_files": [{"path": path, "tests": rows}], "interface": faces, "held_back": cases}
    return steps("tests", create(path, tests), act("complete", artifact=suite))


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_a_thought_becomes_javascript_tested_by_node(garden: Garden) -> None:
    proposal = {**CODE_PROPOSAL, "language": "JavaScript"}
    made = building(create("package.json", json.dumps(PACKAGE, indent=2) + "\n"), create("greeter.js", JS))
    tests = javascript(JS_TESTS, "tests/greeter.test.js")
    garden.script(*agreed(CODE_INTENT, proposal), *tests, *made, always("build", done("greeter.js")), reviewed())
    told = garden.json("think", garden.note(WISH))
    assert (told["phase"], told["exit_code"]) == ("done", 0), told
    red = next(event for event in garden.events("measured") if event["what"] == "exit")
    outcomes = {c["name"]: c["outcome"] for c in red["criteria"]}
    assert (outcomes["all_tests_fail"], outcomes["tests_exist"], outcomes["cases_held_back"]) == (
        "not_run",
        "pass",
        "pass",
    )
