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
    kept_tests,
    reviewed,
    steps,
)
from flows.thoughts import FINDING, SECTIONS, Garden, Rule, agreed, built, fixed, make_garden, review, section
from harness.environments import warm
from harness.place import ended, until

REVIEW, RECHECK = {"context": "form of plan_review"}, {"context": "form of recheck"}
CRITICAL = {**FINDING, "severity": "critical"}
MINOR = {**FINDING, "severity": "minor", "title": "Comma", "description": "A comma is missing in the last sentence."}
FIX = {"when": {"context": "form of plan_fix"}, "reply": fixed(steps_plan="Ann waters them.")}
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
    assert python_files(garden) == ["greeter.py", "test_greeter.py", "tests/test_own.py"]


def test_a_fix_whose_exit_does_not_hold_twice_is_refused_and_nothing_of_it_stays(garden: Garden) -> None:
    worse = edit("greeter.py", "Hello", "Bye")
    code(garden, reviewed(SHOUTS), *fixes(worse), always("polish", worse, role="fixer"), STILL)
    told = garden.json("think", garden.note(WISH))
    assert (told["halt_reason"], len(garden.events("polish_fixed"))) == ("fix_rejected", 2)
    assert (garden.project / "greeter.py").read_text() == GOOD
    orders = fix_orders(garden)
    reason = garden.events("polish_fixed")[0]["reason"]
    assert ("why your last fix was refused" in orders[0], reason in orders[-1]) == (False, True)


def fix_orders(garden: Garden) -> list[str]:
    """What the fixer was shown, call by call."""
    return [context for context in garden.contexts("polish") if "findings to fix" in context]


OWN = 'from greeter import greet\n\n\ndef test_own():\n    assert greet("Di") == "Hello, Di!"\n'


def test_a_fix_that_loses_a_test_goes_back_to_its_fixer_before_any_review(garden: Garden) -> None:
    lost, mends = act("delete_file", path="tests/test_own.py"), create("tests/test_own.py", OWN)
    tries = fixing(MENDED[0], lost, done("greeter.py"), mends, done("greeter.py"))
    rules = [reviewed(SHOUTS, context=LOUD), reviewed(), *tries, FIXED]
    code(garden, *rules, files={"tests/test_own.py": OWN})
    told = garden.json("think", garden.note(WISH))
    assert told["phase"] == "done", told
    course = [
        (event["type"], event["outcome"])
        for event in garden.events()
        if event["type"] in ("polish_reviewed", "polish_fixed", "measured")
        and (event["stage"], event.get("what", "exit")) == ("polish", "exit")
    ]
    assert course[:4] == [
        ("polish_reviewed", "continue"),
        ("measured", "fail"),
        ("measured", "pass"),
        ("polish_fixed", "accepted"),
    ]
    assert "tests/test_own.py::test_own is gone" in fix_orders(garden)[3]


def test_a_fixer_sees_all_files_and_changes_none_it_has_not_seen(garden: Garden) -> None:
    unseen, patch = "helper.py", '@@ -1 +1 @@\n-"""Helps."""\n+"""Mine."""\n'
    reach = [
        act("edit_file", path=unseen, patch=patch),
        act("delete_file", path=unseen),
        act("move_file", path=unseen, to="mine.py"),
        create(unseen, '"""Mine."""\n'),
        act("read_file", path=f"./{unseen}"),
        act("edit_file", path=unseen, patch=patch),
    ]
    rules = [reviewed(SHOUTS, context=LOUD), reviewed(), *fixing(*reach, *MENDED), FIXED]
    code(garden, *rules, files={unseen: '"""Helps."""\n', "tests/test_own.py": OWN})
    told = garden.json("think", garden.note(WISH))
    assert (told["phase"], (garden.project / unseen).read_text()) == ("done", '"""Mine."""\n'), told
    tried = [event for event in garden.events("action_taken") if event["stage"] == "polish"]
    assert [event["outcome"] for event in tried[:6]] == [*["refused"] * 4, "ok", "ok"]
    refusal = f"you have not seen {unseen}; read it first with read_file, then change it"
    first, second = fix_orders(garden)[:2]
    assert (refusal in first, refusal in second) == (False, True)
    assert (unseen in first, "file tests/test_own.py" in first, "Helps" in first) == (
        True,
        True,
        False,
    )


SMALL = {"context_tokens": 8_000}
"""Room for a step that is soon full."""


