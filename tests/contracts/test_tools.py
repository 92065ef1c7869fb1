"""What every file in tools/ keeps to, built in or new."""

import asyncio
import importlib
import inspect
import os
import pkgutil
import subprocess
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import thoughtforge.tools
from thoughtforge.agent.bridge import Bridge, Limits, Used
from thoughtforge.workspaces.desk import Desk
from thoughtforge.workspaces.git import Git, find_repository
from thoughtforge.workspaces.ignore import read_ignore
from thoughtforge.workspaces.tree import Tree

NAMES = sorted(module.name for module in pkgutil.iter_modules(thoughtforge.tools.__path__))
TOOLS: dict[str, Any] = {name: importlib.import_module(f"thoughtforge.tools.{name}") for name in NAMES}
VALUES = {
    "path": "src/app/main.py",
    "text": "def",
    "question": "Which of the two is meant?",
    "impact": "minor",
    "artifact": {"summary": "x"},
}
"""A good value for each parameter some tool requires; a new tool with another one adds it here."""


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("repository")
    files = {
        "README.md": "# App\n",
        "src/app/__init__.py": "",
        "src/app/main.py": "def main():\n    pass\n",
        ".env": "X=1\n",
    }
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    env = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"}
    identity = ["git", "-c", "user.name=Test", "-c", "user.email=test@example.org"]
    for args in (["init", "--quiet"], ["add", "--all", "--force"], ["commit", "--quiet", "--message=first"]):
        subprocess.run([*identity, *args], cwd=folder, env=env, check=True)
    return folder


def use(root, name: str, params: dict[str, Any]) -> Used:
    """Use a tool through the bridge on the repository."""

    async def whole() -> Used:
        path = os.environ["PATH"]
        git = Git(await find_repository(root, path=path), path=path)
        commit = await git.head()
        tree = await Tree.open(git, commit, await read_ignore(git, commit))
        limits = Limits("software_architect", allowed=tuple(NAMES))
        try:
            return await Bridge(limits, tools=TOOLS, desk=Desk(tree), lock=asyncio.Lock()).use(name, params)
        finally:
            await tree.close()

    return asyncio.run(whole())


def good(name: str) -> dict[str, Any]:
    return {key: VALUES[key] for key in TOOLS[name].PARAMS.get("required", [])}


def test_the_tools_of_the_first_stages_are_there():
    assert set(NAMES) >= {
        "analyze_dependencies",
        "complete",
        "escalate_question",
        "list_files",
        "read_documentation",
        "read_file",
        "search_codebase",
    }


@pytest.mark.parametrize("name", NAMES)
def test_a_tool_describes_itself_in_one_short_line(name):
    described = TOOLS[name].DESCRIPTION
    assert (0 < len(described) <= 120, "\n" in described, described.strip() == described) == (True, False, True)


@pytest.mark.parametrize("name", NAMES)
def test_a_tools_parameters_are_a_closed_schema(name):
    schema = TOOLS[name].PARAMS
    Draft202012Validator.check_schema(schema)
    assert (schema["type"], schema["additionalProperties"]) == ("object", False)
    assert set(schema.get("required", [])) <= set(schema["properties"])


@pytest.mark.parametrize("name", NAMES)
def test_a_tool_is_used_asynchronously_and_says_whether_it_writes(name):
    assert inspect.iscoroutinefunction(TOOLS[name].use)
    assert list(inspect.signature(TOOLS[name].use).parameters) == ["params", "desk"]
    assert isinstance(TOOLS[name].WRITES, bool)


@pytest.mark.parametrize("name", NAMES)
def test_a_tool_works_on_a_real_repository_and_answers_in_text(root, name):
    used = use(root, name, good(name))
    assert used.outcome == "ok"
    assert used.summary == " ".join(used.summary.split())
    assert 0 < len(used.summary) <= 300
    assert used.output


@pytest.mark.parametrize("name", NAMES)
def test_unknown_parameters_are_refused(root, name):
    assert use(root, name, {**good(name), "unheard_of": 1}).outcome == "refused"


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_or_misshapen_parameter_is_refused(root, name):
    for key in TOOLS[name].PARAMS.get("required", []):
        short = {other: value for other, value in good(name).items() if other != key}
        assert use(root, name, short).outcome == "refused"
    for key in TOOLS[name].PARAMS["properties"]:
        assert use(root, name, {**good(name), key: None}).outcome == "refused"


@pytest.mark.parametrize("name", NAMES)
def test_no_tool_tells_what_is_hidden(root, name):
    assert "X=1" not in use(root, name, good(name)).output
    texts = {key: ".env" for key, facts in TOOLS[name].PARAMS["properties"].items() if facts.get("type") == "string"}
    used = use(root, name, {**good(name), **texts})
    assert "X=1" not in used.output


@pytest.mark.parametrize("name", NAMES)
def test_using_a_tool_leaves_the_repository_as_it_was(root, name):
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    use(root, name, good(name))
    assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before
