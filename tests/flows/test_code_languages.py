"""Other languages from a specification to a delivered branch: real runners, scripted replies."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from harness import configure, events, git, task_ids, thoughtforge

REQUEST = "Add a subtraction to the calculator and its command"


class Project(NamedTuple):
    """A repository, and what the agents do in it."""

    files: dict[str, str]
    tests: tuple[str, str]
    """Path and text of the new test file."""
    edits: tuple[tuple[str, str, str], ...]
    """Path, old and new text of what implements the feature."""
    held_back: list[str]
    """How the command is called; `{a}` and `{b}` stand for its numbers."""


NODE = Project(
    files={
        "package.json": '{"name": "calc", "version": "1.0.0", "type": "module", "scripts": {"test": "node --test"}}\n',
        "src/calc.js": "export const add = (a, b) => a + b;\n",
        "src/cli.js": (
            'import * as calc from "./calc.js";\n\nconst [name, a, b] = process.argv.slice(2);\n'
            "console.log(calc[name](Number(a), Number(b)));\n"
        ),
        "test/calc.test.js": (
            'import assert from "node:assert";\nimport { test } from "node:test";\n'
            'import { add } from "../src/calc.js";\n\ntest("adds", () => assert.equal(add(1, 2), 3));\n'
        ),
    },
    tests=(
        "test/sub.test.js",
        'import assert from "node:assert";\nimport { test } from "node:test";\n'
        'import { sub } from "../src/calc.js";\n\ntest("subtracts", () => assert.equal(sub(3, 2), 1));\n',
    ),
    edits=(
        (
            "src/calc.js",
            "export const add = (a, b) => a + b;\n",
            "export const add = (a, b) => a + b;\nexport const sub = (a, b) => a - b;\n",
        ),
    ),
    held_back=["node", "{root}/src/cli.js", "sub", "{a}", "{b}"],
)
CRATE = Project(
    files={
        "Cargo.toml": '[package]\nname = "calc"\nversion = "0.1.0"\nedition = "2021"\n',
        "Cargo.lock": 'version = 4\n\n[[package]]\nname = "calc"\nversion = "0.1.0"\n',
        "src/lib.rs": "pub fn add(a: i64, b: i64) -> i64 {\n    a + b\n}\n",
        "src/main.rs": (
            "fn main() {\n    let given: Vec<String> = std::env::args().collect();\n"
            "    let number = |at: usize| given[at].parse::<i64>().unwrap();\n"
            '    println!("{}", calc::add(number(1), number(2)));\n}\n'
        ),
        "tests/add.rs": "#[test]\nfn adds() {\n    assert_eq!(calc::add(1, 2), 3);\n}\n",
    },
    tests=("tests/sub.rs", "use calc::sub;\n\n#[test]\nfn subtracts() {\n    assert_eq!(sub(3, 2), 1);\n}\n"),
    edits=(
        ("src/lib.rs", "    a + b\n}\n", "    a + b\n}\n\npub fn sub(a: i64, b: i64) -> i64 {\n    a - b\n}\n"),
        ("src/main.rs", "calc::add(number(1)", "calc::sub(number(1)"),
    ),
    held_back=[
        "sh",
        "-c",
        "cargo run --quiet --offline --manifest-path {root}/Cargo.toml --target-dir target -- {a} {b}",
    ],
)


def specification(project: Project) -> dict[str, Any]:
    requirement = {
        "id": "REQ-001",
        "description": "`sub` gives the difference of two numbers, also as a command.",
        "priority": "must",
        "acceptance_criteria": ["sub of 3 and 2 is 1"],
        "verification_method": "test",
        "trace": "Add a subtraction",
    }
    return {
        "spec_id": "SPEC-1",
        "title": "A subtraction",
        "description": "The calculator gets a function sub.",
        "requirements": [requirement],
        "constraints": [],
        "interfaces": [],
        "files_to_modify": [path for path, _, _ in project.edits],
        "files_to_create": [project.tests[0]],
        "dependencies": [],
        "estimated_complexity": "trivial",
        "trace_to_request": "One function and its way to the command.",
    }


def replies(project: Project, name: str) -> list[dict[str, Any]]:
    """What the agents answer: the tests, the code, a word for the changelog."""
    path, text = project.tests
    case = {"criterion": "REQ-001.1", "kind": "argv", "exit": 0, "stdout": "13\n"}
    case["argv"] = [part.replace("{a}", "20").replace("{b}", "7") for part in project.held_back]
    listed = {"name": name, "requirement_ref": "REQ-001", "acceptance_criterion": "REQ-001.1"}
    written = {"test_files": [{"path": path, "tests": [listed]}], "held_back": [case]}
    rules = [
        step(["^stage: red$", "recent_actions\n- none yet"], "create_file", path=path, content=text),
        step(["^stage: red$"], "complete", artifact=written),
    ]
    before = "recent_actions\n- none yet"
    edits = []
    for file, old, new in project.edits:
        edits.append(step(["^stage: green$", before], "edit_file", path=file, old=old, new=new))
        before = f"edit_file path={file}"
    files = [{"path": file, "purpose": "subtracts"} for file, _, _ in project.edits]
    notes = {
        "summary": "The calculator subtracts.",
        "changelog": [{"kind": "added", "text": "`sub` subtracts."}],
        "docs": [],
        "deployment": {"prerequisites": [], "steps": ["Install it."], "rollback": "Install the version before."},
    }
    # the last edit is looked for first: the earlier ones stay among the recent actions
    rules.append(step(["^stage: green$", before], "complete", artifact={"files": files}))
    rules += reversed(edits)
    rules.append(step(["^stage: refactor$"], "complete", artifact={"files": files, "improvements": []}))
    rules.append(step(["^stage: deliver$"], "complete", artifact=notes))
    review = {"review_id": "REVIEW-1", "subject": "deliverable", "scope": ["the change"], "summary": "Nothing to say."}
    rules.append(
        {"when": {"system": "role `security_architect`"}, "usage": {}}
        | {"reply": {**review, "blocking_issues": [], "advisory_issues": []}}
    )
    return rules


def step(when: list[str], tool: str, **params: Any) -> dict[str, Any]:
    return {"when": {"context": when}, "reply": {"thought": "Next.", "tool": tool, "params": params}}


def deliver(tmp_path: Path, person: Path, project: Project, name: str, **config: Any) -> list[dict[str, Any]]:
    """Run a project's task from its specification to the end; answers the record."""
    repository = tmp_path / "calc"
    for path, text in project.files.items():
        (repository / path).parent.mkdir(parents=True, exist_ok=True)
        (repository / path).write_text(text)
    git("init", "-q", "-b", "main", cwd=repository)
    git("add", ".", cwd=repository)
    git("commit", "-q", "-m", "A calculator", cwd=repository)
    playbook, wanted = tmp_path / "playbook.yaml", tmp_path / "specification.yaml"
    playbook.write_text(yaml.safe_dump({"rules": replies(project, name)}))
    wanted.write_text(yaml.safe_dump(specification(project)))
    configure(repository, providers={"script": {"kind": "scripted", "playbook": str(playbook)}}, **config)
    args = ("start", REQUEST, "--from-spec", str(wanted))
    done = thoughtforge(*args, cwd=repository, home=person, timeout=300)
    assert done.code == 0, done.out + done.err
    [task] = task_ids(repository)
    assert f"thoughtforge/{task}" in git("branch", "--list", "thoughtforge/*", cwd=repository)
    return events(repository, task)


def criteria(record: list[dict[str, Any]], stage: str) -> dict[str, str]:
    """How the exit conditions of a stage stood when it was left."""
    exits = [e for e in record if e["type"] == "measured" and e["stage"] == stage and e["what"] == "exit"]
    return {item["name"]: item["outcome"] for item in exits[-1]["criteria"]}


@pytest.mark.skipif(shutil.which("node", path="/usr/local/bin:/usr/bin:/bin") is None, reason="node is not installed")
def test_a_package_for_node_is_delivered(tmp_path: Path, person: Path) -> None:
    record = deliver(tmp_path, person, NODE, "subtracts")
    print(criteria(record, "red"), criteria(record, "green"))


@pytest.mark.skipif(shutil.which("cargo") is None, reason="cargo is not installed")
def test_a_crate_is_delivered(tmp_path: Path, person: Path) -> None:
    record = deliver(tmp_path, person, CRATE, "subtracts")
    print(criteria(record, "red"), criteria(record, "green"))