def module(name: str) -> str:
    """A module too large to be shown beside seven others."""
    parts = (
        f'\n\ndef {name}_{n}(value: int) -> int:\n    """Part {n}."""\n    return value + {n}\n' for n in range(60)
    )
    return f'"""Module {name}."""\n' + "".join(parts)


def test_what_had_no_room_or_was_seen_in_part_is_not_written_anew_and_critics_use_their_room(garden: Garden) -> None:
    files = {f"mod_{letter}.py": module(letter) for letter in "abcdefgijklmnopqh"}
    wide = {**SHOUTS, "location": f"greeter.py:10, mod_g.py:250, {', '.join(files)}"}
    reach = [
        act("delete_file", path="mod_h.py"),
        act("read_file", path="mod_h.py", end_line=3),
        act("delete_file", path="mod_h.py"),
        act("move_file", path="mod_h.py", to="other.py"),
        create("other.py", '"""Mine."""\n'),
        act("delete_file", path="other.py"),
        edit("other.py", '"""Module h."""', '"""Mine."""'),
        act("move_file", path="other.py", to="mod_h.py"),
    ]
    code(
        garden,
        reviewed(wide, context=LOUD),
        reviewed(),
        *fixing(*reach, *MENDED),
        FIXED,
        files=files,
    )
    told = garden.json("think", garden.note(WISH))
    assert (told["phase"], (garden.project / "mod_h.py").read_text().splitlines()[1:]) == (
        "done",
        files["mod_h.py"].splitlines()[1:],
    ), told
    tried = [event["outcome"] for event in garden.events("action_taken") if event["stage"] == "polish"]
    assert tried[:8] == ["refused", "ok", "error", "ok", "error", "error", "ok", "ok"]
    assert "you have seen only a part of mod_h.py; read it first" in fix_orders(garden)[3]
    reviews = [
        event for event in garden.events("call_started") if event["stage"] == "polish" and event["role"] == "critic"
    ]
    assert all(event["blocks"]["other files"] > event["room"] // 2 for event in reviews[2:])


def test_of_a_file_that_is_not_shown_whole_the_fixer_sees_the_lines_of_its_point(garden: Garden) -> None:
    there = {**SHOUTS, "location": "greeter.py:10, big.py:903"}
    big = {"big.py": module("a") + module("b").partition("\n")[2] + module("c").partition("\n")[2] + module("d")}
    code(garden, reviewed(there, context=LOUD), reviewed(), *fixing(*MENDED), FIXED, files=big, think=SMALL)
    assert garden.json("think", garden.note(WISH))["phase"] == "done"
    line = big["big.py"].splitlines()[902]
    assert f"   903  {line}" in fix_orders(garden)[0]


def test_a_question_of_the_fixer_is_for_the_person_and_no_refused_fix(garden: Garden) -> None:
    ask = act("escalate_question", question="May the log say that somebody came?", impact="blocking")
    code(garden, reviewed(SHOUTS, context=LOUD), *fixing(ask))
    told = garden.json("think", garden.note(WISH))
    assert (told["phase"], told["halted_in"], told["halt_reason"]) == ("halted", "polishing", "stuck"), told
    assert told["detail"] == "May the log say that somebody came?"
    assert garden.events("polish_fixed") == []
    garden.script(*fixing(*MENDED, context=["It may, without a name."]), reviewed(), FIXED)
    told = garden.json("provide", "last", "It may, without a name.")
    assert (told["phase"], [event["outcome"] for event in garden.events("polish_fixed")]) == ("done", ["accepted"]), (
        told
    )


def test_what_was_shown_of_a_fix_goes_with_it_when_the_person_edits_while_it_asks(garden: Garden) -> None:
    ask = act("escalate_question", question="May the log say that somebody came?", impact="blocking")
    code(garden, reviewed(SHOUTS, context=LOUD), *fixing(edit("greeter.py", "Hello", "Bye"), ask))
    garden.json("think", garden.note(WISH))
    assert "your change so far; the" in fix_orders(garden)[1]
    with (garden.project / "greeter.py").open("a") as file:
        file.write("\n# mine\n")
    answer = "It may, without a name."
    wish, polite = "Ask how the person is in a comment.", "# How are you?\nlog = logging"
    garden.script(
        *fixing(*MENDED, context=["# mine"]), *fixing(edit("greeter.py", "log = logging", polite), done("greeter.py")),
        *steps("polish", kept_tests(), role="test_engineer"), reviewed(),
        {"when": {"context": "form of recheck"}, "reply": {"fixed": ["F-001", "F-002"], "still": []}},
    )  # fmt: skip
    told = garden.json("provide", "last", answer)
    assert told["phase"] == "done", told
    after = fix_orders(garden)[2]
    assert "a person changed greeter.py meanwhile; your edits were taken back, look again" in after
    assert not any(
        stale in after for stale in ("your change so far; the", "last_edit:", "how tests fail", "next_action:")
    )
    garden.json("say", "last", wish)
    points = fix_orders(garden)[-2].partition("### findings to fix")[2].partition("### ")[0]
    assert (wish in points, answer in points) == (True, False)  # an answer is no order


def test_a_critic_of_code_sees_numbered_lines_and_which_tests_fail(garden: Garden) -> None:
    code(garden)  # nobody reviews yet
    assert garden.json("think", garden.note(WISH))["halt_reason"] == "agent_failed"
    (garden.project / "greeter.py").write_text(GOOD.replace("Hello", "Bye"))
    garden.script(
        reviewed(SHOUTS, context="Bye"), reviewed(), *fixing(edit("greeter.py", "Bye", "Hello"), *MENDED), FIXED
    )
    assert garden.json("resume", "last")["phase"] == "done"
    seen = next(one for one in garden.contexts("polish") if "form of code_review" in one and "Bye" in one)
    results = seen.partition("test results")[2].partition("# greeter.py")[0]
    assert "2 total, 0 passed, 2 failed" in results
    assert "test_greeter.py::test_ac_1_greets_by_name failed: AssertionError" in results
    assert "    8  def greet(name: str) -> str:" in seen


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
        {"when": {"context": ["form of plan_fix", "MINT TOO"]}, "reply": fixed(steps_plan="Ann waters them.")},
        {**FIX, "delay": 3},
        {"when": REVIEW, "reply": review()},
        FIXED,
    )
    told = edited_after(garden, 2, "MINT TOO")
    assert (told["phase"], garden.log()[2:5]) == ("done", ["Fix 1", "Edits by a person", "Review 1"])
    assert "MINT TOO" in garden.doc("plan.md")
    assert "Ann waters" in garden.doc("plan.md")


