"""One turn of a command-line agent, and the meter between it and its model."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from thoughtforge.calls.port import Model, Usage

Asgi = Callable[[Any, Any, Any], Awaitable[None]]
"""A web application: our tools as an MCP server, put together in agent/bridge_http.py."""


class Wanted(NamedTuple):
    """A request an agent wants to send to its model."""

    model: str
    body: bytes
    max_output: int
    """The longest answer it asks for; 0 when it names none."""


class Admission(NamedTuple):
    """Whether a request may go to the model."""

    refusal: str = ""
    """Why not; the turn ends with it."""
    max_output: int = 0
    """The longest answer it may ask for; put into the request."""
    ticket: str = ""


class Answered(NamedTuple):
    """How a request ended."""

    status: int
    """0 when no answer came."""
    model: str = ""
    usage: Usage = Usage()
    reply: bytes = b""
    """What came back, as it came."""
    error: str = ""
    usd: float | None = None
    """Its price, with what came from the vendor's cache priced as such; None when unknown."""


class Meter(Protocol):
    """Counts and caps every request of an agent to its model."""

    def admit(self, wanted: Wanted) -> Admission:
        """Called before a request is passed on; nothing is passed on without it."""
        ...

    def settle(self, ticket: str, answered: Answered) -> None:
        """Called once for each admitted request, also when it failed or was cut off."""
        ...


class Turn(NamedTuple):
    """The work of one agent turn."""

    system: str
    prompt: str
    folder: Path
    """The workspace; read-only to the agent."""
    tools: tuple[str, ...]
    """The names of our tools, for its allow list."""
    server: Asgi
    """Serves them; reached with the token and by nobody else."""
    token: str
    meter: Meter
    home: str
    """The name of its private home: one per task, stage, role and provider."""
    session: str = ""
    hidden: tuple[str, ...] = ()
    """Paths in the workspace that must not be seen: agent configuration, secrets, what the repository hides."""
    progress: Callable[[str], None] = lambda text: None
    wall_seconds: float | None = None
    """What is left of the task's time; its own limits hold besides."""


class TurnEnded(NamedTuple):
    """How it ended; what it did came through the tools."""

    text: str
    session: str = ""
    notes: tuple[str, ...] = ()
    """What a person should know: a weaker cage, hosts it reached, requests that could not be counted."""


class Worker(Model, Protocol):
    """A coding agent that works autonomously: a model that declares `worker`."""

    def limit(self, max_output: int) -> int:
        """The longest answer it asks its model for, when that many tokens are wanted; reserved and granted alike."""
        ...

    def turn(self, turn: Turn) -> Awaitable[TurnEnded]:
        """Let it work until it stops. Raises Transient or ProviderError; whatever it did is on record by then."""
        ...
