"""Done is not final: words for a finished thought, or `continue`, open a further round with everything on record."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.code_thoughts import (
    CODE_INTENT,
    CODE_PROPOSAL,
    HELD_BACK,
    TEST_FILE,
    act,
    always,
    done,
    edit,
    fixing,
    kept_tests,
    rules,
    steps,
)
from flows.code_thoughts import WISH as CODE
from flows.thoughts import FINDING, Garden, Rule, agreed, built, fixed, make_garden, review

WISH = "Say in Steps who buys the pots."
PARTY = "We want a street party. About 60 guests, the fire brigade said. Is the hall free? It must end at ten."
MADE = "Bo buys the pots, Ann waters them."


@pytest.fixture
def garden(tmp_path: Path) -> Garden:
    """A fresh place outside any repository."""
    return make_garden(tmp_path)


def polished() -> list[Rule]:
    """One critical point until Ann waters the herbs; every process says the same."""
    critical = {**FINDING, "severity": "critical"}
    return [
        {"when": {"context": "form of plan_review", "not": "waters them"}, "reply": review(critical)},
        asked("plan_review", reply=review()),
        asked("plan_fix", reply=fixed(steps_plan="Ann waters them.")),
        asked("recheck", reply={"fixed": ["F-001"], "still": []}),
    ]


def asked(form: str, *texts: str, reply: object) -> Rule:
    """The reply to a request for this form that holds these texts."""
    return {"when": {"context": [f"form of {form}", *texts]}, "reply": reply}


WISHED = [
    asked("plan_fix", WISH, reply=fixed(steps_plan=MADE)),
    asked("recheck", WISH, reply={"fixed": ["F-002"], "still": []}),
]


def test_words_for_a_finished_plan_change_it_and_the_version_before_is_kept(garden: Garden) -> None:
    garden.script(*WISHED, *agreed(), *built(), *polished())
    first = garden.json("think", garden.note())
    assert (first["phase"], first["exit_code"]) == ("done", 0)
    assert first["next_action"].endswith(f"change it: thoughtforge say {garden.task} TEXT | continue {garden.task}")
    before = garden.doc("plan.md")
    assert garden.run("inspect", "last").out.startswith(before)
    again = garden.json("say", "last", WISH)
    assert (again["phase"], again["exit_code"]) == ("done", 0)
    assert MADE in garden.doc("plan.md")
    kept = first["polished"]["commit"]
    assert garden.git("show", f"{kept}:docs/plan.md") == before
    assert f"Changed since the version before: {WISH} That version is kept: " in again["message"]
    assert f"show {kept[:12]}." in again["message"]
    assert again["polished"]["commit"] != kept
    assert garden.log()[:4] == ["Review 6", "Review 5", "Fix 4", "Review 4"]
    assert "— Done at iteration 3, reopened by human" in garden.doc("polish_log.md")
    (pressed,) = [one for one in garden.events("action_asked") if one["action"] == "reopen"]
    assert pressed["text"] == WISH
    assert [one["code"] for one in garden.events("said") if one["code"] == "done"] == ["done", "done"]
    refused = garden.run("polish", "restore", "last", "1")
    assert (refused.code, f"what you asked for: {WISH}" in refused.err) == (2, True)
    assert MADE in garden.doc("plan.md")


def test_what_a_person_asked_for_is_never_done_while_a_review_says_it_is_not(garden: Garden) -> None:
    still = asked("recheck", WISH, reply={"fixed": [], "still": ["F-002"]})
    garden.script(still, *agreed(), *built(), *polished())
    garden.json("think", garden.note())
    again = garden.json("say", "last", WISH)
    assert (again["phase"], again["exit_code"]) == ("halted", 1)
    assert any(WISH in line for line in again["halted"]["failed"])
    accepted = garden.json("override", "last", "--yes")
    assert (accepted["phase"], accepted["polished"]["outcome"]) == ("done", "accepted_by_person")


def test_continue_fixes_what_was_left_open_and_a_terminated_thought_stays_as_it_is(garden: Garden) -> None:
    minor = {**FINDING, "severity": "minor"}
    small = {"when": {"context": "form of plan_review", "not": "Ann waters"}, "reply": review(minor)}
    recheck = asked("recheck", reply={"fixed": ["F-001"], "still": []})
    clean = asked("plan_review", reply=review())
    garden.script(small, clean, recheck, asked("plan_fix", reply=fixed(steps_plan="Ann waters.")), *agreed(), *built())
    first = garden.json("think", garden.note())
    assert first["polished"]["counts"] == {"critical": 0, "medium": 0, "minor": 1}
    offer = f"1 point is open: thoughtforge continue {garden.task} has it fixed and reviewed once more."
    whole = (
        "No fixer has seen yet:\n- F-001 minor: Watering: Nobody says who waters the herbs. (Steps) → Name a person."
    )
    assert first["message"].endswith(f"{offer} {whole}")
    again = garden.json("continue", "last")
    assert (again["phase"], again["polished"]["counts"]["minor"]) == ("done", 0)
    assert "Ann waters." in garden.doc("plan.md")
    assert "Changed since the version before: Watering." in again["message"]
    assert garden.json("terminate", "last", "--yes")["exit_code"] == 2  # it is done
    garden.json("feedback", "last", WISH)
    assert garden.json("terminate", "last", "--yes")["halt_reason"] == "human_terminated"
    refused = garden.json("say", "last", WISH)
    assert (refused["exit_code"], refused["error"]["what"].partition(";")[0]) == (2, "say does not fit here")
    assert garden.json("continue", "last")["exit_code"] == 2


def test_a_wish_the_person_has_met_by_hand_is_done_when_the_review_says_so(garden: Garden) -> None:
    garden.script(*WISHED, *agreed(), *built(), *polished())
    garden.json("think", garden.note())
    plan = garden.project / "docs" / "plan.md"
    plan.write_text(plan.read_text().replace("Ann waters them.", MADE))
    again = garden.json("say", "last", WISH)
    assert [one["outcome"] for one in garden.events("polish_fixed")] == ["accepted", "rejected"]
    assert (again["phase"], again["exit_code"]) == ("done", 0), again


def test_a_plan_by_rules_is_made_anew_with_the_answers(garden: Garden) -> None:
    first = garden.json("think", garden.note(PARTY), "--yes")
    assert (first["phase"], first["exit_code"]) == ("done", 3)
    before = garden.git("rev-parse", "HEAD").strip()
    form = Path(first["form"])
    form.write_text(form.read_text().replace("done?\n\n>", "done?\n\n> on 12 June"))
    again = garden.json("say", "last", "--file", str(form))
    assert again["phase"] == "done"
    assert "12 June" in garden.doc("plan.md")
    assert [one["id"] for one in again["questions"]] == [one["id"] for one in first["questions"][1:]]
    assert garden.log()[:3] == ["Plan", "Specification and constraints", "Intent"]
    assert "12 June" not in garden.git("show", f"{before}:docs/plan.md")
    more = garden.json("say", "last", "Actually, make that 80 guests.")
    assert more["phase"] == "done"
    assert "80 guests" in garden.doc("plan.md")
    assert "12 June" in garden.doc("plan.md")
    assert garden.json("continue", "last")["phase"] == "done"


def test_a_wish_overrules_what_was_confirmed_and_everybody_is_told_what_it_may_concern(garden: Garden) -> None:
    wish = "One more option after all: greet by clock with --time."
    polite = "# By the clock.\nlog = logging"
    change = [
        always(
            "polish", edit("greeter.py", "log = logging", polite), shows=wish, lacks=r"edited greeter\.py", role="fixer"
        ),
        asked("recheck", wish, reply={"fixed": ["F-002"], "still": []}),
    ]
    proposal = {**CODE_PROPOSAL, "scope": {"in": ["greetings"], "out": ["further options", "colours"]}}
    garden.script(*change, *agreed(CODE_INTENT, proposal), *rules())
    garden.json("think", garden.note(CODE))
    again = garden.json("say", "last", wish)
    assert (again["phase"], again["exit_code"]) == ("done", 0), again
    may = f"- {wish}\n  - It may concern: out of scope: further options\n"
    for name in ("spec.md", "constraints.md"):
        assert garden.doc(name).count(may) == 1, garden.doc(name)
    later = [one for one in garden.contexts("polish") if wish in one]
    for form in ("findings to fix", "form of code_review"):
        context = next(one for one in later if form in one)
        assert may.strip() in context.partition("### asked for by the person later")[2].partition("\n### ")[0]
        assert "file greeter.py" in context or "# greeter.py" in context
        assert context.count("It may concern: out of scope: further options") == 1


def test_words_for_finished_code_go_through_the_fixer_and_every_measurement(garden: Garden) -> None:
    wish, polite = "Ask how the person is in a comment.", "# How are you?\nlog = logging"
    change = [
        always(
            "polish", edit("greeter.py", "log = logging", polite), shows=wish, lacks=r"edited greeter\.py", role="fixer"
        ),
        asked("recheck", wish, reply={"fixed": ["F-002"], "still": []}),
    ]
    garden.script(*change, *rules())
    first = garden.json("think", garden.note(CODE))
    assert (first["phase"], first["exit_code"]) == ("done", 0)
    again = garden.json("say", "last", wish)
    assert (again["phase"], again["exit_code"]) == ("done", 0), again
    assert polite in (garden.project / "greeter.py").read_text()
    assert [one["commit"] for one in garden.events("polish_tests")] == [""]
    assert [one["commit"] for one in garden.events("polish_tests")] == [""]
    assert garden.log()[:4] == ["Review 6", "Review 5", "Fix 4", "Review 4"]
    assert garden.git("show", f"{first['polished']['commit']}:greeter.py").count("How are you") == 0
    assert garden.view("polish_state.json")["tests_passed"] is True


HI = "Say Hi instead of Hello."
NOW_HI = [{**case, "args": ["Cy"], "expect": "Hi, Cy!"} for case in HELD_BACK[:1]]
NOW_HI += [{**HELD_BACK[1], "kwargs": {"name": ""}, "expect": "Hi, stranger!"}]
GONE = [{"name": name, "why": "It says Hello."} for name in ("H-1", "H-2")]


def hi() -> list[Rule]:
    """What the test engineer and the fixer do about it."""
    tests = [
        act("edit_file", path=TEST_FILE, old="Hello,", new="Hi,", all=True),
        kept_tests(reason="Both say Hello.", held_back=NOW_HI, dropped=GONE),
    ]
    return [
        *steps("polish", *tests, role="test_engineer"),
        *fixing(edit("greeter.py", "Hello", "Hi"), done("greeter.py"), context=[HI]),
        asked("recheck", HI, reply={"fixed": ["F-002"], "still": []}),
    ]


def test_a_wish_that_given_tests_contradict_changes_these_first_and_then_the_code(garden: Garden) -> None:
    garden.script(*hi(), *rules())
    garden.json("think", garden.note(CODE))
    again = garden.json("say", "last", HI)
    assert (again["phase"], again["exit_code"]) == ("done", 0), again
    assert garden.log()[:5] == ["Review 6", "Review 5", "Fix 4", "Tests 4", "Review 4"]
    assert "Hi," in (garden.project / "greeter.py").read_text()
    assert "Hello" not in (garden.project / TEST_FILE).read_text()
    (changed,) = garden.events("polish_tests")
    assert changed["reason"] == f"changed {TEST_FILE}; dropped H-1, H-2; Both say Hello."
    engineer = [one for one in garden.contexts("polish") if "cases that are held back" in one]
    assert all(part in engineer[0] for part in (HI, "Hello, Bo!", 'assert greet("Ann") == "Hello, Ann!"'))
    fixer = [one for one in garden.contexts("polish") if "### findings to fix" in one and HI in one]
    assert 'assert greet("Ann") == "Hi, Ann!"' in fixer[0]
    assert not any("Hi, Cy" in one or "Hello, Bo" in one for one in fixer)


def test_held_back_cases_that_contradict_a_wish_are_the_persons_to_rule_on(garden: Garden) -> None:
    edited = act("edit_file", path=TEST_FILE, old="Hello,", new="Hi,", all=True)
    change = [*steps("polish", edited, kept_tests(reason="Both say Hello."), role="test_engineer"), *hi()[2:]]
    garden.script(*change, always("polish", done("greeter.py"), role="fixer", shows=HI), *rules())
    garden.json("think", garden.note(CODE))
    told = garden.json("say", "last", HI)
    assert (told["phase"], told["halted_in"], told["halt_reason"]) == ("halted", "polishing", "held_back"), told
    assert all(part in told["message"] for part in ("H-1 of AC-1", "Hello, Bo!", "drop H-1"))
    assert garden.run("provide", "last", "drop H-9").code == 2
    made = garden.json("provide", "last", "drop all")
    assert (made["phase"], made["exit_code"]) == ("done", 0), made
    assert [one["outcome"] for one in garden.events("polish_fixed")] == ["accepted", "accepted"]