HELPER = {"helper.py": '"""Helps."""\n'}
WORSE = (
    MENDED[0],
    act("read_file", path="helper.py"),
    act("delete_file", path="helper.py"),
    create("extra.py", '"""Extra."""\n'),
)


def test_an_iteration_is_put_back_with_exactly_its_files(garden: Garden) -> None:
    one, many = reviewed(other(0), times=1), reviewed(*map(other, range(1, 13)))
    code(garden, one, many, *fixes(*WORSE), STILL, files=HELPER, polish={"patience": 1})
    told = garden.json("think", garden.note(WISH))
    assert (told["phase"], "It was put back." in told["detail"]) == ("halted", True), told
    assert python_files(garden) == ["greeter.py", "helper.py", "test_greeter.py"]
    assert (garden.project / "greeter.py").read_text() == GOOD


def test_a_person_puts_an_iteration_back_and_loses_nothing_of_their_own(garden: Garden) -> None:
    one, two = reviewed(other(0), times=1), reviewed(other(1), other(2))
    code(garden, one, two, *fixes(*WORSE), STILL, files=HELPER, polish={"max_iterations": 2})
    garden.json("think", garden.note(WISH))
    (garden.project / "docs" / "constraints.md").write_text("My own constraints.\n")
    (garden.project / "greeter.py").write_text(f"{QUIET}# mine\n")
    assert garden.run("polish", "restore", "last").code == 0
    assert python_files(garden) == ["greeter.py", "helper.py", "test_greeter.py"]
    assert (garden.project / "greeter.py").read_text() == GOOD
    assert garden.doc("constraints.md") == "My own constraints.\n"
    assert garden.log()[:2] == ["Back to iteration 1", "Edits by a person"]
    assert "# mine" in garden.git("show", "HEAD~1:greeter.py")


