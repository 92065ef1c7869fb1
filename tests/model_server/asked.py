"""What a request asked, whichever wire format it came in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from model_server.answers import Call

LOGINS = ("authorization", "x-api-key", "x-goog-api-key")
OUTPUT_TOOL = "StructuredOutput"
"""What agents call the tool that an answer with a schema is handed in with, beside their other tools."""


@dataclass(frozen=True)
class Tool:
    """A tool the model may call."""

    name: str
    schema: Mapping[str, Any]
    description: str = ""
    group: str = ""
    """The namespace it was offered in; a call must name it too. Only the responses format has these."""


@dataclass(frozen=True)
class Result:
    """What came back for an earlier call."""

    tool: str
    text: str
    is_error: bool | None = None
    """None where the format has no word for it."""


@dataclass(frozen=True)
class Asked:
    """One request as it came, and what was read from it."""

    api: str
    path: str
    headers: Mapping[str, str]
    """By lower-case name."""
    body: dict[str, Any]
    model: str = ""
    system: str = ""
    user: str = ""
    schema: Mapping[str, Any] | None = None
    tool: str = ""
    """The name of the tool the schema came with; empty when it came as an output format or not at all."""
    stream: bool = False
    tools: tuple[Tool, ...] = ()
    """Every tool offered."""
    calls: tuple[Call, ...] = ()
    """What the model called so far in this conversation, oldest first."""
    results: tuple[Result, ...] = ()
    """What came back for it."""
    size: int = 0
    """Bytes of the body."""

    @property
    def login(self) -> dict[str, str]:
        """The headers that say who asks."""
        return {name: self.headers[name] for name in LOGINS if name in self.headers}

    @property
    def offered(self) -> tuple[str, ...]:
        """The names of the tools."""
        return tuple(tool.name for tool in self.tools)


def output_tool(tools: tuple[Tool, ...], *, forced: bool) -> Tool | None:
    """The tool that stands for a schema: one that must be called, or one that is named for it."""
    if forced and len(tools) == 1:
        return tools[0]
    return next((tool for tool in tools if tool.name == OUTPUT_TOOL), None)
