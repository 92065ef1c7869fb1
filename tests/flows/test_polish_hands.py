"""Many hands in one polish loop: an agent that reaches too far, a person who edits meanwhile, files put back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from flows.test_think_code import CALM, CALM_TESTS, CODE_INTENT, CODE_PROPOSAL, GOOD, TESTS, WISH, building, change
from flows.test_think_code import FINDING as SHOUTS
from flows.thoughts import FINDING, SECTIONS, Garden, Rule, agreed, built, make_garden, plan_text, review
from harness.environments import warm
from harness.place import ended, until

TESTED = {"total": 2, "passed": 2, "failed": 0}
REVIEW, RECHECK = {"context": "form of plan_review"}, {"context": "form of recheck"}
CRITICAL = {**FINDING, "severity": "critical"}
MINOR = {**FINDING, "severity": "minor", "title": "Comma", "description": "A comma is missing in the last sentence."}
FIX = {"when": {"context": "form of plan_fix"}, "reply": {"document": plan_text(steps_plan="Ann waters them.")}}
FIXED: Rule = {"when": RECHECK, "reply": {"fixed": ["F-001"], "still": []}}
STILL: Rule = {"when": RECHECK, "reply": {"fixed": [], "still": ["F-001"]}}
WORDS = tuple(chr(letter) * 7 for letter in range(ord("a"), ord("n")))


@pytest.fixture
def garden(tmp_path: Path) -> Garden:
    """A fresh place outside any repository."""
    found = make_garden(tmp_path)
    found.home.mkdir(parents=True)
    warm(found.home)
    return found


def code(garden: Garden, *more: Rule, files: dict[str, str] | None = None, **config: Any) -> None:
    """Two files of code that pass, then whatever is given."""
    made = change(greeter=GOOD, tests__test_greeter=TESTS, **(files or {}))
    garden.script(*agreed(CODE_INTENT, CODE_PROPOSAL), {"when": building(), "reply": made}, *more, **config)


def reviewed(*findings: dict[str, Any], context: str = "", **more: Any) -> Rule:
    """A review of code."""
    return {"when": {"context": ["form of code_review", context]}, "reply": review(*findings, tests=TESTED), **more}


def fixes(*removed: str, **files: str) -> Rule:
    """A fix of code."""
    return {"when": {"context": "form of code_change"}, "reply": {**change(**files), "removed": list(removed)}}


def other(number: int) -> dict[str, Any]:
    """A critical point that is like no other."""
    words = {"title": WORDS[number], "description": f"{WORDS[number]} " * 3}
    return {**SHOUTS, **words, "location": "greeter.py:3"}


def python_files(garden: Garden) -> list[str]:
    """The code that lies there."""
    return sorted(str(path.relative_to(garden.project)) for path in garden.project.rglob("*.py"))


def polishing(garden: Garden) -> list[dict[str, Any]]:
    """The calls of the loop so far; none while there is no record."""
    try:
        return [event for event in garden.events("call_started") if event["stage"] == "polish"]
    except (ValueError, FileNotFoundError):
        return []


def edited_after(garden: Garden, calls: int, words: str) -> dict[str, Any]:
    """A run in which a person adds a line to the plan while that call is under way."""
    running = garden.spawn("think", garden.note(), "--json")
    until(lambda: len(polishing(garden)) >= calls, "the call")
    with (garden.project / "docs" / "plan.md").open("a") as plan:
        plan.write(f"\n{words}\n")
    told: dict[str, Any] = ended(running).json
    return told


@pytest.mark.parametrize("path", ["{victim}", "../../../../../private.txt", "./docs/intent.md", "./.git/config"])
def test_a_fix_reaches_nothing_outside_the_code(garden: Garden, path: str) -> None:
    victim, private = garden.folder / "victim.txt", garden.person / "private.txt"
    victim.write_text("mine")
    private.write_text("secret")
    reach = fixes(path.format(victim=victim), greeter=CALM, tests__test_greeter=CALM_TESTS)
    code(garden, reviewed(SHOUTS), reach, STILL)
    assert garden.json("think", garden.note(WISH))["phase"] == "halted"
    kept = (victim, private, garden.project / "docs" / "intent.md", garden.project / ".git" / "config")
    assert [file.is_file() for file in kept] == [True] * 4
    assert (garden.project / "greeter.py").read_text() == GOOD


@pytest.mark.parametrize("path", ["theirs/notes.py", "tests", "greeter.py/more.py"])
def test_a_fix_follows_no_link_and_takes_no_folder_for_a_file(garden: Garden, path: str) -> None:
    outside = garden.folder / "outside"
    outside.mkdir()
    reach = fixes(greeter=CALM, tests__test_greeter=CALM_TESTS)
    reach["reply"]["files"].append({"path": path, "content": "x = 1\n"})
    code(garden, {**reviewed(SHOUTS), "delay": 2}, reach, STILL)
    running = garden.spawn("think", garden.note(WISH), "--json")
    until(lambda: polishing(garden), "the review")
    (garden.project / "theirs").symlink_to(outside)
    told = ended(running).json
    assert (told["phase"], told["halt_reason"]) == ("halted", "fix_rejected")
    assert list(outside.iterdir()) == []
    assert (garden.project / "greeter.py").read_text() == GOOD


@pytest.mark.parametrize("tests", ["", "from greeter import greet\n\n\ndef test_ac_1():\n    assert greet('A')\n"])
def test_code_that_lost_tests_is_not_done(garden: Garden, tests: str) -> None:
    lost = fixes(greeter=CALM, tests__test_greeter=tests) if tests else fixes("tests/test_greeter.py", greeter=CALM)
    code(garden, reviewed(SHOUTS, context="Hello, .*!"), reviewed(), lost, FIXED, polish={"max_iterations": 4})
    told = garden.json("think", garden.note(WISH))
    assert (told["phase"], told["detail"].split(":")[0]) == ("halted", "max_iterations")
    assert garden.view("polish_state.json")["tests_passed"] is False
    assert "AC-2: no collected test that passes carries this id" in garden.contexts("polish")[-1]


def test_what_is_edited_during_a_review_is_reviewed_before_it_is_done(garden: Garden) -> None:
    slow = {"when": {**REVIEW, "not": "NINE MILLION"}, "reply": review(MINOR), "delay": 3}
    garden.script(*agreed(), *built(), slow, {"when": REVIEW, "reply": review(MINOR)})
    told = edited_after(garden, 1, "It may cost NINE MILLION.")
    assert (told["phase"], garden.log()[:3]) == ("done", ["Review 1", "Edits by a person", "Plan"])
    assert "NINE MILLION" in garden.git("show", f"{told['polished']['commit']}:docs/plan.md")
    assert ["NINE MILLION" in context for context in garden.contexts("polish")] == [False, True]
    assert "review 1 begins again: the text was edited" in told["warnings"]


def test_what_is_edited_during_a_fix_is_kept_and_fixed_too(garden: Garden) -> None:
    garden.script(
        *agreed(),
        *built(),
        {"when": {**REVIEW, "not": "Ann waters"}, "reply": review(CRITICAL)},
        {"when": {"context": ["form of plan_fix", "MINT TOO"]}, "reply": {"document": mint()}},
        {**FIX, "delay": 3},
        {"when": REVIEW, "reply": review()},
        FIXED,
    )
    told = edited_after(garden, 2, "MINT TOO")
    assert (told["phase"], garden.log()[2:5]) == ("done", ["Fix 1", "Edits by a person", "Review 1"])
    assert "MINT TOO" in garden.doc("plan.md")
    assert "Ann waters" in garden.doc("plan.md")


def mint() -> str:
    """The fixed plan with the person's line."""
    return plan_text(steps_plan="Ann waters them.") + "\nMINT TOO\n"


