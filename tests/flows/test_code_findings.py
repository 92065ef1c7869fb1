"""What the gate says reaches whoever can act on it: equal findings once, nothing about tests that stay as they are."""

from __future__ import annotations

from pathlib import Path

from flows.code_runs import build, make_tally, replies, script

ILL_TYPED = """\
import pytest

from tally import count


def test_the_widest_gap_counts():
    assert count.widest([1, 5, 7]) == 4


def test_one_number_has_no_gap():
    assert count.widest([3]) == 0
    assert count.widest([4]) == 0
    assert count.widest([]) == 0
    with pytest.raises((TypeError, AttributeError)):
        count.widest(None)
"""
WRONG = "\n\nFIRST: int = 'one'\nSECOND: int = 'one'\n"


def test_an_honest_test_that_no_type_checker_likes_does_not_hold_up_the_code(tmp_path: Path) -> None:
    place = make_tally(tmp_path)
    rules = replies()
    rules["write_tests"]["reply"]["params"]["content"] = ILL_TYPED
    script(place, rules)
    done = build(place)
    assert (done.code, done.json["state"]) == (0, "done")
    exits = {event["stage"]: event for event in place.events("measured") if event["what"] == "exit"}
    told = {one["name"]: one["detail"] for one in exits["green"]["criteria"]}
    assert told["type_check_pass"] == "1 in files that stay as they are do not count"


def test_equal_findings_are_told_once_and_none_in_a_test_is_asked_to_be_corrected(tmp_path: Path) -> None:
    place = make_tally(tmp_path)
    rules = replies()
    rules["write_tests"]["reply"]["params"]["content"] = ILL_TYPED
    rules["write_code"]["reply"]["params"]["new"] = f"    return sum(numbers)\n{WRONG}"
    script(place, rules)
    build(place)
    (edit,) = [event for event in place.events("measured") if (event["what"], event["stage"]) == ("edit", "green")]
    assert (edit["outcome"], edit["facts"]["findings"]) == ("fail", 2)
    assert edit["facts"]["next_action"].startswith("Correct tally/count.py:9, tally/count.py:10 (types): ")
    told = place.contexts("green")[1]
    places = "tests/test_widest.py:7, tests/test_widest.py:11, tests/test_widest.py:12 and 2 more places"
    assert "- in a file that you leave as it is, so it does not count: V-" in told
    assert f" {places} types: " in told
    exits = [event for event in place.events("measured") if (event["what"], event["stage"]) == ("exit", "green")]
    failed = {one["name"]: one["detail"] for one in exits[0]["criteria"] if one["outcome"] == "fail"}
    assert "tally/count.py:9, tally/count.py:10" in failed["type_check_pass"]
    assert "tests/" not in failed["type_check_pass"]
