"""A request all the way to a verified branch: commits, report, patches, exit conditions and what people look at."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from flows.code_runs import ASKED, NOTES, SPECIFICATION, SUITE, TESTS, build, make_tally, replies, says, script
from harness import REQUEST, git
from harness.place import Place, make_place
from thoughtforge.catalog import Catalog
from thoughtforge.contracts.context import ValidationContext
from thoughtforge.contracts.validate import check
from thoughtforge.service.library import load_contracts

SUBJECT = re.compile(r"(test|feat|refactor|docs)(\([a-z]+\))?: [a-z`-].{3,65}")
STAGES = ("red", "green", "refactor", "deliver")


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """The request of the demonstration, delivered."""
    place = make_place(tmp_path_factory.mktemp("delivered"))
    (place.person / ".gitconfig").write_text("[user]\n\tname = Ada Person\n\temail = ada@example.org\n")
    ended = place.run("start", REQUEST, "--json")
    assert ended.code == 0, ended.out + ended.err
    return place


def log(place: Place, form: str) -> list[str]:
    """The commits of the delivered branch, oldest first."""
    text = git("log", "--reverse", f"--format={form}%x00", f"main..thoughtforge/{place.task}", cwd=place.repository)
    return [part.strip() for part in text.split("\0") if part.strip()]


def report(place: Place) -> dict[str, Any]:
    """The delivery report as programs read it."""
    path = place.folder / "artifacts" / "deliver" / "delivery_report_final.yaml"
    found: dict[str, Any] = yaml.safe_load(path.read_text())
    return found


def test_every_stage_is_one_commit_of_the_person_with_its_trailers(done: Place) -> None:
    subjects = log(done, "%s")
    assert [subject.partition(":")[0] for subject in subjects] == ["test", "feat", "refactor", "docs"]
    assert [subject for subject in subjects if not SUBJECT.fullmatch(subject)] == []
    assert set(log(done, "%an <%ae>, %cn <%ce>")) == {", ".join(["Ada Person <ada@example.org>"] * 2)}
    roles = ("test_engineer", "software_developer", "senior_developer", "devops_engineer")
    expected = [
        [
            f"Assisted-by: {role}/script/scripted",
            f"ThoughtForge-Task: {done.task}",
            "Requirement: REQ-001, REQ-002, REQ-003",
        ]
        for role in roles
    ]
    assert [trailers.splitlines() for trailers in log(done, "%(trailers)")] == expected
    files = [git("show", "--format=", "--name-only", sha, cwd=done.repository).split() for sha in log(done, "%H")]
    assert files == [
        ["tests/test_json_report.py"],
        ["shelf/cli.py", "shelf/report.py"],
        ["shelf/report.py"],
        ["CHANGELOG.md"],
    ]


def test_the_report_keeps_its_contract_and_leads_from_requirements_to_results_and_cost(done: Place) -> None:
    found = report(done)
    assert check(found, load_contracts(Catalog(project={}, user=None))["delivery_report"], ValidationContext()) == ()
    tests = {row["id"]: [(t["name"], t["result"]) for t in row["tests"]] for row in found["requirements"]}
    assert tests == {
        "REQ-001": [("test_the_command_prints_one_array", "passed")],
        "REQ-002": [
            ("test_an_element_has_name_and_count_only", "passed"),
            ("test_no_address_of_a_supplier_is_shown", "passed"),
        ],
        "REQ-003": [("test_the_emptiest_comes_first", "passed")],
        "REQ-004": [],
    }
    assert [row["status"] for row in found["requirements"]] == ["delivered"] * 3 + ["not_measured"]
    assert {"shelf/cli.py", "shelf/report.py"} <= set(found["requirements"][0]["files"])
    assert {(f["path"], f["change"]) for f in found["files"]} == {
        ("CHANGELOG.md", "modified"),
        ("shelf/cli.py", "modified"),
        ("shelf/report.py", "modified"),
        ("tests/test_json_report.py", "created"),
    }
    assert found["results"] == {"passed": 6, "failed": 0, "skipped": 0}
    cost = done.run("status", done.task, "--json").json["cost"]
    assert (found["cost"]["steps"], found["cost"]["tokens"]) == (cost["steps"], cost["tokens"])
    tip = git("rev-parse", f"thoughtforge/{done.task}", "main", cwd=done.repository).split()
    assert [found["commit"], found["base_commit"]] == tip
    assert found["branch"] == f"thoughtforge/{done.task}"


def test_people_get_the_report_as_text(done: Place) -> None:
    text = (done.folder / "report.md").read_text()
    for word in ("REQ-001", "test_the_command_prints_one_array", "shelf/report.py", "83,700", done.task):
        assert word in text
    for line in (
        '- depth full: the change touches personal data ("e-mail address")',
        "- spec: SEC-002 (low) Names come from a file; json.dumps escapes them, string formatting would not.",
        "- Should the JSON be indented for people? No, one line is enough for scripts. (assumed, no evidence)",
    ):
        assert f"\n{line}\n" in text
    assert "also those with nothing in stock. (found in the repository: `README.md:6`)" in text


def test_every_edit_has_its_patch_and_every_condition_its_status(done: Place) -> None:
    edits = {e["step"]: e["path"] for e in done.events("edit_planned") if e["stage"] != "deliver"}
    patches = {path.name: path.read_text() for path in (done.folder / "snapshots").iterdir()}
    assert sorted(patches) == [f"step_{step:04}.patch" for step in sorted(edits)]
    assert all(f"+++ b/{path}" in patches[f"step_{step:04}.patch"] for step, path in edits.items())
    exits = {e["stage"]: e for e in done.events("measured") if e["what"] == "exit"}
    assert tuple(exits) == STAGES
    others = {(c["name"], c["outcome"]) for e in exits.values() for c in e["criteria"] if c["outcome"] != "pass"}
    assert others == {("release_notes", "not_run")}  # nobody wrote any, and that is said
    assert {"changed_expectations", "held_back_cases", "no_regressions"} <= {
        c["name"] for c in exits["green"]["criteria"]
    }
    stages = done.run("status", done.task, "--json").json["stages"]
    for stage in STAGES:
        assert [c["name"] for c in stages[stage]["exit"]] == [c["name"] for c in exits[stage]["criteria"]]


def test_advice_reaches_who_writes_the_code_and_the_last_words_of_the_run(tmp_path: Path) -> None:
    advice = "SEC-002 (low) Names come from a file; json.dumps escapes them, string formatting would not."
    place = make_place(tmp_path)
    said = place.run("start", REQUEST)
    block = place.contexts("green")[0].partition("### advice of the reviews so far; follow what fits")[2]
    assert f"- {advice}\n" in block.partition("</data")[0]
    assert f"  advice: spec {advice}\n" in said.out
    assert "    see " in said.out
    assert "/report.md\n" in said.out
    assert "gate of refactor: pass" in said.err


def test_people_can_look_at_a_delivered_task(done: Place) -> None:
    diff = done.run("diff", done.task)
    assert diff.out == git("diff", "main", f"thoughtforge/{done.task}", cwd=done.repository)
    assert done.run("inspect", done.task).out.count("delivery_report") >= 1
    status = done.run("status", done.task)
    assert f"thoughtforge/{done.task} at " in status.out
    verified = done.run("verify", done.task)
    assert (verified.code, "whole and unchanged" in verified.out) == (0, True)
    assert "devops_engineer" in done.run("cost", done.task).out


def test_held_back_cases_are_in_no_context_and_no_artifact(done: Place) -> None:
    shown = [*done.contexts("green"), *done.contexts("refactor"), *done.contexts("deliver")]
    shown += [path.read_text() for path in (done.folder / "artifacts").rglob("*.yaml")]
    assert [text for text in shown if "example.net" in text] == []


@pytest.mark.parametrize(("stage", "subjects"), [("red", ["test"]), ("green", ["test", "feat"])])
def test_a_task_that_ends_early_leaves_its_branch_at_that_stage(
    tmp_path: Path, stage: str, subjects: list[str]
) -> None:
    place = make_tally(tmp_path)
    ended = build(place, "--through", stage)
    assert (ended.code, ended.json["deliverable"]["contract"]) == (
        0,
        {"red": "test_suite", "green": "implementation"}[stage],
    )
    assert [subject.partition(":")[0] for subject in log(place, "%s")] == subjects
    assert ended.json["refs"] == {
        f"refs/heads/thoughtforge/{place.task}": git(
            "rev-parse", f"thoughtforge/{place.task}", cwd=place.repository
        ).strip()
    }


def test_a_trivial_change_is_not_refactored_and_who_asks_for_no_trivial_ones_gets_it(tmp_path: Path) -> None:
    place = make_tally(tmp_path / "trivial")
    assert build(place).code == 0
    skipped = {e["stage"]: e["reason"] for e in place.events("stage_skipped")}
    assert skipped["refactor"] == "trivial_change"
    assert [s.partition(":")[0] for s in log(place, "%s")] == ["test", "feat", "docs"]
    strict = make_tally(tmp_path / "strict")
    script(strict, change={"trivial_lines": 0})
    ended = build(strict)
    assert (ended.code, ended.json["stage"], ended.json["reason"]) == (1, "refactor", "provider_failed")


def test_tests_from_outside_are_taken_as_they_are(tmp_path: Path) -> None:
    place = make_tally(tmp_path, {"tests/test_widest.py": TESTS})
    suite = {
        "suite_id": "SUITE-gap",
        "spec_ref": SPECIFICATION["spec_id"],
        **SUITE,
        "coverage_mapping": {
            "REQ-001": [f"tests/test_widest.py::{t['name']}" for t in SUITE["test_files"][0]["tests"]]
        },
        "verification": {"all_tests_fail": True, "no_implementation_exists": True},
    }
    (place.person / "tests.yaml").write_text(yaml.safe_dump(suite))
    (place.person / "spec.yaml").write_text(yaml.safe_dump({**SPECIFICATION, "files_to_create": []}))
    ended = build(place, "--from-tests", str(place.person / "tests.yaml"))
    assert ended.code == 0, ended.out + ended.err
    assert [s.partition(":")[0] for s in log(place, "%s")] == ["feat", "docs"]
    assert {e["stage"] for e in place.events("stage_skipped")} >= {"intake", "clarify", "spec", "red"}
    results = {t["name"]: t["result"] for t in report(place)["requirements"][0]["tests"]}
    assert results == {"test_the_widest_gap_counts": "passed", "test_one_number_has_no_gap": "passed"}


def test_given_tests_that_the_code_does_not_meet_are_never_delivered(tmp_path: Path) -> None:
    place = make_tally(tmp_path)
    rules = replies()
    rules["write_code"]["reply"]["params"]["new"] = rules["write_code"]["reply"]["params"]["new"].replace(
        "default=0", "default=1"
    )
    rules["give_up"] = {
        "when": {"context": ["^stage: green$", "all_tests_pass"]},
        "reply": {
            "thought": "I cannot.",
            "tool": "escalate_question",
            "params": {"question": "May one number have the gap 1?", "impact": "blocking"},
        },
    }
    rules = {"give_up": rules.pop("give_up"), **rules}
    script(place, rules)
    ended = build(place)
    assert (ended.code, ended.json["reason"]) == (3, "question"), ended.out
    assert git("for-each-ref", "refs/heads/thoughtforge", cwd=place.repository) == ""
    assert ASKED in place.run("status", place.task).out


def test_a_commit_tells_what_was_handed_in_before_a_part_was_corrected(tmp_path: Path) -> None:
    place = make_tally(tmp_path)
    rules = replies()
    deployment = NOTES["deployment"]
    rules["hand_in_notes"]["reply"]["params"] = {"artifact": {**NOTES, "deployment": {**deployment, "rollback": ""}}}
    part = says("deliver", "complete", {"artifact": {"deployment": deployment}}, after="handed in, then refused")
    script(place, {"corrected": part, **rules})
    done = build(place)
    assert done.code == 0, done.out + done.err
    told = git("log", "-1", "--format=%B", f"thoughtforge/{place.task}", cwd=place.repository)
    assert told.startswith("docs: the widest gap between neighbours\n\nThe widest gap can be asked for.\n")
