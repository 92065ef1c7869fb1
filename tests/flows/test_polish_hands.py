"""Many hands in one polish loop: an agent that reaches too far, a person who edits meanwhile, files put back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from flows.code_thoughts import FINDING as SHOUTS
from flows.code_thoughts import (
    FIXED,
    GOOD,
    LOUD,
    MENDED,
    QUIET,
    STILL,
    TEST_FILE,
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
)
from flows.thoughts import FINDING, SECTIONS, Garden, Rule, agreed, built, make_garden, plan_text, review
from harness.environments import warm
from harness.place import ended, until

REVIEW, RECHECK = {"context": "form of plan_review"}, {"context": "form of recheck"}
CRITICAL = {**FINDING, "severity": "critical"}
MINOR = {**FINDING, "severity": "minor", "title": "Comma", "description": "A comma is missing in the last sentence."}
FIX = {"when": {"context": "form of plan_fix"}, "reply": {"document": plan_text(steps_plan="Ann waters them.")}}
WORDS = tuple(chr(letter) * 7 for letter in range(ord("a"), ord("n")))


@pytest.fixture
def garden(tmp_path: Path) -> Garden:
    """A fresh place outside any repository."""
    found = make_garden(tmp_path)
    found.home.mkdir(parents=True)
    warm(found.home)
    return found


def code(garden: Garden, *more: Rule, files: dict[str, str] | None = None, **config: Any) -> None:
    """Code that passes, then whatever is given."""
    made = [create(path, text) for path, text in {"greeter.py": GOOD, **(files or {})}.items()]
    garden.script(*begun(), *building(*made, done("greeter.py")), *more, **config)


def fixes(*replies: dict[str, Any]) -> list[Rule]:
    """A fixer that does this each time it is asked, and hands in."""
    return [*fixing(*replies), always("polish", done("greeter.py"), role="fixer")]


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


@pytest.mark.parametrize("path", ["{victim}", "../../../../../private.txt", "docs/intent.md", ".git/config"])
def test_a_fix_reaches_nothing_outside_the_code(garden: Garden, path: str) -> None:
    victim, private = garden.folder / "victim.txt", garden.person / "private.txt"
    victim.write_text("mine")
    private.write_text("secret")
    reach = [act("delete_file", path=path.format(victim=victim)), create(path.format(victim=victim), "x")]
    code(garden, reviewed(SHOUTS), *fixes(*reach), STILL)
    assert garden.json("think", garden.note(WISH))["halt_reason"] == "fix_rejected"
    kept = (victim, private, garden.project / "docs" / "intent.md", garden.project / ".git" / "config")
    assert [file.is_file() for file in kept] == [True] * 4
    tried = [event for event in garden.events("action_taken") if event["stage"] == "polish"][:2]
    assert {event["outcome"] for event in tried} <= {"refused", "error"}
    assert (garden.project / "greeter.py").read_text() == GOOD


def test_a_fix_follows_no_link_of_a_person(garden: Garden) -> None:
    outside = garden.folder / "outside"
    outside.mkdir()
    code(garden, {**reviewed(SHOUTS), "delay": 2}, *fixes(create("theirs/notes.py", "x = 1\n")), STILL)
    running = garden.spawn("think", garden.note(WISH), "--json")
    until(lambda: polishing(garden), "the review")
    (garden.project / "theirs").symlink_to(outside)
    told = ended(running).json
    assert (told["phase"], told["halt_reason"]) == ("halted", "fix_rejected")
    assert (list(outside.iterdir()), (garden.project / "theirs").is_symlink()) == ([], True)
    assert (garden.project / "greeter.py").read_text() == GOOD


@pytest.mark.parametrize("loses", ["its own", "one that was there"])
def test_a_fix_that_loses_a_test_is_refused(garden: Garden, loses: str) -> None:
    own = {
        "tests/test_own.py": 'from greeter import greet\n\n\ndef test_own():\n    assert greet("Di") == "Hello, Di!"\n'
    }
    gone = "tests/test_own.py" if loses == "its own" else TEST_FILE
    code(garden, reviewed(SHOUTS), *fixes(MENDED[0], act("delete_file", path=gone)), STILL, files=own)
    told = garden.json("think", garden.note(WISH))
    if loses == "its own":
        first = garden.events("polish_fixed")[0]
        assert (first["outcome"], "test_own is gone" in first["reason"]) == ("rejected", True)
        assert told["halt_reason"] == "fix_rejected"
        assert (garden.project / "greeter.py").read_text() == GOOD
    assert sorted(path.name for path in (garden.project / "tests").iterdir()) == ["test_greeter.py", "test_own.py"]


def test_a_fix_whose_exit_does_not_hold_twice_is_refused_and_nothing_of_it_stays(garden: Garden) -> None:
    worse = edit("greeter.py", "Hello", "Bye")
    code(garden, reviewed(SHOUTS), *fixes(worse), always("polish", worse, role="fixer"), STILL)
    told = garden.json("think", garden.note(WISH))
    assert (told["halt_reason"], len(garden.events("polish_fixed"))) == ("fix_rejected", 2)
    assert (garden.project / "greeter.py").read_text() == GOOD


def test_what_a_person_edits_in_the_code_starts_a_fix_over(garden: Garden) -> None:
    slow = {**fixing(MENDED[0])[0], "delay": 3}
    code(garden, reviewed(SHOUTS, context=LOUD), reviewed(), slow, *fixing(MENDED[1], *MENDED), FIXED)
    running = garden.spawn("think", garden.note(WISH), "--json")
    until(lambda: len(polishing(garden)) >= 2, "the fix")
    with (garden.project / "greeter.py").open("a") as file:
        file.write("\n# mine\n")
    told = ended(running).json
    assert (told["phase"], garden.log()[2:5]) == ("done", ["Fix 1", "Edits by a person", "Review 1"])
    assert (garden.project / "greeter.py").read_text() == f"{QUIET}\n# mine\n"


def test_tests_a_person_changes_between_rounds_are_the_new_pins(garden: Garden) -> None:
    code(garden, reviewed(SHOUTS, context=LOUD), *fixes(*MENDED), polish={"max_iterations": 9})
    assert garden.json("think", garden.note(WISH))["halt_reason"] == "agent_failed"
    path = garden.project / TEST_FILE
    path.write_text(path.read_text().replace("test_a_stranger", "test_somebody"))
    garden.script(reviewed(), FIXED)
    assert garden.json("resume", "last")["phase"] == "done"
    assert "test_somebody" in path.read_text()


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


HELPER = {"helper.py": '"""Helps."""\n'}
WORSE = (MENDED[0], act("delete_file", path="helper.py"), create("extra.py", '"""Extra."""\n'))


def test_an_iteration_is_put_back_with_exactly_its_files(garden: Garden) -> None:
    one, many = reviewed(other(0), times=1), reviewed(*map(other, range(1, 13)))
    code(garden, one, many, *fixes(*WORSE), STILL, files=HELPER, polish={"patience": 1})
    told = garden.json("think", garden.note(WISH))
    assert (told["phase"], "It was put back." in told["detail"]) == ("halted", True), told
    assert python_files(garden) == ["greeter.py", "helper.py", "tests/test_greeter.py"]
    assert (garden.project / "greeter.py").read_text() == GOOD


def test_a_person_puts_an_iteration_back_and_loses_nothing_of_their_own(garden: Garden) -> None:
    one, two = reviewed(other(0), times=1), reviewed(other(1), other(2))
    code(garden, one, two, *fixes(*WORSE), STILL, files=HELPER, polish={"max_iterations": 2})
    garden.json("think", garden.note(WISH))
    (garden.project / "docs" / "constraints.md").write_text("My own constraints.\n")
    (garden.project / "greeter.py").write_text(f"{QUIET}# mine\n")
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


def test_a_fixer_sees_every_file_a_point_names(garden: Garden) -> None:
    wide = {**SHOUTS, "location": "greeter.py:10, tests/test_greeter.py, missing.py"}
    code(garden, reviewed(wide, context=LOUD), reviewed(), *fixes(*MENDED), FIXED)
    assert garden.json("think", garden.note(WISH))["phase"] == "done"
    context = next(one for one in garden.contexts("polish") if "findings to fix" in one)
    shown = [f"file {path}" in context for path in ("greeter.py", "tests/test_greeter.py", "missing.py")]
    assert (shown, "Referenced file not found." in context) == ([True] * 3, True)


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