def test_what_was_critical_before_a_halt_is_not_forgotten_after_it(garden: Garden) -> None:
    garden.script(*agreed(), *built(), {"when": REVIEW, "reply": review(CRITICAL)}, STILL, FIX, polish=most(2))
    assert garden.json("think", garden.note())["halt_reason"] == "max_iterations"
    with (garden.project / "docs" / "plan.md").open("a") as plan:
        plan.write("\nAnn waters them daily.\n")
    again = {**FIX, "reply": fixed(steps_plan="Bo waters them.")}
    garden.script({"when": REVIEW, "reply": review(MINOR)}, FIXED, again, polish=most(9))
    assert garden.json("resume", "last")["phase"] == "done"
    found = [(event["iteration"], event["outcome"]) for event in garden.events("polish_reviewed")]
    assert found == [(1, "continue"), (2, "halt"), (3, "continue"), (4, "done")]


def most(reviews: int) -> dict[str, int]:
    """The ceiling."""
    return {"max_iterations": reviews}


def test_a_plan_of_which_only_a_part_was_seen_does_not_meet_the_thresholds(garden: Garden) -> None:
    herbs = "basil thyme mint parsley water soil pot sun shade rain " * 60
    long = [section(name) for name in SECTIONS]
    for one in long:
        one["reply"]["content"] = {
            slot: f"{text} {herbs if 'body' in slot else ''}" for slot, text in one["reply"]["content"].items()
        }
    garden.script(*agreed(), *long, {"when": REVIEW, "reply": review(MINOR)}, think={"context_tokens": 3_000})
    told = garden.json("think", garden.note())
    assert told["polished"] is None or told["polished"]["outcome"] == "plateau", told
    assert "the review saw only part of: plan" in told["warnings"]
    first = json.loads((garden.record / "blobs" / garden.events("polish_reviewed")[0]["review"]).read_text())
    assert first["full"] is False


def test_a_fixer_sees_every_file_a_point_names(garden: Garden) -> None:
    wide = {**SHOUTS, "location": "greeter.py:10, test_greeter.py, missing.py"}
    code(garden, reviewed(wide, context=LOUD), reviewed(), *fixes(*MENDED), FIXED)
    assert garden.json("think", garden.note(WISH))["phase"] == "done"
    context = next(one for one in garden.contexts("polish") if "findings to fix" in one)
    shown = [f"file {path}" in context for path in ("greeter.py", "test_greeter.py", "missing.py")]
    assert (shown, "Referenced file not found." in context) == ([True] * 3, True)


def test_a_recheck_nobody_can_read_leaves_the_texts_to_speak(garden: Garden) -> None:
    unreadable: Rule = {"when": RECHECK, "malformed": True}
    garden.script(*agreed(), *built(), {"when": REVIEW, "reply": review(FINDING, MINOR)}, unreadable, FIX)
    told = garden.json("think", garden.note())
    assert told["phase"] == "done", told


def test_a_point_that_is_reported_word_for_word_survives_whatever_is_said_of_it(garden: Garden) -> None:
    points = [{**FINDING, "title": word, "description": f"{word} " * 3} for word in WORDS[:4]]
    every: Rule = {"when": RECHECK, "reply": {"fixed": [f"F-{n:03}" for n in range(1, 60)], "still": []}}
    mended = [{**FIX, "reply": fixed(steps_plan=f"Ann waters them, {word}."), "times": 1} for word in WORDS]
    rules = [{"when": REVIEW, "reply": review(*points)}, every, *mended]
    garden.script(*agreed(), *built(), *rules, polish={"patience": 30})
    told = garden.json("think", garden.note())
    assert (told["phase"], told["detail"].split(":")[0]) == ("halted", "survivor")
    assert len(garden.events("polish_reviewed")) == 5


SAYS_SO = "steps plan of the herbs"
"""Words of the plan that refute a point."""
ANSWERED = {"fixed": [], "still": [], "refuted": [{"id": "F-001", "quote": SAYS_SO}]}


def unfixed(garden: Garden, recheck: dict[str, Any], *found: dict[str, Any]) -> dict[str, Any]:
    """Points of one review, a fixer that hands the same plan back, and what a recheck says then."""
    first, later = {"when": REVIEW, "reply": review(*found), "times": 1}, {"when": REVIEW, "reply": review()}
    same = {**FIX, "reply": fixed()}
    garden.script(*agreed(), *built(), first, later, same, {"when": RECHECK, "reply": recheck})
    told: dict[str, Any] = garden.json("think", garden.note())
    return told


