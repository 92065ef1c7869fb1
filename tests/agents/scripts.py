"""A coding agent's model as a script: the next tool of ours in each stage, whatever the agent calls our tools.

How the agents show the tools of an MCP server called `bridge` to their model, measured with the pinned versions:

| agent | name of `create_file` | several calls in one answer |
|---|---|---|
| claude | `mcp__bridge__create_file` | one after the other |
| codex | `create_file` in the namespace `mcp__bridge`; a call names both | one after the other |
| gemini | `mcp_bridge_create_file`, beside tools of its own such as `read_file` | together |
| opencode | `bridge_create_file` | together |

The answers come back plain (claude, opencode), after a line on the time they took (codex) or inside a mark that says
they are not to be trusted (gemini). Only claude and gemini tell their model that an answer is an error. opencode asks
for a title in a request of its own, without tools, unless it is given one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from flows.code_runs import replies
from harness.place import demo_rules
from model_server import Answer, Asked, Fail, Say, Tool, Use

PREFIXES = ("mcp__bridge__", "mcp_bridge_", "bridge_")
GROUP = "mcp__bridge"
STAGE = re.compile(r"^stage: (\w+)$", re.MULTILINE)
STAGED = re.compile(r"\^stage: (\w+)\$")
ENDLESS = 60
"""As often as any test lets an agent repeat itself."""
IN_ORDER = (1, 2, 3, 5, 4, 10, 11, 12, 13, 16, 15, 14, 18, 19, 20)
"""The rules of the demonstration that use tools, as they are met."""
TITLE = "You are a title generator"
USAGE = (100, 50)


class Step(NamedTuple):
    """One use of a tool of ours; without a name the turn ends here, with these words, and the next goes on after it."""

    tool: str
    params: Mapping[str, Any] = {}
    words: str | None = None


END = Step("")
Steps = Mapping[str, Sequence[Step]]
"""What to do in each stage."""


def tally() -> dict[str, list[Step]]:
    """The small task of the whole-run tests, from its specification to its delivery."""
    steps: dict[str, list[Step]] = {}
    for rule in replies().values():
        (stage,) = re.findall(r"^\^stage: (\w+)\$$", rule["when"]["context"][0])
        steps.setdefault(stage, []).append(Step(rule["reply"]["tool"], rule["reply"]["params"]))
    return steps


def demo() -> dict[str, list[Step]]:
    """The steps of the demonstration with tools; its rules are found by context, here they stand in their order."""
    rules = demo_rules()
    return from_rules([{**rules[number], "times": 1} for number in IN_ORDER])


def from_rules(rules: Sequence[Mapping[str, Any]]) -> dict[str, list[Step]]:
    """The steps in the rules of a playbook: each rule once, and the last of a stage as often as it is asked for."""
    steps: dict[str, list[Step]] = {}
    for rule in rules:
        context = rule.get("when", {}).get("context", [])
        seen = STAGED.findall(context if isinstance(context, str) else " ".join(context))
        step = _step(rule)
        if seen and step:
            steps.setdefault(seen[0], []).extend([step] * (1 if rule.get("times") else ENDLESS))
    return steps


def _step(rule: Mapping[str, Any]) -> Step | None:
    """What a rule means for an agent that acts by itself: a tool, or words that use none."""
    reply = rule.get("reply")
    if isinstance(reply, Mapping):
        return Step(reply["tool"], reply.get("params", {})) if "tool" in reply else None
    if isinstance(reply, str) or rule.get("malformed"):
        return Step("", words=reply or '{"tool": ')
    return Step("", words="") if rule.get("empty") else None


def ours(tool: Tool) -> str:
    """What the tool is called by us; empty for one that is not ours."""
    if tool.group:
        return tool.name if tool.group == GROUP else ""
    return next((tool.name.removeprefix(prefix) for prefix in PREFIXES if tool.name.startswith(prefix)), "")


def _called(tool: str, offered: Mapping[str, str]) -> str:
    """What the agent calls a tool of ours; one that is not offered is called as it would be."""
    known, name = next(iter(offered.items()))
    would = f"{GROUP}/{tool}" if known == name else name.removesuffix(known) + tool
    return offered.get(tool, would)


class Agent:
    """A script for the model server: the steps of the stage, and `complete` for requests without our tools."""

    def __init__(self, steps: Steps, complete: Callable[[Asked], Answer] | None = None, *, bold: bool = False) -> None:
        self.taken: list[tuple[str, Step]] = []
        """Each step that was asked for, with its stage."""
        self._left = {stage: list(some) for stage, some in steps.items()}
        self._complete = complete
        self._bold = bold
        """Whether it also asks for tools that are not offered."""
        self._given: dict[str, Answer] = {}

    def __call__(self, asked: Asked) -> Answer:
        tools = {ours(tool): tool.name for tool in asked.tools if ours(tool)}
        if not tools:
            return self._without_tools(asked)
        # The same question once more is a second try of the agent, not progress.
        key = repr((asked.system, asked.user, len(asked.calls), asked.results))
        if key not in self._given:
            self._given[key] = self._next(asked, tools)
        return self._given[key]

    def _next(self, asked: Asked, tools: Mapping[str, str]) -> Answer:
        found = STAGE.findall(f"{asked.system}\n{asked.user}")
        if not found:
            return Fail(400, "the request names no stage")
        stage = found[-1]
        left = self._left.get(stage, [])
        step = left.pop(0) if left else END
        if not step.tool:
            return Say(f"That is all for {stage}." if step.words is None else step.words, usage=USAGE)
        if step.tool not in tools and not self._bold:
            return Fail(400, f"{step.tool} is not offered in {stage}, only {', '.join(sorted(tools))}")
        self.taken.append((stage, step))
        return Use(_called(step.tool, tools), step.params, text=f"Next I use {step.tool}.", usage=USAGE)

    def _without_tools(self, asked: Asked) -> Answer:
        if asked.system.startswith(TITLE) or self._complete is None:
            return Say("A small task", usage=(10, 2))
        if asked.tool and any(result.tool == asked.tool for result in asked.results):
            # The answer was handed in by a tool and taken; the turn only needs its end.
            return Say("It is handed in.", usage=(10, 2))
        return self._complete(asked)
