"""A small change costs a small run: what belongs together is handed in at once, and nothing is measured less."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest

from flows.code_runs import (
    ANALYSIS,
    ASKED,
    CODE,
    INTAKE,
    NOTES,
    SPECIFICATION,
    make_tally,
    replies,
    says,
    script,
)
from harness import git
from harness.place import Place, Rule
from harness.scripted import CLEAN_REVIEW

ANSWERS = [
    {
        "question_id": "Q-001",
        "answer": "Yes, the sums take whole numbers.",
        "confidence": 0.95,
        "evidence": [{"file": "tally/count.py", "line": 4, "snippet": "def total(numbers: list[int]) -> int:"}],
    },
    {"question_id": "Q-002", "answer": "widest", "confidence": 0.4, "evidence": []},
]
SPEC = {key: value for key, value in SPECIFICATION.items() if key != "spec_id"}
ARTIFACTS = {
    "intake": "intake_record",
    "clarify": "clarification",
    "analyze": "analysis",
    "spec": "specification",
    "red": "test_suite",
    "green": "implementation",
    "refactor": "deliverable",
    "deliver": "delivery_report",
}


def quick(**changes: Rule) -> dict[str, Rule]:
    """Every answer right the first time, with what belongs together in one."""
    both = {**ANALYSIS, "specification": SPEC}
    tidy = {"files": [], "improvements": [], "delivery_notes": NOTES}
    rules = {
        "intake": {"when": {"context": "^stage: intake$"}, "reply": {**INTAKE, "answers": ANSWERS}},
        **replies(),
        "analyze": says("analyze", "complete", {"artifact": both}),
        "refactor": says("refactor", "complete", {"artifact": tidy}),
        "review": CLEAN_REVIEW,
    }
    del rules["hand_in_notes"]  # nobody is asked for them again
    return {**rules, **changes}


def run(place: Place, rules: dict[str, Rule], *args: str) -> None:
    script(place, {"review": CLEAN_REVIEW, **rules}, change={"trivial_lines": 0})
    ended = place.run("start", ASKED, "--json", *args)
    assert ended.code == 0, ended.out + ended.err


def calls(place: Place) -> list[tuple[str, str]]:
    return [(e["stage"], e["mode"]) for e in place.events("call_started")]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A small change, delivered."""
    place = make_tally(tmp_path_factory.mktemp("small"))
    run(place, quick())
    return place


def test_a_small_change_takes_at_most_eight_calls(small: Place) -> None:
    assert calls(small) == [
        ("intake", "work"),
        ("analyze", "work"),
        ("red", "work"),
        ("red", "work"),
        ("green", "work"),
        ("green", "work"),
        ("refactor", "work"),
        ("refactor", "review"),
    ]


def test_a_change_too_small_to_tidy_is_reviewed_all_the_same_when_its_specification_was_not(tmp_path: Path) -> None:
    place = make_tally(tmp_path)
    script(place, {"review": CLEAN_REVIEW, **quick()})
    assert place.run("start", ASKED).code == 0
    assert calls(place)[-2:] == [("refactor", "work"), ("refactor", "review")]


def test_it_has_every_artifact_under_its_own_stage_contract_and_role_and_every_measurement(small: Place) -> None:
    made = {e["stage"]: e["contract"] for e in small.events("artifact_made")}
    assert made == ARTIFACTS
    assert [e["stage"] for e in small.events("gate_decided") if e["verdict"]["outcome"] == "pass"] == [*ARTIFACTS]
    roles = {e["stage"]: e["role"] for e in small.events("stage_started")}
    assert (roles["clarify"], roles["spec"], roles["deliver"]) == (
        "business_analyst",
        "software_architect",
        "devops_engineer",
    )
    along = [(e["stage"], e["contract"], e["with_stage"], e["role"]) for e in small.events("handed_along")]
    assert along == [
        ("clarify", "answers", "intake", "requirements_analyst"),
        ("spec", "specification", "analyze", "software_architect"),
        ("deliver", "delivery_notes", "refactor", "senior_developer"),
    ]
    exits = {e["stage"]: {c["name"] for c in e["criteria"]} for e in small.events("measured") if e["what"] == "exit"}
    assert {"all_tests_fail", "cases_held_back", "old_tests_pass"} <= exits["red"]
    assert {"held_back_cases", "changed_expectations", "no_regressions"} <= exits["green"] & exits["refactor"]
    assert {"whole_suite", "held_back_cases", "deployment_ready"} <= exits["deliver"]


def test_the_code_is_shown_at_once(small: Place) -> None:
    for stage in ("intake", "analyze"):
        (context,) = small.contexts(stage)
        assert 'tally/count.py\n    1 """Sums."""' in context