def test_an_unchanged_plan_has_fixed_nothing_whatever_a_recheck_says(garden: Garden) -> None:
    rest = [{**FINDING, "title": word, "description": f"{word} " * 3} for word in WORDS[:4]]
    every = {"fixed": [f"F-{n:03}" for n in range(1, 9)], "still": []}
    told = unfixed(garden, every, CRITICAL, *rest)
    assert (told["phase"], told["halt_reason"]) == ("halted", "fix_rejected"), told
    assert [event["reason"] for event in garden.events("polish_fixed")] == ["it changed nothing"] * 2
    assert ["why your last fix was refused" in order for order in fix_orders(garden)] == [False, True]
    second = json.loads((garden.record / "blobs" / garden.events("polish_reviewed")[1]["review"]).read_text())
    assert (len(second["findings"]), second["resolved"]) == (5, [])


def test_blank_lines_fix_nothing_in_a_plan(garden: Garden) -> None:
    blank = fixed()
    blank["sections"][0]["text"] = blank["sections"][0]["text"].replace("\n\n", "  \n\n\n") + " \n\n"
    first, later = {"when": REVIEW, "reply": review(CRITICAL), "times": 1}, {"when": REVIEW, "reply": review()}
    garden.script(*agreed(), *built(), first, later, {**FIX, "reply": blank}, FIXED)
    told = garden.json("think", garden.note())
    assert (told["phase"], told["halt_reason"]) == ("halted", "fix_rejected"), told
    assert (garden.log()[0].startswith("Review"), "Fix 1" in garden.log()) == (True, False)


def test_blank_lines_fix_nothing_in_code_and_nothing_of_them_stays(garden: Garden) -> None:
    blank = edit("greeter.py", "__name__)\n", "__name__)\n\n")
    again = fixing(blank, done("greeter.py"), done("greeter.py"))
    code(garden, reviewed(SHOUTS, context=LOUD), reviewed(), *again, *fixing(*MENDED), FIXED)
    assert garden.json("think", garden.note(WISH))["phase"] == "done"
    reasons = [event["reason"] for event in garden.events("polish_fixed")]
    assert (reasons[0], len(reasons)) == (
        "something_changed: the code says the same as before; blank lines do not count",
        2,
    )
    assert (garden.project / "greeter.py").read_text() == QUIET


@pytest.mark.parametrize("quote", ["| Objective | Plan | Assessment |", "## Money and means"])
def test_a_quotation_that_proves_nothing_refutes_nothing(garden: Garden, quote: str) -> None:
    told = unfixed(garden, {"fixed": [], "still": [], "refuted": [{"id": "F-001", "quote": quote}]}, CRITICAL)
    assert (told["phase"], told["halt_reason"]) == ("halted", "fix_rejected"), told


def test_a_recheck_of_code_sees_the_test_results(garden: Garden) -> None:
    code(garden, reviewed(SHOUTS, context=LOUD), reviewed(), *fixing(*MENDED), FIXED)
    assert garden.json("think", garden.note(WISH))["phase"] == "done"
    (asked,) = [one for one in garden.contexts("polish") if "form of recheck" in one]
    assert "2 total, 2 passed, 0 failed" in asked


def test_a_point_that_was_set_aside_is_not_offered_to_be_fixed(garden: Garden) -> None:
    nowhere = {**MINOR, "location": "No such heading"}
    garden.script(*agreed(), *built(), {"when": REVIEW, "reply": review(nowhere)}, STILL, FIX)
    told = garden.json("think", garden.note())
    assert (told["phase"], "has it fixed" in told["message"]) == ("done", False)
    assert told["polished"]["open"] == ["F-001 minor: Comma (No such heading)"]


def test_a_point_refuted_twice_running_no_longer_counts(garden: Garden) -> None:
    told = unfixed(garden, ANSWERED, CRITICAL)
    assert (told["phase"], told["polished"]["open"]) == ("done", []), told
    found = [json.loads((garden.record / "blobs" / e["review"]).read_text()) for e in garden.events("polish_reviewed")]
    assert [one["refuted"] for one in found] == [[], ["F-001"], [], []]
    assert [len(one["findings"]) for one in found] == [1, 1, 0, 0]
    assert len(garden.events("polish_fixed")) == 1  # what is refuted is given to no fixer
    assert f"F-001 is refuted by “{SAYS_SO}”" in garden.doc("polish_log.md")
