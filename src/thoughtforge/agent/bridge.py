"""The only way from an agent to a tool: what the role may use, with which parameters, on which paths, one at a time."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, Literal, NamedTuple, Protocol

from thoughtforge.code.tool_context import ToolContext, ToolResult
from thoughtforge.code.write_policy import allowed, clean, split
from thoughtforge.contracts.validate import repaired
from thoughtforge.kernel.errors import UserError

PATH_PARAMS = ("path", "to")
"""Parameters that name a file. A tool that takes a path names it so."""
TEXT_PARAMS = ("content", "new", "edits", "patch")
"""Parameters that become the text of a file."""
MASK = re.compile(r"\[masked:[^\]\s]+\]")
"""What the record has in place of a secret."""


class Tool(Protocol):
    """What a file in tools/ offers."""

    DESCRIPTION: str
    PARAMS: dict[str, Any]
    WRITES: bool

    def use(self, params: dict[str, Any], context: ToolContext) -> Awaitable[ToolResult]: ...


class ToolLimits(NamedTuple):
    """What a role may do, as its file says."""

    role: str
    allowed: tuple[str, ...]
    forbidden: tuple[str, ...] = ()
    path_constraints: Mapping[str, str] = {}
    """Tool → comma list of path patterns."""
    is_test: Callable[[str], bool] | None = None
    """Which files are tests; known once there is a workspace."""
    refusal: Callable[[str], str] = lambda path: ""
    """Why a path is not written in this stage, whatever the role's file says."""


class ToolOutcome(NamedTuple):
    """What came of an action. `refused` means that the tool was never asked."""

    outcome: Literal["ok", "error", "refused"]
    summary: str
    output: str
    end: dict[str, Any] | None = None


class Bridge:
    """Holds one role to its limits. All bridges of one workspace share one lock: agents call in parallel."""

    def __init__(
        self, limits: ToolLimits, *, tools: Mapping[str, Tool], context: ToolContext, lock: asyncio.Lock
    ) -> None:
        for constraint in limits.path_constraints.values():
            split(constraint)
        self.limits = limits
        self.tools = {name: tools[name] for name in limits.allowed if name in tools}
        self.offered = tuple(name for name in self.tools if name not in limits.forbidden)
        """The tools that this role may use and that there are, in the role's order."""
        self.context = context
        self.lock = lock

    async def use(self, name: str, params: dict[str, Any]) -> ToolOutcome:
        """Use a tool, or say why not. A refusal is an answer; an exception from here is a bug in a tool."""
        if why := self._forbidden(name):
            return _refused([why])
        tool = self.tools[name]
        problems = parameter_problems(tool.PARAMS, params)
        if not isinstance(params, dict):
            return _refused([f"{name}: {problem}" for problem in problems])
        if problems:
            params = plain_params(tool.PARAMS, params)
            problems = [f"{name}: {problem}" for problem in parameter_problems(tool.PARAMS, params)]
        if tool.WRITES and (hidden := _masked(params)):
            problems.append(f"{name}: the text contains a secret ({hidden}). Let the code read it instead.")
        plain, wrong = self._on_allowed_paths(name, params)
        if problems or wrong:
            return _refused([*problems, *wrong])
        async with self.lock:
            try:
                result = await tool.use(plain, self.context)
            except UserError as mistake:
                return ToolOutcome("error", _line(mistake.what), _told(mistake))
        return ToolOutcome("ok" if result.ok else "error", _line(result.summary), result.output, result.end)

    def may_write(self, path: str) -> bool:
        """Whether the role may write a clean path in this stage with any of its tools."""
        writing = [name for name in self.offered if self.tools[name].WRITES]
        constraints = (self.limits.path_constraints.get(name, "") for name in writing)
        fits = any(allowed(path, constraint, self.limits.is_test) for constraint in constraints)
        return fits and not self.limits.refusal(path)

    def _forbidden(self, name: str) -> str:
        role, may = self.limits.role, f"Allowed tools: {', '.join(self.offered) or 'none'}."
        if name in self.limits.forbidden:
            return f"{name} is forbidden for {role}. {may}"
        if name not in self.limits.allowed:
            return f"{name} is not a tool of {role}. {may}"
        return "" if name in self.tools else f"{name} does not exist in this version. {may}"

    def _on_allowed_paths(self, name: str, params: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
        """The parameters with their paths made plain, and every path that will not do."""
        constraint = self.limits.path_constraints.get(name, "")
        plain, problems = dict(params), list[str]()
        for key in PATH_PARAMS:
            if not isinstance(params.get(key), str) or not params[key]:
                continue
            try:
                plain[key] = clean(params[key])
            except UserError as mistake:
                problems.append(f"{key}: {mistake.what}")
                continue
            why = self.limits.refusal(plain[key]) if self.tools[name].WRITES else ""
            if why:
                problems.append(f"{key}: {why}")
            elif not allowed(plain[key], constraint, self.limits.is_test):
                problems.append(
                    f"{key}: {plain[key]} is outside the paths of {self.limits.role} for {name}: {constraint}"
                )
        return plain, problems


def plain_params(schema: dict[str, Any], params: dict[str, Any]) -> dict[str, Any]:
    """Parameters with what costs nothing put right: values written as text, an artifact that is not wrapped."""
    if list(schema["properties"]) == ["artifact"] and params and "artifact" not in params:
        params = {"artifact": params}
    plain: dict[str, Any] = repaired(schema, params)
    return plain


def _masked(params: dict[str, Any]) -> str:
    """The marks of secrets in what is to be written: a mark in place of the secret would be other code."""
    texts = [str(params[key]) for key in TEXT_PARAMS if key in params]
    return ", ".join(sorted({mark for text in texts for mark in MASK.findall(text)}))


def parameter_problems(schema: dict[str, Any], params: object) -> list[str]:
    """Everything that is wrong with the parameters of an action."""
    from jsonschema import Draft202012Validator

    errors = Draft202012Validator(schema).iter_errors(params)
    found = sorted((error.json_path.removeprefix("$").lstrip("."), error.message) for error in errors)
    return [f"{where or 'parameters'}: {_line(message)}" for where, message in found]


def describe(names: Iterable[str], tools: Mapping[str, Tool]) -> dict[str, str]:
    """Each tool as an agent reads of it: what it does and its parameters, `?` on those that may be left out."""
    return {name: f"{tools[name].DESCRIPTION} {_signature(tools[name].PARAMS)}" for name in names if name in tools}


def _signature(schema: dict[str, Any]) -> str:
    needed = schema.get("required", [])
    parts = [f"{name}{'' if name in needed else '?'}: {_kind(facts)}" for name, facts in schema["properties"].items()]
    return f"({', '.join(parts)})"


def _kind(facts: Mapping[str, Any]) -> str:
    inner = facts.get("items", {})
    if "properties" in inner:
        needed = inner.get("required", [])
        names = ", ".join(f"{name}{'' if name in needed else '?'}" for name in inner["properties"])
        return f"array of {{{names}}}"
    return facts.get("type") or " | ".join(facts.get("enum", ["any"]))


def _refused(problems: list[str]) -> ToolOutcome:
    return ToolOutcome("refused", _line("; ".join(problems)), "\n".join(problems))


def _told(mistake: UserError) -> str:
    return "\n".join(part for part in (mistake.what, *mistake.details, mistake.do) if part)


def _line(text: str) -> str:
    """One line of bounded length, for the record."""
    flat = " ".join(text.split())
    return flat if len(flat) <= 300 else f"{flat[:299]}…"