def test_depth_and_reason_are_shown(small: Place) -> None:
    told = {"depth": "quick", "reason": "nothing measured so far is large or sensitive"}
    assert small.run("status", small.task, "--json").json["depth"] == told
    assert f"depth quick, because {told['reason']}" in small.run("status", small.task).out


def test_the_delivery_continues_the_changelog_and_speaks_to_the_people_of_the_repository(small: Place) -> None:
    branch = f"thoughtforge/{small.task}"
    assert git("show", f"{branch}:CHANGELOG", cwd=small.repository) == (
        "Unreleased:\n  * widest tells the widest gap between neighbours.\n\nVersion 0.1:\n  * Sums.\n"
    )
    told = git("log", "--format=%s%n%b%x00", f"main..{branch}", cwd=small.repository)
    docs, feat, test = (part.strip().partition("\n\nAssisted-by")[0] for part in told.split("\0")[:3])
    assert feat == (
        "feat: the widest gap between neighbours\nA function beside the sum tells the widest gap between two "
        "neighbours.\n\n- tally/count.py: tells the gap"
    )
    assert "- One number has the gap 0." in test
    assert docs.endswith("The widest gap can be asked for.")
    assert [part for part in (docs, feat, test) if "exit conditions" in part] == []
    last = [e["artifact"] for e in small.events("artifact_made") if e["stage"] == "refactor"][-1]
    assert '"changes_summary": "tells the gap"' in small.blob(last)  # green said it, refactor did not say it again


def test_answers_that_do_not_hold_are_looked_for_as_in_a_full_run(tmp_path: Path) -> None:
    place = make_tally(tmp_path)
    wrong = copy.deepcopy(ANSWERS)
    wrong[0]["evidence"][0]["snippet"] = "def total(numbers: list[float]) -> float:"
    rules = quick(clarify=says("clarify", "complete", {"artifact": {"answers": ANSWERS}}))
    rules["intake"]["reply"]["answers"] = wrong
    run(place, rules, "--through", "spec")
    assert calls(place) == [("intake", "work"), ("clarify", "work"), ("analyze", "work")]


def test_what_comes_along_is_repaired_like_what_comes_alone(tmp_path: Path) -> None:
    place = make_tally(tmp_path)
    evidence = [{**ANSWERS[0]["evidence"][0], "line": "4"}]
    rules = quick(analyze=says("analyze", "complete", {"artifact": {**ANALYSIS, "specification": json.dumps(SPEC)}}))
    rules["intake"]["reply"]["answers"] = [{**ANSWERS[0], "confidence": "0.95", "evidence": evidence}, ANSWERS[1]]
    run(place, rules, "--through", "spec")
    assert calls(place) == [("intake", "work"), ("analyze", "work")]


def test_a_corrected_analysis_keeps_the_specification_that_came_with_it(tmp_path: Path) -> None:
    place = make_tally(tmp_path)
    wrong = {
        **ANALYSIS,
        "evidence": [{**ANALYSIS["evidence"][0], "snippet": "def total(numbers):"}],
        "specification": SPEC,
    }
    part = says("analyze", "complete", {"artifact": {"evidence": ANALYSIS["evidence"]}})
    part["when"]["context"].append("fix every point")
    run(
        place,
        {"corrected": part, **quick(analyze=says("analyze", "complete", {"artifact": wrong}))},
        "--through",
        "spec",
    )
    assert calls(place) == [("intake", "work"), ("analyze", "work"), ("analyze", "work")]


def test_the_commit_of_a_bug_fix_says_fix(tmp_path: Path) -> None:
    place = make_tally(tmp_path)
    rules = quick()
    rules["intake"]["reply"]["extracted_intent"] = {**INTAKE["extracted_intent"], "action": "fix"}
    run(place, rules, "--through", "green")
    subjects = git("log", "--format=%s", f"main..thoughtforge/{place.task}", cwd=place.repository).splitlines()
    assert [subject.partition(":")[0] for subject in subjects] == ["fix", "test"]


def test_a_sensitive_specification_raises_the_run_and_is_reviewed(tmp_path: Path) -> None:
    place = make_tally(tmp_path)
    spec = {**SPEC, "title": "The widest gap, told without a password"}
    rules = quick(analyze=says("analyze", "complete", {"artifact": {**ANALYSIS, "specification": spec}}))
    run(place, rules, "--through", "spec")
    assert calls(place) == [("intake", "work"), ("analyze", "work"), ("spec", "review")]
    why = 'the change touches sign-in and permissions ("password")'
    assert [(e["depth"], e["reason"]) for e in place.events("depth_set")][1:] == [("full", why)]
    assert place.run("status", place.task, "--json").json["depth"] == {"depth": "full", "reason": why}


