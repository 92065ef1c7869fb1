"""The bridge lets a role do what it may, refuses the rest in words, and lets one action in at a time."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from thoughtforge.agent.bridge import Bridge, ToolLimits, ToolOutcome, describe
from thoughtforge.code.tool_context import ToolContext, ToolResult
from thoughtforge.kernel.errors import UserError
from thoughtforge.workspaces.git import Git, Repository
from thoughtforge.workspaces.patterns import parse_ignore
from thoughtforge.workspaces.tree import FileTree


class Write:
    """A tool that keeps what it was asked, giving way in between as real ones do."""

    DESCRIPTION = "Write a file."
    PARAMS: dict[str, Any] = {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "to": {"type": "string"},
            "kind": {"enum": ["text", "data"]},
            "count": {"type": "integer", "minimum": 1},
        },
        "required": ["path"],
        "additionalProperties": False,
    }
    WRITES = True

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.inside = 0
        self.most_inside = 0

    async def use(self, params: dict[str, Any], context: ToolContext) -> ToolResult:
        self.inside += 1
        self.most_inside = max(self.inside, self.most_inside)
        await asyncio.sleep(0)
        self.inside -= 1
        self.asked.append(params)
        if params["path"] == "missing":
            raise UserError("there is no file\nmissing", do="List the files.", details=("one", "two"))
        if params["path"] == "bug":
            raise ZeroDivisionError("a bug")
        return ToolResult(params["path"] != "fails", "wrote\nit", "wrote it, at length", {"path": params["path"]})


def context() -> ToolContext:
    nowhere = Repository(Path("nowhere"), Path("nowhere"))
    return ToolContext(FileTree(Git(nowhere, path=""), "0" * 40, ignore=parse_ignore(""), entries=()))


def bridge(tool: Write | None = None, lock: asyncio.Lock | None = None, **limits: Any) -> Bridge:
    facts = {"role": "test_engineer", "allowed": ("write", "read", "later"), "forbidden": ("deploy", "read")}
    tools = {"write": tool or Write(), "read": Write(), "deploy": Write(), "other": Write()}
    return Bridge(ToolLimits(**facts | limits), tools=tools, context=context(), lock=lock or asyncio.Lock())


def use(name: str, params: Any, tool: Write | None = None, **limits: Any) -> ToolOutcome:
    return asyncio.run(bridge(tool, **limits).use(name, params))


def refused(*lines: str) -> ToolOutcome:
    return ToolOutcome("refused", "; ".join(lines), "\n".join(lines))


def test_an_allowed_action_reaches_the_tool_with_its_paths_made_plain():
    tool = Write()
    used = use("write", {"path": "./a//b.py", "to": "c"}, tool)
    assert used == ToolOutcome("ok", "wrote it", "wrote it, at length", {"path": "a/b.py"})
    assert tool.asked == [{"path": "a/b.py", "to": "c"}]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("deploy", "deploy is forbidden for test_engineer. Allowed tools: write."),
        ("read", "read is forbidden for test_engineer. Allowed tools: write."),
        ("other", "other is not a tool of test_engineer. Allowed tools: write."),
        ("unheard_of", "unheard_of is not a tool of test_engineer. Allowed tools: write."),
        ("later", "later does not exist in this version. Allowed tools: write."),
    ],
)
def test_a_tool_outside_the_limits_is_refused_with_its_own_reason_and_what_is_allowed(name, said):
    assert use(name, {}) == refused(said)


def test_all_bad_parameters_are_reported_and_the_tool_is_not_asked():
    tool = Write()
    assert use("write", {"kind": "x", "count": 0, "extra": 1}, tool) == refused(
        "write: parameters: 'path' is a required property",
        "write: parameters: Additional properties are not allowed ('extra' was unexpected)",
        "write: count: 0 is less than the minimum of 1",
        "write: kind: 'x' is not one of ['text', 'data']",
    )
    assert tool.asked == []


@pytest.mark.parametrize("params", [None, [], "path"])
def test_parameters_that_are_no_object_are_refused(params):
    assert use("write", params).outcome == "refused"


def test_every_path_is_checked_and_all_bad_ones_are_named():
    tool = Write()
    limits = {"path_constraints": {"write": "tests/**/*"}}
    assert use("write", {"path": "../x", "to": "src/a.py"}, tool, **limits) == refused(
        "path: the path '../x' is invalid: it contains ..",
        "to: src/a.py is outside the paths of test_engineer for write: tests/**/*",
    )
    assert use("write", {"path": "tests/x/../../src/a.py"}, tool, **limits).outcome == "refused"
    assert tool.asked == []
    assert use("write", {"path": "tests/a.py", "to": "./tests/b.py"}, tool, **limits).outcome == "ok"


def test_a_constraint_of_another_tool_does_not_bind():
    assert use("write", {"path": "src/a"}, path_constraints={"read": "tests/**"}).outcome == "ok"


def test_a_bad_constraint_is_refused_when_the_bridge_is_built():
    with pytest.raises(UserError, match="invalid patterns"):
        bridge(path_constraints={"write": "/etc/**"})


def test_a_mistake_of_a_tool_is_an_answer_with_all_it_says():
    assert use("write", {"path": "missing"}) == ToolOutcome(
        "error", "there is no file missing", "there is no file\nmissing\none\ntwo\nList the files."
    )


def test_a_tool_that_did_not_succeed_is_an_error():
    assert use("write", {"path": "fails"}) == ToolOutcome("error", "wrote it", "wrote it, at length", {"path": "fails"})


def test_a_bug_in_a_tool_escapes_and_frees_the_workspace():
    async def twice() -> ToolOutcome:
        one = bridge()
        with pytest.raises(ZeroDivisionError):
            await one.use("write", {"path": "bug"})
        return await one.use("write", {"path": "a"})

    assert asyncio.run(twice()).outcome == "ok"


class Keep(Write):
    """A tool that takes the text of a file."""

    TEXTS = {"content": {"type": "string"}, "edits": {"type": "array", "items": {"type": "object"}}}
    PARAMS = {**Write.PARAMS, "properties": {**Write.PARAMS["properties"], **TEXTS}}


MASKED = 'KEY = "[masked:aws_key_id]"'


@pytest.mark.parametrize("texts", [{"content": MASKED}, {"edits": [{"old": "x", "new": MASKED}]}])
def test_the_mark_that_stands_for_a_secret_is_never_written_into_a_file(texts):
    tool = Keep()
    used = asyncio.run(bridge(tool).use("write", {"path": "a.py", **texts}))
    said = "write: the text contains a secret ([masked:aws_key_id]). Let the code read it instead."
    assert (used, tool.asked) == (ToolOutcome("refused", said, said), [])


def test_bridges_of_one_workspace_let_one_action_in_at_a_time():
    tool = Write()

    async def crowd() -> None:
        lock = asyncio.Lock()
        bridges = [bridge(tool, lock), bridge(tool, lock, role="software_developer")]
        await asyncio.gather(*(each.use("write", {"path": str(at)}) for at in range(4) for each in bridges))

    asyncio.run(crowd())
    assert (tool.most_inside, len(tool.asked)) == (1, 8)


def test_a_long_reason_is_cut_to_one_line_in_the_summary_only():
    used = use("write", {"path": "../" + "x" * 1000})
    assert (len(used.summary), len(used.output) > 1000) == (300, True)


def test_tools_are_described_with_their_parameters_and_missing_ones_left_out():
    assert describe(("write", "later"), {"write": Write()}) == {
        "write": "Write a file. (path: string, to?: string, kind?: text | data, count?: integer)"
    }
