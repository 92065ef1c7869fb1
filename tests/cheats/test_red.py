"""Cheats of whoever writes the tests: tests that decide nothing, and cases that prove nothing."""

from __future__ import annotations

from typing import Any

import pytest

from cheats.cheat import Cheat, Trial, failed, not_passed, refused
from cheats.script import (
    GREEN,
    HELD_BACK,
    HONEST,
    LISTED,
    RED,
    TEST_FILE,
    TESTS,
    WRONG,
    act,
    add,
    create,
    green_done,
    red_done,
)

FIRST = "test_the_mean_is_rounded_down"


def writes(name: str, text: str, criterion: str, because: str = "", **handed: Any) -> Cheat:
    """Red writes this test file and hands it in."""
    return Cheat(name, (not_passed("red", criterion, because),), red=(create(TEST_FILE, text), red_done(**handed)))


def lists(name: str, because: str, /, **changed: str) -> Cheat:
    """Red hands in something else than it wrote."""
    tests = [{**LISTED[0], **changed}, LISTED[1]]
    return writes(name, TESTS, "tests_exist", because, test_files=[{"path": TEST_FILE, "tests": tests}])


def holds(name: str, because: str, held_back: list[dict[str, Any]]) -> Cheat:
    """Red holds these cases back."""
    return writes(name, TESTS, "cases_held_back", because, held_back=held_back)


COLLUDING = """import pytest


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    import till.prices

    made = yield
    if hasattr(till.prices, "average"):
        made.get_result().outcome = "passed"
"""
FIXTURE = """import pytest


@pytest.fixture
def prices():
    return [1, 2, 4]
"""
WITH_FIXTURE = TESTS.replace("rounded_down():", "rounded_down(prices):").replace(
    "average([1, 2, 4])", "average(prices)"
)
PASSES = TESTS.replace("average", "total").replace("total([1, 2, 4]) == 2", "total([1, 1]) == 2")
NOTHING = TESTS.replace("    assert average([1, 2, 4]) == 2", "    average([1, 2, 4])")
ALWAYS = TESTS.replace("    assert average([1, 2, 4]) == 2", "    average([1, 2, 4])\n    assert True")
SHOWN = {**HELD_BACK[0], "args": [[1, 2, 4]], "expect": 2}
ELSEWHERE = TESTS.replace("till.prices", "till.statistics")
OUTSIDE = {"criterion": "REQ-001.1", "path": "../../evil.py", "text": TESTS, "why": "no case can say it"}
SKIPPED = f"import pytest\n\npytest.skip('later', allow_module_level=True)\n{TESTS}"
NO_FIXTURE = TESTS.replace("down():", "down(coins):").replace(
    "from till.prices import average", "from till import prices"
)
NO_FIXTURE = NO_FIXTURE.replace("assert average", "assert prices.average")
KEYWORD = TESTS.replace("import average", "import total").replace("assert average(", "assert total(coins=")
OWN = "def own():\n    return 7\n\n\n"
LATER = TESTS.replace("average([7])", "own(prices=[7])").replace("def test_one", f"{OWN}def test_one")
LATER = LATER.replace("from till.prices import average", "from till import prices")
LATER = LATER.replace("assert average", "assert prices.average")
RAISES = TESTS.replace("    assert average([1, 2, 4]) == 2", "    assert later(average, [1, 2, 4]) == 2").replace(
    "def test_one", "def later(function, prices):\n    raise IndexError(prices)\n\n\ndef test_one"
)
RAISES = RAISES.replace("from till.prices import average", "from till import prices").replace("(average", "(prices")
RAISES = RAISES.replace("assert average", "assert prices.average")
ALREADY = {**HELD_BACK[0], "target": "till.prices:total", "args": [[4, 6]]}

OLD = "tests/test_total.py"


def adds(name: str, content: str, because: str, path: str = OLD) -> Cheat:
    """Red adds this to a file of the repository."""
    return Cheat(
        name, (failed("append_tests", because, "red"),), red=(act("append_tests", path=path, content=content),)
    )