def test_a_long_change_is_handed_in_stage_by_stage_from_then_on(tmp_path: Path) -> None:
    place = make_tally(tmp_path)
    rules = quick(hand_in_notes=replies()["hand_in_notes"])
    long = CODE + "\n\nSQUARES = (\n" + "".join(f"    {n * n},\n" for n in range(50)) + ")\n"
    params = rules["write_code"]["reply"]["params"]
    params["new"] = f"    return sum(numbers)\n{long}"
    script(place, rules, change={"trivial_lines": 0})
    ended = place.run("start", ASKED, "--json")
    told = place.run("status", place.task, "--json").json["depth"]
    assert (told["depth"], "lines of the product are changed, more than 50" in told["reason"]) == ("full", True), ended
    assert "deliver" not in [e["stage"] for e in place.events("handed_along")]


def test_a_change_that_grows_while_it_is_tidied_becomes_full_and_is_told_by_who_delivers_it(tmp_path: Path) -> None:
    place = make_tally(tmp_path)
    rules = quick(hand_in_notes=replies()["hand_in_notes"])
    tidy = rules.pop("refactor")
    tidy["when"]["context"][1] = "edit_file path="
    long = "SQUARES = (\n" + "".join(f"    {n * n},\n" for n in range(50)) + ")\n\n\ndef total"
    grow = says("refactor", "edit_file", {"path": "tally/count.py", "old": "def total", "new": long})
    run(place, {**rules, "grow": grow, "refactor": tidy})
    (_, risen) = place.events("depth_set")
    assert (risen["depth"], risen["reason"].partition(" of")[0]) == ("full", "59 lines")
    assert "deliver" not in [e["stage"] for e in place.events("handed_along")]
    assert calls(place)[-2:] == [("refactor", "review"), ("deliver", "work")]


def test_an_answer_without_the_second_artifact_is_an_answer_of_a_full_run(tmp_path: Path) -> None:
    place = make_tally(tmp_path)
    rules = quick(
        intake={"when": {"context": "^stage: intake$"}, "reply": {**INTAKE, "identified_ambiguities": []}},
        analyze=says("analyze", "complete", {"artifact": ANALYSIS}),
        spec={"when": {"context": "^stage: spec$"}, "reply": SPEC},
    )
    run(place, rules, "--through", "spec")
    assert calls(place) == [("intake", "work"), ("analyze", "work"), ("spec", "work")]


def test_who_asks_for_a_full_run_gets_one_and_a_supervised_run_cannot_be_quick(tmp_path: Path) -> None:
    place = make_tally(tmp_path)
    shown = place.run("start", ASKED, "--depth", "full", "--dry-run", "--json").json
    assert shown["depth"] == {"depth": "full", "asked": "full", "reason": "you asked for it"}
    told = shown["estimate"]
    assert [told[name] for name in ("calls_low", "calls_high", "tokens_low", "tokens_high")] == [
        19,
        33,
        50_000,
        142_000,
    ]
    assert told["basis"] == "four full runs with a real model on two libraries"
    shown = place.run("start", ASKED, "--supervised", "--dry-run", "--json").json
    assert shown["depth"]["depth"] == "full"
    refused = place.run("start", ASKED, "--supervised", "--depth", "quick")
    assert (refused.code, "this run cannot be quick: you want to be asked after each stage" in refused.err) == (2, True)


def test_the_plan_names_the_reviewers_that_are_asked_and_runs_that_grew_count_for_new_ones(tmp_path: Path) -> None:
    place = make_tally(tmp_path)
    spec = {**SPEC, "title": "Reset a password"}
    script(
        place,
        {
            "review": CLEAN_REVIEW,
            **quick(analyze=says("analyze", "complete", {"artifact": {**ANALYSIS, "specification": spec}})),
        },
    )
    reviewed = {
        each["stage"]: each["reviewers"] for each in place.run("start", ASKED, "--dry-run", "--json").json["stages"]
    }
    assert (reviewed["spec"], reviewed["refactor"]) == ([], ["security_architect"])
    for _ in range(3):
        assert place.run("start", ASKED, "--through", "spec", "--json").code == 0
    told = place.run("start", ASKED, "--through", "spec", "--dry-run", "--json").json["estimate"]
    assert (told["calls_low"], told["calls_high"], told["basis"]) == (3, 3, "from 3 finished tasks of this home")


def test_three_finished_tasks_of_the_same_kind_are_what_an_estimate_comes_from(tmp_path: Path) -> None:
    place = make_tally(tmp_path)
    script(place, quick())
    for _ in range(3):
        assert place.run("start", ASKED, "--through", "spec", "--json").code == 0
    told = place.run("start", ASKED, "--through", "spec", "--dry-run", "--json").json["estimate"]
    assert (told["calls_low"], told["calls_high"], told["basis"]) == (2, 2, "from 3 finished tasks of this home")
    other = place.run("start", ASKED, "--through", "spec", "--depth", "full", "--dry-run", "--json").json["estimate"]
    assert other["basis"] == "a guess by stages: no such task was measured yet"
