"""start: the goal and its cause, other ends, material from outside, and a plan without a deed."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from harness import REQUEST, task_ids
from harness.place import Place, make_place


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Place, str, str]:
    """A task with the goal implement: the place, what was said and what came out."""
    place = make_place(tmp_path_factory.mktemp("built"))
    done = place.run("start", REQUEST)
    assert done.code == 2
    return place, done.out, done.err


def test_an_implementation_ends_before_the_first_code_stage_and_says_so(built: tuple[Place, str, str]) -> None:
    place, out, err = built
    assert 'goal implement, because of first verb "add"' in err
    assert "intake → clarify → analyze → spec → red → green → refactor → deliver" in err
    assert f"{place.task} [scripted]: halted (stage_unavailable): stage red needs the driver 'code'" in out
    assert f"→ This version ends here; the result so far: thoughtforge inspect {place.task}" in out
    state = place.run("status", "last", "--json").json
    stages = {name: stage["status"] for name, stage in state["stages"].items()}
    assert [stages[name] for name in ("intake", "clarify", "analyze", "spec", "red")] == ["passed"] * 4 + ["pending"]
    spec = yaml.safe_load((place.folder / "artifacts" / "spec" / "specification_v2.yaml").read_text())
    assert [r["id"] for r in spec["requirements"]] == ["REQ-001", "REQ-002", "REQ-003", "REQ-004"]
    again = place.run("continue", "--json")
    assert (again.code, again.json["reason"]) == (2, "stage_unavailable")
    assert len(place.events("call_started")) == 10


def test_the_first_verb_chooses_and_the_choice_is_printed(place: Place) -> None:
    done = place.run("start", "Design a --json flag for the stock report", "--through", "analyze")
    assert done.code == 0
    assert 'goal design, because of first verb "design": intake → clarify → analyze → spec' in done.err
    assert f"task {place.task}" in done.err
    assert "replies are scripted" in done.err
    (exited,) = place.events("pipeline_exited")
    assert (exited["stage"], exited["exit_type"], exited["deliverable"]) == ("analyze", "early", "analysis")


def test_a_pipeline_named_by_flag_wins_over_the_verb(place: Place) -> None:
    done = place.run("start", "Add a flag", "--pipeline", "review", "--dry-run", "--json")
    assert (done.code, done.json["goal"], done.json["goal_cause"]) == (0, "review", "the flag --pipeline review")
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
    assert (from_file.code, from_file.json["goal_cause"]) == (0, "the flag --from-spec")
    other = make_place(tmp_path)
    for args, origin in ((("--from-task", source), f"task {source}"), (("--from-spec", str(file)), str(file))):
        home = {"THOUGHTFORGE_HOME": str(place.home)}
        done = other.run("start", REQUEST, *args, "--json", **home)
        assert (done.code, done.json["reason"]) == (2, "stage_unavailable")
        state = other.run("status", done.json["task"], "--json", **home).json
        skipped = {name: stage["skipped"] for name, stage in state["stages"].items() if stage["skipped"]}
        assert skipped == {"intake": "spec_provided", "clarify": "spec_provided", "spec": "spec_provided"}
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
        "specification: the pipeline design takes none" in wrong_goal.json["error"]["details"],
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
    assert (done.code, done.json["error"]["what"]) == (2, "asking before every action needs a terminal")
    assert task_ids(place.repository) == []
