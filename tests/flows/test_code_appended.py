"""Tests that red adds to an existing file land there, and the old tests of the file stay as they were."""

from __future__ import annotations

import copy
from pathlib import Path

import yaml

from flows.code_runs import CODE, FILES, HELD, SPECIFICATION, SUITE, build, make_tally, replies, says, script
from harness import git

OLD = "tests/test_count.py"
ADDED = """\
def test_the_widest_gap_counts():
    from tally.count import widest

    assert widest([1, 5, 7]) == 4


def test_one_number_has_no_gap():
    from tally.count import widest

    assert widest([3]) == 0
"""


def test_added_tests_are_delivered_in_the_file_people_expect_them_in(tmp_path: Path) -> None:
    place = make_tally(tmp_path)
    (place.person / "spec.yaml").write_text(yaml.safe_dump({**SPECIFICATION, "files_to_create": []}))
    suite = copy.deepcopy(SUITE)
    suite["test_files"][0]["path"] = OLD
    rules = replies()
    rules["write_tests"]["reply"] |= {"tool": "append_tests", "params": {"path": OLD, "content": ADDED}}
    rules["hand_in_tests"]["when"]["context"][1] = "append_tests path="
    rules["hand_in_tests"]["reply"]["params"] = {"artifact": {**suite, "held_back": HELD}}
    script(place, rules)

    done = build(place)

    assert done.code == 0, done.out + done.err
    branch = f"thoughtforge/{place.task}"
    assert git("show", f"{branch}:{OLD}", cwd=place.repository) == f"{FILES[OLD]}\n\n{ADDED}"
    report = yaml.safe_load((place.folder / "artifacts" / "deliver" / "delivery_report_final.yaml").read_text())
    assert report["results"] == {"passed": 3, "failed": 0, "skipped": 0}
    assert [row["status"] for row in report["requirements"]] == ["delivered"]


def test_red_is_shown_the_test_that_is_most_like_what_is_asked_for(tmp_path: Path) -> None:
    others = "".join(f"\n\ndef test_numbers_work_{n}():\n    assert total([{n}]) == {n}\n" for n in range(80))
    told = "\n\ndef test_other_words():\n    # fewer numbers between them\n    pass\n"
    wanted = '\n\ndef test_there_is_no_widest():\n    assert not hasattr(tally.count, "widest")\n'
    text = f"import tally\nfrom tally.count import total\n{others}{told}{wanted}{others.replace('work', 'hold')}"
    place = make_tally(tmp_path, {OLD: text})
    rules = replies()
    rules["write_tests"]["reply"] |= {"tool": "escalate_question", "params": {"question": "Why?", "impact": "blocking"}}
    script(place, rules)
    build(place)
    context = place.contexts("red")[0]
    assert "test_there_is_no_widest" in context
    assert "    1  import tally" in context


def test_red_is_shown_tests_by_their_topic_with_their_rows_and_the_code_under_test(tmp_path: Path) -> None:
    rows = "".join(f"        ([{n}, {n + 4}], {n}),\n" for n in range(30))
    marks = f'@pytest.mark.parametrize(\n    ("numbers", "gap"),\n    [\n{rows}    ],\n)\n'
    test = "def test_neighbours(numbers, gap):\n    assert gap is not None\n"
    gaps = f"import pytest\nimport tally.count\n\n\n{marks}{test}"
    code = f'"""Sums."""\n\nNEIGHBOURS = 2\n{FILES["tally/count.py"].partition(chr(10))[2]}'
    place = make_tally(tmp_path, {"tests/test_gaps.py": gaps, "tally/count.py": code, "setup.cfg": "[tool:pytest]\n"})
    rules = replies()
    rules["write_tests"]["reply"] |= {"tool": "escalate_question", "params": {"question": "Why?", "impact": "blocking"}}
    script(place, rules)
    build(place)
    context = place.contexts("red")[0]
    assert "tests/ (2 test files)" in context
    assert "./ (1 test file)" not in context
    shown = context.partition("### the nearest tests there are already")[2].partition("</data")[0]
    assert "def test_neighbours(numbers, gap):\n" in shown
    assert "([29, 33], 29)," in shown
    under = context.partition("### the code under test")[2].partition("</data")[0]
    assert "NEIGHBOURS = 2" in under


QUIET = """\
import pytest


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    monkeypatch.setattr("tally.count.total", lambda numbers: 7)
"""


def test_a_new_file_of_fixtures_hides_no_loss_from_the_old_tests(tmp_path: Path) -> None:
    text = "from tally import count\n\n\ndef test_the_sum():\n    assert count.total([1, 2, 4]) == 7\n"
    place = make_tally(tmp_path, {OLD: text})
    rules = replies()
    tests = rules.pop("write_tests")
    tests["when"]["context"][1] = "create_file path=tests/conftest.py"
    handed = rules.pop("hand_in_tests")
    handed["when"]["context"][1] = "create_file path=tests/test_widest.py"
    fixtures = says("red", "create_file", {"path": "tests/conftest.py", "content": QUIET})
    rules["write_code"]["reply"]["params"]["new"] = f"    return sum(numbers) + 1\n{CODE}"
    script(place, {"handed": handed, "tests": tests, "fixtures": fixtures, **rules})
    build(place, "--max-steps", "12")
    exits = [e for e in place.events("measured") if e["what"] == "exit" and e["stage"] == "green"]
    failed = {c["name"]: c["detail"] for c in exits[0]["criteria"] if c["outcome"] == "fail"}
    assert f"{OLD}::test_the_sum passed before and now failed" in failed["no_regressions"]
