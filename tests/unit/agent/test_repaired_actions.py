"""An action whose parameters have slips that cost nothing is carried out; every other fault is told at once."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from thoughtforge.agent.bridge import Bridge, ToolLimits, ToolOutcome
from thoughtforge.code.tool_context import ToolContext
from thoughtforge.tools import complete, create_file, read_file
from thoughtforge.workspaces.git import Git, Repository
from thoughtforge.workspaces.patterns import parse_ignore
from thoughtforge.workspaces.tree import FileTree

TOOLS: dict[str, Any] = {"complete": complete, "create_file": create_file, "read_file": read_file}


def use(name: str, params: dict[str, Any]) -> ToolOutcome:
    nowhere = Repository(Path("nowhere"), Path("nowhere"))
    tree = FileTree(Git(nowhere, path=""), "0" * 40, ignore=parse_ignore(""), entries=())
    limits = ToolLimits("x", allowed=tuple(TOOLS))
    return asyncio.run(Bridge(limits, tools=TOOLS, context=ToolContext(tree), lock=asyncio.Lock()).use(name, params))


def test_an_artifact_that_is_not_wrapped_or_is_written_as_text_is_taken() -> None:
    wanted = {"artifact": {"files": [1]}}
    assert use("complete", {"files": [1]}).end == wanted
    assert use("complete", {"artifact": '{"files": [1]}'}).end == wanted


def test_a_number_written_as_text_is_a_number() -> None:
    assert use("read_file", {"path": "a.py", "start_line": "3"}).outcome == "error"  # tried: no such file


def test_every_wrong_parameter_and_path_is_told_at_once() -> None:
    told = use("create_file", {"path": "../a.py", "mode": 1})
    assert told.outcome == "refused"
    assert all(part in told.output for part in ("'content' is a required property", "'mode'", "it contains .."))
