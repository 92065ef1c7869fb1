"""A coding agent's command line as data: what to start, and what its output means. Each provider file fills this in.

Nothing here starts a process: `cages/agent.py` does, in the same way for all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

from thoughtforge.calls.port import Usage

Api = Literal["anthropic", "responses", "openai", "google"]
"""The wire format an agent speaks to its model; `responses` is OpenAI's newer one."""


class Door(NamedTuple):
    """Where an agent finds our tools: an MCP server over HTTP, and the token that opens it."""

    url: str
    token: str
    tools: tuple[str, ...]


class Ask(NamedTuple):
    """One turn of a command-line agent. All paths and addresses are as its process sees them."""

    system: str
    prompt: str
    model: str
    """Empty: the agent's own default."""
    model_url: str
    """The base URL of the model proxy."""
    home: Path
    """Its private home."""
    work: Path
    """The folder it starts in."""
    key: str = ""
    """The API key to send; empty when the person's login is used."""
    schema: Mapping[str, Any] | None = None
    max_output: int = 0
    """The longest answer wanted, in tokens; 0 leaves it to the agent. The proxy enforces it in every case."""
    door: Door | None = None
    """None for a pure completion: then no tool of any kind is on."""
    session: str = ""
    """The conversation to go on with; empty begins a new one."""
    images: tuple[Path, ...] = ()


class Launch(NamedTuple):
    """What to start. The program itself is found by its name; `argv` has what follows it."""

    argv: tuple[str, ...]
    stdin: bytes = b""
    env: Mapping[str, str] = {}
    files: Mapping[str, str] = {}
    """Path in the private home → text, written before the start."""


class Output(NamedTuple):
    """What the process left."""

    code: int
    stdout: bytes
    stderr: bytes


class Told(NamedTuple):
    """What a finished turn said."""

    text: str
    """The answer; with a schema the JSON text of the structured answer."""
    session: str = ""
    """The conversation, to go on with later."""
    model: str = ""
    usage: Usage = Usage()
    """Tokens as the agent itself says; the proxy's own count goes before it."""
    cumulative: bool = False
    """Whether `usage` (and `usd`) count the whole conversation and not this turn."""
    usd: float | None = None


class Cli(Protocol):
    """The facts of one command-line agent."""

    program: str
    """The program's name, or a path to it."""
    api: Api
    endpoint: str
    """Where its model is when nothing else is configured."""
    login: tuple[str, ...]
    """Files below the person's home that hold its login; copied into the private home, nothing else is."""
    parts: tuple[str, ...]
    """Entries of those files that are for this use of it; the others stay with the person. Empty for all of them."""
    moved: tuple[str, str]
    """A variable of the person's that moves a folder of those files, and that folder; both empty without one."""
    hosts: tuple[str, ...]
    """Hosts it must reach besides its endpoint when it uses a login (renewing it); open by CONNECT only then."""
    install: str
    """The command that installs it."""
    log_in: str
    """The command that logs in."""

    def launch(self, ask: Ask) -> Launch:
        """What to start for this turn."""
        ...

    def read(self, ask: Ask, output: Output) -> Told:
        """What came of it. Raises ProviderError or Transient unless exit code, last record, text and errors agree."""
        ...

    def progress(self, line: bytes) -> str:
        """A few words on what a line of its output says it does; empty when it says nothing of interest."""
        ...