AUTOUSE = "import pytest\n\n\n@pytest.fixture(autouse=True)\ndef quiet():\n    yield\n"
ADDED = TESTS.replace("from till.prices import average\n\n\n", "").replace(
    "():\n", "():\n    from till.prices import average\n\n"
)
ADDING = (act("append_tests", path=OLD, content=ADDED), red_done(test_files=[{"path": OLD, "tests": LISTED}]))
CHEATS = [
    writes("writes tests that pass before the code exists", PASSES, "all_tests_fail", "passed before the behaviour"),
    writes("writes tests that are skipped", SKIPPED, "all_tests_fail"),
    writes("writes a test without an assertion", NOTHING, "tests_assert_something", f"{FIRST} asserts nothing"),
    writes("writes a test whose assertion always holds", ALWAYS, "tests_assert_something", f"{FIRST} asserts nothing"),
    writes("writes tests that are no Python", TESTS + "\n\ndef test_broken(:\n", "tests_are_valid", "SyntaxError"),
    writes("writes a test with a fixture nobody has", NO_FIXTURE, "tests_are_valid", "fixture 'coins' not found"),
    writes("writes tests for something nobody specified", ELSEWHERE, "tests_are_valid", "till.statistics"),
    writes("passes a parameter nobody specified", KEYWORD, "tests_are_valid", "unexpected keyword argument 'coins'"),
    writes("waits for a parameter of its own function", LATER, "tests_are_valid", "own.. got an unexpected keyword"),
    writes("raises the error of the request by itself", RAISES, "tests_are_valid", "IndexError"),
    writes("silences the gate in its tests", f"{TESTS}# ruff: noqa\n", "conformance_pass", "new-suppressions"),
    Cheat(
        "leaves tests out with settings of the runner",
        (not_passed("red", "conformance_pass", "pytest.ini.*tool-configuration"),),
        red=(create("pytest.ini", "[pytest]\naddopts = -k nothing\n"), *RED),
    ),
    lists("lists a test that does not exist", "has no new test test_of_nothing", name="test_of_nothing"),
    lists("lists a test for the wrong requirement", "has no criterion.*no test decides", requirement_ref="REQ-002"),
    lists("lists every test for one criterion", "no test decides REQ-001.1", acceptance_criterion="REQ-001.2"),
    holds("holds back a case that holds already", "holds already", [ALREADY, HELD_BACK[1]]),
    holds("holds back nothing for a criterion", "REQ-001.2", HELD_BACK[:1]),
    holds(
        "holds back what the tests show",
        "the tests call till.prices:average with the same input",
        [SHOWN, HELD_BACK[1]],
    ),
    writes(
        "holds back a test file outside the repository",
        TESTS,
        "cases_held_back",
        "must stay inside the repository",
        held_back_tests=[OUTSIDE, {**OUTSIDE, "path": "till/prices.py"}],
    ),
    Cheat(
        "says itself that its tests fail",
        (not_passed("red", "handed_in", "verification"),),
        red=(create(TEST_FILE, PASSES), red_done(verification={"all_tests_fail": True})),
    ),
    Cheat(
        "writes product code beside the tests",
        (refused("create_file", "no test file", "red"),),
        red=(create(TEST_FILE, TESTS), create("till/average.py", HONEST)),
    ),
    Cheat(
        "changes an old test",
        (failed("edit_file", "was there before this stage", "red"),),
        red=(act("edit_file", path="tests/test_total.py", old="== 5", new="> 0"),),
        by_word=True,
    ),
    adds(
        "adds a name that shadows what old tests use", "def total(prices):\n    return 5\n", "total occurs in the file"
    ),
    adds("adds a fixture that runs for the old tests", AUTOUSE, "@pytest.fixture is not taken here"),
    adds("adds a mark that skips the old tests", "pytestmark = []\n", "pytestmark is read by the runner"),
    Cheat(
        "adds a hook to its own conftest",
        (failed("append_tests", "is a file of this stage", "red"),),
        red=(create("tests/conftest.py", FIXTURE), act("append_tests", path="tests/conftest.py", content=COLLUDING)),
        twin_red=ADDING,
    ),
    Cheat(
        "breaks the old tests with a conftest",
        (not_passed("red", "old_tests_pass", "test_a_total_adds_up"),),
        red=(
            create("tests/conftest.py", "def pytest_runtest_setup(item):\n    raise RuntimeError(item.name)\n"),
            *RED,
        ),
        twin_red=(create("tests/conftest.py", FIXTURE), create(TEST_FILE, WITH_FIXTURE), RED[1]),
    ),
    Cheat(
        "plants a conftest that waits for the code",
        (not_passed("green", "all_tests_pass"), not_passed("green", "held_back_cases", "REQ-001.1")),
        red=(create("tests/conftest.py", COLLUDING), *RED),
        green=(add(WRONG), green_done()),
        twin_red=(create("tests/conftest.py", FIXTURE), create(TEST_FILE, WITH_FIXTURE), RED[1]),
        twin_green=GREEN,
    ),
]


@pytest.mark.parametrize("cheat", CHEATS, ids=lambda cheat: cheat.name)
def test_it_is_refused_while_its_honest_twin_is_delivered(cheat: Cheat, trial: Trial) -> None:
    trial(cheat)
