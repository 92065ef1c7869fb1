"""Which dependencies a specification adds, and who changed what is declared."""

from __future__ import annotations

from typing import Any

import pytest

from sessions import SHELF, in_session
from thoughtforge.code.dependencies import Dependency, added, by_engine, declaring, measure, named
from thoughtforge.code.exit import ExitReport
from thoughtforge.code.tool_context import Edit, ToolContext
from thoughtforge.kernel.errors import UserError

FILES = {**SHELF, "pyproject.toml": '[project]\nname = "shelf"\ndependencies = ["rich>=13"]\n'}
SPECIFICATION = {"dependencies": ["click >= 8.1", "Rich", "json"]}
DECLARED = '[project]\nname = "shelf"\ndependencies = ["rich>=13", "click >= 8.1"]\n'


@pytest.mark.parametrize(
    ("given", "lines"),
    [
        ([], []),
        (None, []),
        (["none"], []),
        (["click>=8.1,<9", "rich[all]"], ["click>=8.1,<9", "rich[all]"]),
        ({"external": ["click"], "tasks": []}, ["click"]),
        ({"external": [{"artifact": "click", "version": "8.1.7"}]}, ["click==8.1.7"]),
        (
            {"external": [{"artifact": "click", "version": ">=8"}, {"artifact": "rich", "version": "*"}]},
            ["click>=8", "rich"],
        ),
    ],
)
def test_both_ways_to_name_them_are_read(given: Any, lines: list[str]) -> None:
    assert [one.line for one in named({"dependencies": given})] == lines


@pytest.mark.parametrize("line", ["click @ https://example.org/x.whl", "-r other.txt", "./here", "a; b", "git+ssh://x"])
def test_what_is_no_package_of_an_index_is_refused(line: str) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        named({"dependencies": [line]})


def test_what_is_declared_or_comes_with_python_is_not_added() -> None:
    async def act(context: ToolContext) -> object:
        return await added(context.the_session(), SPECIFICATION)

    assert in_session(act, FILES) == (Dependency("click", "click >= 8.1"),)


EDITS = {
    "nothing": ({}, ["click>=8.1 is not declared any more"]),
    "the engine's": ({"pyproject.toml": DECLARED}, []),
    "another one too": (
        {"pyproject.toml": DECLARED.replace('"rich', '"evil", "rich')},
        ["pyproject.toml declares evil, which the specification does not add"],
    ),
    "one less": (
        {"pyproject.toml": DECLARED.replace('"rich>=13", ', "")},
        ["pyproject.toml no longer declares rich>=13"],
    ),
    "other versions": (
        {"pyproject.toml": DECLARED.replace("8.1", "7")},
        [
            "pyproject.toml declares click>= 7, which the specification does not add",
            "click>=8.1 is not declared any more",
        ],
    ),
    "another file": (
        {"pyproject.toml": DECLARED, "requirements-dev.txt": "evil\n", "uv.lock": "\n"},
        [
            "uv.lock was created; package managers write it",
            "requirements-dev.txt declares evil, which the specification does not add",
        ],
    ),
}


@pytest.mark.parametrize("name", EDITS)
def test_only_what_the_specification_adds_is_declared(name: str) -> None:
    texts, problems = EDITS[name]

    async def act(context: ToolContext) -> tuple[list[str], frozenset[str]]:
        session = context.the_session()
        await context.write([Edit(path, text.encode()) for path, text in texts.items()])
        workspace = session.workspace
        exit = ExitReport(await workspace.tree())
        changes = await workspace.changes(workspace.base, exit.tree)
        await measure(exit, session, changes, specification=SPECIFICATION)
        return exit.report["problems"]["dependencies_by_engine"], await by_engine(session, SPECIFICATION, exit.tree)

    found, ours = in_session(act, FILES)
    assert found == problems
    assert ours == ({"pyproject.toml"} if texts.get("pyproject.toml") == DECLARED else frozenset())


def test_the_engine_declares_it_where_the_project_does() -> None:
    async def act(context: ToolContext) -> object:
        return await declaring(context.the_session(), await added(context.the_session(), SPECIFICATION))

    assert in_session(act, FILES) == ("pyproject.toml", DECLARED)