@pytest.mark.parametrize("removes", [False, True])
def test_an_iteration_is_put_back_with_exactly_its_files(garden: Garden, removes: bool) -> None:
    worse = fixes("helper.py", greeter=CALM, tests__test_greeter=CALM_TESTS) if removes else None
    worse = worse or fixes(greeter=CALM, tests__test_greeter=CALM_TESTS, extra='"""Extra."""\n')
    one, many = reviewed(other(0), times=1), reviewed(*map(other, range(1, 13)))
    files = {"helper": '"""Helps."""\n'}
    code(garden, one, many, worse, STILL, files=files, polish={"patience": 1})
    told = garden.json("think", garden.note(WISH))
    assert (told["phase"], "It was put back." in told["detail"]) == ("halted", True), told
    assert python_files(garden) == ["greeter.py", "helper.py", "tests/test_greeter.py"]
    assert (garden.project / "greeter.py").read_text() == GOOD


def test_a_person_puts_an_iteration_back_and_loses_nothing_of_their_own(garden: Garden) -> None:
    worse = fixes("helper.py", greeter=CALM, tests__test_greeter=CALM_TESTS, extra='"""Extra."""\n')
    one, two = reviewed(other(0), times=1), reviewed(other(1), other(2))
    files = {"helper": '"""Helps."""\n'}
    code(garden, one, two, worse, STILL, files=files, polish={"max_iterations": 2})
    garden.json("think", garden.note(WISH))
    (garden.project / "docs" / "constraints.md").write_text("My own constraints.\n")
    (garden.project / "greeter.py").write_text(f"{CALM}# mine\n")
    assert garden.run("polish", "restore", "last").code == 0
    assert python_files(garden) == ["greeter.py", "helper.py", "tests/test_greeter.py"]
    assert (garden.project / "greeter.py").read_text() == GOOD
    assert garden.doc("constraints.md") == "My own constraints.\n"
    assert garden.log()[:2] == ["Back to iteration 1", "Edits by a person"]
    assert "# mine" in garden.git("show", "HEAD~1:greeter.py")


