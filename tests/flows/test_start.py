"""start: the goal and its cause, other ends, material from outside, and a plan without a deed."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from harness import REQUEST, git, task_ids
from harness.place import PATIENCE, Place, make_place


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Place, str, str]:
    """A task with the goal implement: the place, what was said and what came out."""
    place = make_place(tmp_path_factory.mktemp("built"))
    done = place.run("start", REQUEST, timeout=PATIENCE)
    assert done.code == 0, done.out + done.err
    return place, done.out, done.err


def test_an_implementation_ends_with_a_branch_and_says_how_to_take_it(built: tuple[Place, str, str]) -> None:
    place, out, err = built
    assert 'goal implement, because its first verb is "add"' in err
    assert "intake → clarify → analyze → spec → red → green → refactor → deliver" in err
    assert f"{place.task} [scripted]: done (done)" in out
    assert f"→ Take it: thoughtforge apply {place.task}; or look first: thoughtforge diff {place.task}" in out
    state = place.run("status", "last", "--json").json
    assert {stage["status"] for stage in state["stages"].values()} == {"passed"}
    (written,) = place.events("ref_written")
    assert (written["ref"], written["why"]) == (f"refs/heads/thoughtforge/{place.task}", "delivered")
    subjects = git("log", "--format=%s", f"main..{written['commit']}", cwd=place.repository).splitlines()
    assert [subject.partition(":")[0] for subject in reversed(subjects)] == ["test", "feat", "refactor", "docs"]
    spec = yaml.safe_load((place.folder / "artifacts" / "spec" / "specification_v2.yaml").read_text())
    assert [r["id"] for r in spec["requirements"]] == ["REQ-001", "REQ-002", "REQ-003", "REQ-004"]
    again = place.run("continue", "--json")
    assert (again.code, again.json["reason"]) == (0, "done")
    assert len(place.events("call_started")) == 21
    assert len(place.events("ref_written")) == 1


def test_what_an_agent_was_not_allowed_is_on_record_and_changed_nothing(built: tuple[Place, str, str]) -> None:
    place, _, _ = built
    (refused,) = [event for event in place.events("action_taken") if event["outcome"] == "refused"]
    assert (refused["stage"], refused["tool"]) == ("green", "edit_file")
    assert refused["summary"] == "path: tests/test_json_report.py belongs to the tests; green leaves them as they are"
    before, after = (event["commit"] for event in place.events("commit_made") if event["stage"] in ("red", "green"))
    assert git("diff", "--name-only", before, after, cwd=place.repository).split() == [
        "shelf/cli.py",
        "shelf/report.py",
    ]


def test_every_exit_is_measured_and_what_an_agent_handed_in_says_nothing_about_it(
    built: tuple[Place, str, str],
) -> None:
    place, _, _ = built
    exits = [event for event in place.events("measured") if event["what"] == "exit"]
    assert [(event["stage"], event["outcome"]) for event in exits] == [
        (stage, "pass") for stage in ("red", "green", "refactor", "deliver")
    ]
    names = {event["stage"]: {criterion["name"] for criterion in event["criteria"]} for event in exits}
    assert {"tests_exist", "all_tests_fail", "old_tests_pass", "cases_held_back"} <= names["red"]
    assert {"all_tests_pass", "no_regressions", "changed_expectations", "held_back_cases"} <= names["green"]
    assert names["green"] | {"coverage_threshold", "complexity_threshold"} <= names["refactor"]
    assert {"whole_suite", "changelog_generated"} <= names["deliver"]


def test_the_first_verb_chooses_and_the_choice_is_printed(place: Place) -> None:
    done = place.run("start", "Design a --json flag for the stock report", "--through", "analyze")
    assert done.code == 0
    assert 'goal design, because its first verb is "design": intake → clarify → analyze → spec' in done.err
    assert f"task {place.task}" in done.err
    assert "replies are scripted" in done.err
    (exited,) = place.events("pipeline_exited")
    assert (exited["stage"], exited["exit_type"], exited["deliverable"]) == ("analyze", "early", "analysis")


def test_a_pipeline_named_by_flag_wins_over_the_verb(place: Place) -> None:
    done = place.run("start", "Add a flag", "--pipeline", "review", "--dry-run", "--json")
    assert (done.code, done.json["goal"], done.json["goal_cause"]) == (0, "review", "--pipeline review is given")
    assert [row["stage"] for row in done.json["stages"]] == ["analyze"]


def test_only_an_exit_can_be_an_end(place: Place) -> None:
    done = place.run("start", REQUEST, "--through", "clarify", "--json")
    assert done.code == 2
    assert "clarify" in done.json["error"]["what"]
    assert "analyze, spec" in done.json["error"]["do"]
    assert task_ids(place.repository) == []


def test_a_dry_run_shows_everything_and_creates_nothing(place: Place) -> None:
    done = place.design("--dry-run")
    plan = done.json
    assert (done.code, plan["goal"], plan["exit_stage"], plan["providers"]) == (0, "design", "spec", {"*": "script"})
    assert [row["stage"] for row in plan["stages"]] == ["intake", "clarify", "analyze", "spec"]
    assert plan["stages"][3] == {
        "stage": "spec",
        "role": "software_architect",
        "reviewers": ["security_architect"],
        "contract": "specification",
    }
    assert (plan["caps"]["steps"], plan["estimate"]["usd_high"], plan["offsite"]) == (300, 0.0, [])
    assert 0 < plan["estimate"]["calls_low"] < plan["estimate"]["calls_high"] <= 300
    text = place.run("design", REQUEST, "--dry-run")
    assert text.code == 0
    assert "  spec       software_architect, reviewed by security_architect → specification  (end)" in text.out
    assert "estimate: " in text.out
    assert task_ids(place.repository) == []


def test_a_specification_of_another_task_skips_to_the_tests(built: tuple[Place, str, str], tmp_path: Path) -> None:
    place, _, _ = built
    source = place.task
    file = place.folder / "artifacts" / "spec" / "specification_v2.yaml"
    from_file = place.run("start", REQUEST, "--from-spec", str(file), "--dry-run", "--json")
    assert (from_file.code, from_file.json["goal_cause"]) == (0, "--from-spec is given")
    other = make_place(tmp_path)
    for args, origin in ((("--from-task", source), f"task {source}"), (("--from-spec", str(file)), str(file))):
        home = {"THOUGHTFORGE_HOME": str(place.home)}
        done = other.run("start", REQUEST, *args, "--through", "red", "--json", timeout=PATIENCE, **home)
        assert (done.code, done.json["deliverable"]["contract"]) == (0, "test_suite")
        state = other.run("status", done.json["task"], "--json", **home).json
        skipped = {name: stage["skipped"] for name, stage in state["stages"].items() if stage["skipped"]}
        assert skipped == dict.fromkeys(("intake", "clarify", "analyze", "spec"), "spec_provided")
        assert [item["source"] for item in state["external_inputs"]] == [origin]


def test_a_specification_that_breaks_its_contract_is_refused_with_every_point(place: Place) -> None:
    broken = {"spec_id": "SPEC-1", "title": "x", "requirements": [{"id": "REQ-1"}], "files_to_modify": ["../x"]}
    file = place.repository / "broken.yaml"
    file.write_text(yaml.safe_dump(broken))
    done = place.run("start", REQUEST, "--from-spec", str(file), "--json")
    assert done.code == 2
    told = " ".join(done.json["error"]["details"])
    assert all(word in told for word in ("requirements[0].id", "description", "files_to_modify[0]", "interfaces"))
    assert task_ids(place.repository) == []
    wrong_goal = place.run("start", REQUEST, "--from-spec", str(file), "--pipeline", "design", "--json")
    assert (
        wrong_goal.code,
        "specification: the pipeline design does not accept it" in wrong_goal.json["error"]["details"],
    ) == (
        2,
        True,
    )
    missing = place.run("start", REQUEST, "--from-spec", "nowhere.yaml", "--json")
    assert (missing.code, "nowhere.yaml" in missing.json["error"]["what"]) == (2, True)
    no_task = place.run("start", REQUEST, "--from-task", "last", "--json")
    assert (no_task.code, "there is no task in" in no_task.json["error"]["what"]) == (2, True)


def test_interactive_without_a_terminal_is_refused_before_anything_is_made(place: Place) -> None:
    done = place.design("--interactive")
    assert (done.code, done.json["error"]["what"]) == (2, "--interactive needs a terminal")
    assert task_ids(place.repository) == []
