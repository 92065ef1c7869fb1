"""What people look at: lists, one task, one stage, one step, the record, cost; and the small commands around them."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from harness import LIBRARY, REQUEST, task_ids
from harness.place import Place, make_place

CONTRACTS = sorted(path.stem for path in (LIBRARY / "contracts").glob("*.yaml"))


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> tuple[Place, str, str]:
    """A place with a finished task and one at its cap; nobody changes it."""
    place = make_place(tmp_path_factory.mktemp("busy"))
    done = place.design()
    halted = place.run("design", "Plan a second thing", "--max-steps", "0", "--json")
    assert (done.code, halted.code) == (0, 4)
    return place, done.json["task"], halted.json["task"]


def test_the_list_counts_and_names_every_task(busy: tuple[Place, str, str]) -> None:
    place, done, halted = busy
    data = place.run("status", "--json").json
    assert data["counts"] == {"done": 1, "running": 0, "needs_person": 1, "halted": 0, "pending": 0}
    assert {row["task"]: row["state"] for row in data["tasks"]} == {done: "done", halted: "needs_person"}
    text = place.run("status", "--all").out
    assert f"✔ {done} [scripted]  done (done)" in text
    assert f"◆ {halted} [scripted]  needs person (budget_steps)" in text
    assert f"→ Raise the cap: thoughtforge continue {halted} --max-steps N" in text


def test_one_task_by_id_unique_beginning_and_last(busy: tuple[Place, str, str]) -> None:
    place, done, halted = busy
    beginning = next(done[:size] for size in range(9, len(done)) if not halted.startswith(done[:size]))
    seen = [place.run("status", word, "--json").json["task"] for word in (done, beginning, "last")]
    assert seen == [done, done, halted]
    several = place.run("status", done[:4], "--json")
    assert (several.code, several.json["error"]["what"]) == (2, f"{done[:4]!r} matches several tasks")
    assert {done, halted} <= set(several.json["error"]["do"].removeprefix("Use one of: ").split(", "))


def test_a_task_in_full_with_detail_stage_and_step(busy: tuple[Place, str, str]) -> None:
    place, done, _ = busy
    text = place.run("status", done, "--detail").out
    assert f"{done} [scripted]: done (done)" in text
    assert "  ✔ spec      passed, version 2, gate pass" in text
    assert "      measured ambiguities: 2" in text
    assert "      - SEC-002 (low) Names come from a file" in text
    stage = place.run("status", done, "--stage", "analyze", "--json").json
    assert (stage["status"], stage["verdict"], stage["steps"]) == ("passed", "pass", 3)
    unknown = place.run("status", done, "--stage", "nonsense", "--json")
    assert (unknown.code, unknown.json["error"]["do"]) == (2, "Stages: intake, clarify, analyze, spec")
    step = place.run("status", done, "--step", "4", "--json").json
    assert (step["stage"], step["action"]["tool"]) == ("analyze", "read_file")
    assert step["text"]["context"].startswith("## task_frame")


def test_a_step_is_shown_with_exactly_what_was_sent(busy: tuple[Place, str, str]) -> None:
    place, done, _ = busy
    shown = place.run("inspect", done, "--step", "1", "--show", "context").out
    folder = place.home / "tasks" / done
    records = [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
    first = next(record for record in records if record["type"] == "call_started")
    assert (folder / "blobs" / first["context"]).read_text().strip() in shown
    assert "── reply ──" not in shown
    steps = place.run("inspect", done, "--steps", "--json").json["steps"]
    assert [row["stage"] for row in steps] == ["intake"] + ["clarify"] * 2 + ["analyze"] * 3 + ["spec"] * 4
    assert [row["result"] for row in steps] == ["ok"] * 10
    events = place.run("inspect", done, "--events", "--json").json["events"]
    assert [(event["seq"], event["type"]) for event in events] == [(r["seq"], r["type"]) for r in records]
    nowhere = place.run("inspect", done, "--step", "99", "--json")
    assert (nowhere.code, nowhere.json["error"]["what"]) == (2, "there is no step 99")


def test_the_result_and_its_cost(busy: tuple[Place, str, str]) -> None:
    place, done, halted = busy
    made = place.run("inspect", done, "--json").json["artifacts"]
    assert sorted(made) == ["analysis", "clarification", "intake_record", "specification"]
    final = place.home / "tasks" / done / "artifacts" / "spec" / "specification_final.yaml"
    assert made["specification"] == yaml.safe_load(final.read_text())
    assert f"{halted} has made nothing yet" in place.run("inspect", halted).out
    cost = place.run("cost", done, "--json").json
    assert cost["total"]["tokens"] == sum(r["prompt_tokens"] + r["completion_tokens"] for r in cost["rows"]) == 31_870
    assert "total: 10 steps, 31,870 tokens counted against the cap, $0.0000" in place.run("cost", done).out


def test_prune_lists_first_and_removes_only_when_told(place: Place) -> None:
    assert place.design("--through", "analyze").code == 0
    done = place.task
    halted = place.design("--max-steps", "0").json["task"]
    assert place.run("abort", halted).code == 0
    assert place.run("prune", "--json").json == {"ok": True, "exit_code": 0, "tasks": [], "removed": [], "kept": {}}
    listed = place.run("prune", "--older-than", "0")
    assert (listed.code, listed.out) == (0, f"would remove {done}\n1 tasks\n  → Do it: thoughtforge prune --yes\n")
    assert (place.home / "tasks" / done / "events.jsonl").is_file()
    removed = place.run("prune", "--older-than", "0", "--yes", "--json").json
    assert (removed["tasks"], removed["removed"]) == ([done], [done])
    assert task_ids(place.repository) == [halted]
    assert [row["task"] for row in place.run("status", "--json").json["tasks"]] == [halted]
    assert place.run("status", "last", "--json").json["task"] == halted
    assert place.run("prune", "--older-than", "0", "--halted", "--yes", "--json").json["removed"] == [halted]
    assert place.run("status", "--json").json["tasks"] == []
    gone = place.run("status", done, "--json")
    assert gone.code == 2


def test_init_can_be_done_twice_and_the_home_can_be_elsewhere(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    shutil.rmtree(place.home)
    first = place.run("init", "--json").json
    assert (first["home"], first["created"]) == (str(place.home), True)
    (place.home / "config.yaml").write_text("version: 1\nrequest_bytes: 77\n")
    second = place.run("init", "--json").json
    assert (second["created"], (place.home / "config.yaml").read_text()) == (False, "version: 1\nrequest_bytes: 77\n")
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(place.home, elsewhere)
    (elsewhere / "config.yaml").write_text((make_place(tmp_path / "other").home / "config.yaml").read_text())
    home = {"THOUGHTFORGE_HOME": str(elsewhere)}
    done = place.run("design", REQUEST, "--max-steps", "0", "--json", **home)
    assert (done.code, Path(done.json["folder"]).parent) == (4, elsewhere / "tasks")
    assert task_ids(place.repository) == []
    assert place.run("init", "--json", **home).json["home"] == str(elsewhere)


def test_the_configuration_is_shown_with_its_defaults(place: Place) -> None:
    shown = place.run("config", "show", "--json").json
    assert (shown["path"], shown["config"]["provider"]) == (str(place.home / "config.yaml"), "script")
    defaults = place.run("config", "show", "--defaults", "--json").json["config"]
    assert (defaults["limits"]["usd"], defaults["rules"]["review_iterations"]) == (5.0, 3)
    text = place.run("config", "show").out
    assert yaml.safe_load(text) == shown["config"]


def test_doctor_looks_at_everything_and_sends_nothing(place: Place) -> None:
    done = place.run("doctor", "--json")
    told = [(finding["level"], finding["what"]) for finding in done.json["findings"] if finding["level"] != "warn"]
    assert (done.code, [what for level, what in told if level == "bad"]) == (0, [])
    assert ("ok", "git is installed") in told
    assert ("ok", f"home {place.home}") in told
    assert ("ok", "provider script: scripted, stays on this machine") in told


def test_definitions_are_listed_and_shown(busy: tuple[Place, str, str]) -> None:
    place, _, _ = busy
    contracts = [row["name"] for row in place.run("contracts", "list", "--json").json["contracts"]]
    assert sorted(contracts) == CONTRACTS
    pipelines = {row["name"]: row["stages"] for row in place.run("pipelines", "list", "--json").json["pipelines"]}
    assert pipelines["design"] == ["intake", "clarify", "analyze", "spec"]
    assert pipelines["fix"] == ["analyze", "green"]
    assert sorted(pipelines) == ["design", "document", "fix", "forge", "implement", "review", "test", "think"]
    roles = [row["name"] for row in place.run("roles", "list", "--json").json["roles"]]
    assert sorted(roles) == sorted(path.stem for path in (LIBRARY / "roles").glob("*.yaml"))
    assert place.run("roles", "show", "security_architect", "--json").json["role"]["name"] == "security_architect"
    assert "rule: " in place.run("contracts", "show", "specification").out


def test_files_are_held_against_their_contracts(busy: tuple[Place, str, str], tmp_path: Path) -> None:
    place, done, _ = busy
    final = place.home / "tasks" / done / "artifacts" / "spec" / "specification_final.yaml"
    good = place.run("contracts", "validate", str(final), "--json")
    assert (good.code, good.json["contract"], good.json["problems"]) == (0, "specification", [])
    spec = yaml.safe_load(final.read_text())
    spec["requirements"][0]["id"] = spec["requirements"][1]["id"]
    del spec["title"]
    bad = tmp_path / "specification_bad.yaml"
    bad.write_text(yaml.safe_dump(spec))
    refused = place.run("contracts", "validate", str(bad), "--json")
    assert (refused.code, len(refused.json["problems"]) >= 2) == (1, True)
    role = tmp_path / "test_engineer.yaml"
    role.write_text((LIBRARY / "roles" / "test_engineer.yaml").read_text().replace("test_suite", "nonsense"))
    wrong = place.run("roles", "validate", str(role), "--json")
    assert (wrong.code, any("nonsense" in problem["what"] for problem in wrong.json["problems"])) == (1, True)


@pytest.mark.parametrize("name", [*CONTRACTS, "events", "config", "task"])
def test_every_published_schema_is_valid_json_schema(busy: tuple[Place, str, str], name: str) -> None:
    done = busy[0].run("schema", name)
    assert (done.code, done.err) == (0, "")
    Draft202012Validator.check_schema(json.loads(done.out))


def test_the_schemas_are_listed_and_an_unknown_one_is_refused(busy: tuple[Place, str, str]) -> None:
    listed = busy[0].run("schema").out.split()
    assert sorted(listed) == sorted([*CONTRACTS, "events", "config", "task"])
    unknown = busy[0].run("schema", "nonsense")
    assert (unknown.code, "there is no schema 'nonsense'" in unknown.err) == (2, True)


def test_completion_prints_a_script_that_bash_can_read(busy: tuple[Place, str, str]) -> None:
    done = busy[0].run("completion", "bash")
    assert (done.code, "_THOUGHTFORGE_COMPLETE=bash_complete" in done.out) == (0, True)
    checked = subprocess.run(["bash", "-n"], input=done.out, text=True, capture_output=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")


def test_what_every_call_was_shown_can_be_looked_at(busy: tuple[Place, str, str]) -> None:
    place, done, _ = busy
    report = place.run("inspect", done, "--context", "--json").json
    assert all(0 <= call["left"] == call["room"] - call["tokens"] for call in report["calls"])
    assert {stage["stage"]: stage["calls"] for stage in report["stages"]}["analyze"] > 0
    text = place.run("inspect", done, "--context").out
    assert "what to do now" in text
    assert "of room unused" in text