def test_what_was_critical_before_a_halt_is_not_forgotten_after_it(garden: Garden) -> None:
    garden.script(*agreed(), *built(), {"when": REVIEW, "reply": review(CRITICAL)}, STILL, FIX, polish=most(2))
    assert garden.json("think", garden.note())["halt_reason"] == "max_iterations"
    garden.script({"when": REVIEW, "reply": review(MINOR)}, FIXED, FIX, polish=most(9))
    assert garden.json("resume", "last")["phase"] == "done"
    found = [(event["iteration"], event["outcome"]) for event in garden.events("polish_reviewed")]
    assert found == [(1, "continue"), (2, "halt"), (3, "continue"), (4, "done")]


def most(reviews: int) -> dict[str, int]:
    """The ceiling."""
    return {"max_iterations": reviews}


def test_a_plan_of_which_only_a_part_was_seen_does_not_meet_the_thresholds(garden: Garden) -> None:
    herbs = "basil thyme mint parsley water soil pot sun shade rain " * 60
    columns = ("objective", "plan", "assessment")
    long = [
        {
            "when": {"context": f"{name}_objective, {name}_plan"},
            "reply": {"stuck": False, "content": {f"{name}_{column}": f"{name} {herbs}" for column in columns}},
        }
        for name in SECTIONS
    ]
    garden.script(*agreed(), *long, {"when": REVIEW, "reply": review(MINOR)}, think={"context_tokens": 3_000})
    told = garden.json("think", garden.note())
    assert told["polished"] is None or told["polished"]["outcome"] == "plateau", told
    assert "the review saw only part of: plan" in told["warnings"]
    first = json.loads((garden.record / "blobs" / garden.events("polish_reviewed")[0]["review"]).read_text())
    assert first["full"] is False


def test_a_fixer_sees_every_file_whole_that_fits(garden: Garden) -> None:
    big = "\n".join(f"value {number}" for number in range(1_400)) + "\nTHE LAST LINE\n"
    wide = {**SHOUTS, "location": "big.txt:3, greeter.py:11, tests/test_greeter.py"}
    made = change(greeter=GOOD, tests__test_greeter=TESTS)
    made["files"].append({"path": "big.txt", "content": big})
    garden.script(
        *agreed(CODE_INTENT, CODE_PROPOSAL),
        {"when": building(), "reply": made},
        reviewed(wide, context="Hello, .*!"),
        reviewed(),
        fixes(greeter=CALM, tests__test_greeter=CALM_TESTS),
        FIXED,
    )
    told = garden.json("think", garden.note(WISH))
    assert told["phase"] == "done"
    (context,) = [one for one in garden.contexts("polish") if "findings to fix" in one]
    assert "THE LAST LINE" in context
    assert not [warning for warning in told["warnings"] if "saw only part" in warning]


def test_a_recheck_nobody_can_read_leaves_the_texts_to_speak(garden: Garden) -> None:
    unreadable: Rule = {"when": RECHECK, "malformed": True}
    garden.script(*agreed(), *built(), {"when": REVIEW, "reply": review(FINDING, MINOR)}, unreadable, FIX)
    told = garden.json("think", garden.note())
    assert told["phase"] == "done", told


def test_a_point_that_is_reported_word_for_word_survives_whatever_is_said_of_it(garden: Garden) -> None:
    points = [{**FINDING, "title": word, "description": f"{word} " * 3} for word in WORDS[:4]]
    every: Rule = {"when": RECHECK, "reply": {"fixed": [f"F-{n:03}" for n in range(1, 60)], "still": []}}
    garden.script(*agreed(), *built(), {"when": REVIEW, "reply": review(*points)}, every, FIX, polish={"patience": 30})
    told = garden.json("think", garden.note())
    assert (told["phase"], told["detail"].split(":")[0]) == ("halted", "survivor")
    assert len(garden.events("polish_reviewed")) == 5
