"""A pipeline of YAML alone: stages and contracts with names the program has never heard of run to their end."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from flows.code_runs import ASKED, FILES, HELD, SPECIFICATION, SUITE, TESTS, replies, says
from harness import git
from harness.environments import warm
from thoughtforge.catalog import LIBRARY
from thoughtforge.kernel.errors import UserError
from thoughtforge.service.app import App
from thoughtforge.service.submit import StartRequest, submit
from thoughtforge.testing.access import access
from unit.service.in_memory import go, kinds, memory_app, state_of

WISH = """\
contract: wish
version: "1.0"
description: What somebody wants, in one sentence.
schema:
  sentence: {type: string, required: true, min_length: 1}
"""
PIPELINE = """\
name: tidy
description: From a wish to code, in words of our own.
goal_type: tidy
stages:
  - {name: wish, purpose: Say what is wanted., driver: document, role: requirements_analyst, output_contract: wish,
     entry_point: true, options: {prompt: intake}}
  - {name: sketch, purpose: Say how., driver: document, role: software_architect, output_contract: specification,
     prerequisites: [wish], options: {prompt: spec, fill: specification}}
  - {name: probe, purpose: Say how one would notice., driver: code, role: test_engineer, output_contract: probes,
     prerequisites: [specification], options: {exit: red, prompt: red}}
  - {name: forge, purpose: Make it so., driver: code, role: software_developer, output_contract: change,
     prerequisites: [probes], options: {exit: green, prompt: green}, exit_point: true, default_exit: true}
exit: {stage: forge, deliverable: change}
"""


def renamed(contract: str, name: str, *without: str) -> str:
    """A contract of ours under another name, without the rules that name other contracts."""
    text = (
        (LIBRARY / "contracts" / f"{contract}.yaml").read_text().replace(f"contract: {contract}", f"contract: {name}")
    )
    return "".join(line for line in text.splitlines(keepends=True) if line.strip() not in {f"- {r}" for r in without})


OWN = {
    "contracts/wish.yaml": WISH,
    "contracts/probes.yaml": renamed("test_suite", "probes"),
    "contracts/change.yaml": renamed("implementation", "change", "tests_referred"),
    "pipelines/tidy.yaml": PIPELINE,
}


def document(stage: str, artifact: dict[str, Any]) -> dict[str, Any]:
    return {"when": {"context": [f"^stage: {stage}$"]}, "reply": artifact}


def rules() -> list[dict[str, Any]]:
    handed = {"artifact": {**SUITE, "held_back": HELD}}
    code = [replies()["write_code"], replies()["hand_in_code"]]
    for rule, seen in zip(code, (r"recent_actions\n- none yet", "edit_file "), strict=True):
        rule["when"]["context"] = ["^stage: forge$", seen]
    return [
        document("wish", {"sentence": ASKED}),
        document("sketch", {**SPECIFICATION, "spec_id": ""}),
        says("probe", "create_file", {"path": "tests/test_widest.py", "content": TESTS}),
        says("probe", "complete", handed, after="create_file "),
        *code,
    ]


def repository(folder: Path, own: dict[str, str]) -> App:
    """An invocation in a repository with these files of its own, committed."""
    here = folder / "tally"
    for path, text in {**FILES, **{f".thoughtforge/{name}": text for name, text in own.items()}}.items():
        (here / path).parent.mkdir(parents=True, exist_ok=True)
        (here / path).write_text(text)
    git("init", "-q", "-b", "main", cwd=here)
    git("add", "-f", ".", cwd=here)
    git("commit", "-q", "-m", "Sums", cwd=here)
    (folder / ".gitconfig").write_text("[user]\n\tname = Ada Person\n\temail = ada@example.org\n")
    app = memory_app(folder, cwd=here, rules=rules())
    warm(app.home.root)
    return replace(app, packages=lambda: access(os.environ, home=folder))


def test_a_pipeline_with_stages_and_contracts_of_its_own_writes_code_that_is_proved(tmp_path: Path) -> None:
    app = repository(tmp_path, OWN)
    task_id = asyncio.run(submit(app, StartRequest(request=ASKED, pipeline="tidy"))).task_id
    ended = go(app, task_id)
    assert tuple(ended.rest) == ("done", ""), ended.rest.detail
    state = state_of(app, task_id)
    assert {name: stage.status for name, stage in state.stages.items()} == dict.fromkeys(
        ("wish", "sketch", "probe", "forge"), "passed"
    )
    assert set(state.artifacts()) == {"wish", "specification", "probes", "change"}
    held = {c.name: c.outcome for c in state.stage("forge").measured["exit"].criteria}
    assert (held["all_tests_pass"], held["held_back_cases"]) == ("pass", "pass")
    blobs = app.store.peek(task_id).blobs
    change = yaml.safe_load(blobs.get(state.artifacts()["change"]))
    assert change["test_suite_ref"] == yaml.safe_load(blobs.get(state.artifacts()["probes"]))["suite_id"]
    assert kinds(app, task_id).count("commit_made") == 2


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        (
            "{exit: red,",
            "{exti: red,",
            'pipelines/tidy.yaml:10: stages[2].options.exti: the driver code has no option "exti"; did you mean exit?',
        ),
        ("{exit: red,", "{", "pipelines/tidy.yaml:10: stages[2].options: the driver code needs the option exit"),
        (
            "{exit: red,",
            "{exit: purple,",
            "pipelines/tidy.yaml:10: stages[2].options.exit: Input should be 'red', 'green' or 'refactor'",
        ),
        (
            "{prompt: intake}",
            "{colour: blue}",
            "pipelines/tidy.yaml:6: stages[0].options.colour: the driver document "
            'has no option "colour"; it has prompt, fill, along, quick_review',
        ),
    ],
)
def test_options_that_a_driver_does_not_know_are_told_with_file_line_and_nearest_name(
    tmp_path: Path, right: str, wrong: str, told: str
) -> None:
    app = repository(tmp_path, {**OWN, "pipelines/tidy.yaml": PIPELINE.replace(right, wrong)})
    with pytest.raises(UserError, match="the pipelines are refused") as caught:
        asyncio.run(submit(app, StartRequest(request=ASKED, pipeline="tidy")))
    assert any(told in line for line in caught.value.details), caught.value.details
    assert app.store.ids() == []
