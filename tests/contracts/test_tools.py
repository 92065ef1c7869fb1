"""What every file in tools/ keeps to, built in or new."""

import asyncio
import importlib
import inspect
import pkgutil
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import thoughtforge.tools
from sessions import open_context
from thoughtforge.agent.bridge import Bridge, ToolLimits, ToolOutcome
from thoughtforge.code.tool_context import ToolContext
from thoughtforge.workspaces.git import Git, Repository
from thoughtforge.workspaces.patterns import parse_ignore
from thoughtforge.workspaces.tree import FileTree

NAMES = sorted(module.name for module in pkgutil.iter_modules(thoughtforge.tools.__path__))
SEED = """read_file list_files search_codebase read_documentation analyze_dependencies create_file edit_file move_file
delete_file run_command run_tests run_conformance_check run_type_check run_security_scan analyze_coverage
analyze_complexity generate_changelog create_release_notes verify_deployment_ready escalate_question complete"""
"""The tools the product promises by name."""
TOOLS: dict[str, Any] = {name: importlib.import_module(f"thoughtforge.tools.{name}") for name in NAMES}
FILES: dict[str, str | bytes] = {
    "README.md": "# App\n",
    "src/app/__init__.py": "",
    "src/app/main.py": "def main():\n    pass\n\n\nNAME: str = 1\n",
    "tests/test_main.py": "from app.main import main\n\n\ndef test_main():\n    assert main() is None\n",
    ".env": "X=1\n",
}
VALUES = {
    "path": "src/app/main.py",
    "text": "def",
    "question": "Which of the two is meant?",
    "impact": "minor",
    "artifact": {"summary": "x"},
}
"""A good value for each parameter some tool requires; a new tool with another one adds it here."""
GOOD: dict[str, dict[str, Any]] = {
    "append_tests": {"path": "tests/test_main.py", "content": "def test_more():\n    assert 1 == 2\n"},
    "create_file": {"path": "src/app/new.py", "content": "x = 1\n"},
    "create_release_notes": {"path": "docs/releases/one.md", "text": "# One\n"},
    "edit_file": {"path": "src/app/main.py", "old": "pass", "new": "return"},
    "generate_changelog": {"entries": [{"kind": "added", "text": "Something."}]},
    "move_file": {"path": "src/app/main.py", "to": "src/app/other.py"},
    "run_command": {"argv": ["ls", "-a"]},
}
"""Good parameters of tools for which the values above will not do."""


def good(name: str) -> dict[str, Any]:
    return GOOD.get(name) or {key: VALUES[key] for key in TOOLS[name].PARAMS.get("required", [])}


async def bridged(context: ToolContext, name: str, params: dict[str, Any]) -> ToolOutcome:
    limits = ToolLimits("software_architect", allowed=tuple(NAMES))
    return await Bridge(limits, tools=TOOLS, context=context, lock=asyncio.Lock()).use(name, params)


def use(folder: Path, name: str, params: dict[str, Any]) -> ToolOutcome:
    """Use a tool through the bridge at a context with everything on it."""

    async def whole() -> ToolOutcome:
        async with open_context(folder, FILES, commands=(("ls",),)) as context:
            return await bridged(context, name, params)

    return asyncio.run(whole())


def use_on_nothing(name: str, params: dict[str, Any]) -> ToolOutcome:
    """Use a tool where there is no file and no session."""
    nowhere = Repository(Path("nowhere"), Path("nowhere"))
    tree = FileTree(Git(nowhere, path=""), "0" * 40, ignore=parse_ignore(""), entries=())
    return asyncio.run(bridged(ToolContext(tree), name, params))


def test_every_promised_tool_is_there():
    assert set(NAMES) >= set(SEED.split())


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
    assert list(inspect.signature(TOOLS[name].use).parameters) == ["params", "context"]
    assert isinstance(TOOLS[name].WRITES, bool)


def test_the_tools_that_write_say_so():
    assert {name for name in NAMES if TOOLS[name].WRITES} == {
        *("append_tests", "create_file", "edit_file", "move_file", "delete_file", "create_release_notes")
    }


@pytest.mark.parametrize("name", NAMES)
def test_a_tool_works_on_a_real_repository_and_leaves_the_persons_own_as_it_was(tmp_path, name):
    used = use(tmp_path, name, good(name))
    assert used.outcome == "ok"
    assert used.summary == " ".join(used.summary.split())
    assert 0 < len(used.summary) <= 300
    assert used.output
    assert "X=1" not in used.output
    files = [path for path in (tmp_path / "source").rglob("*") if path.is_file() and ".git" not in path.parts]
    assert {str(path.relative_to(tmp_path / "source")): path.read_text() for path in files} == FILES


@pytest.mark.parametrize("name", [name for name in NAMES if not TOOLS[name].WRITES])
def test_a_tool_that_does_not_write_changes_no_file(tmp_path, name):
    async def whole() -> tuple[str, str, tuple[str, ...]]:
        async with open_context(tmp_path, FILES, commands=(("ls",),)) as context:
            workspace = context.the_session().workspace
            before = await workspace.tree()
            await bridged(context, name, good(name))
            return before, await workspace.tree(), await workspace.matches()

    before, after, differing = asyncio.run(whole())
    assert (after, differing) == (before, ())


@pytest.mark.parametrize("name", NAMES)
def test_no_tool_tells_what_is_hidden(tmp_path, name):
    texts = {key: ".env" for key, facts in TOOLS[name].PARAMS["properties"].items() if facts.get("type") == "string"}
    used = use(tmp_path, name, {**good(name), **texts})
    assert "X=1" not in used.output


@pytest.mark.parametrize("name", NAMES)
def test_a_stage_without_code_gets_an_answer_and_never_an_exception(name):
    assert use_on_nothing(name, good(name)).outcome in ("ok", "error")


@pytest.mark.parametrize("name", NAMES)
def test_unknown_parameters_are_refused(name):
    assert use_on_nothing(name, {**good(name), "unheard_of": 1}).outcome == "refused"


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_or_misshapen_parameter_is_refused(name):
    for key in TOOLS[name].PARAMS.get("required", []):
        short = {other: value for other, value in good(name).items() if other != key}
        assert use_on_nothing(name, short).outcome == "refused"
    for key in TOOLS[name].PARAMS["properties"]:
        assert use_on_nothing(name, {**good(name), key: None}).outcome == "refused"
