"""What a command-line agent is to us: its program, its options, how it is started and how its output is read."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

from pydantic import Field, field_validator

from thoughtforge.calls.port import Usage
from thoughtforge.calls.prices import Price
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.model import Value
from thoughtforge.sandbox.box import Mount
from thoughtforge.settings import outside


def records(data: bytes) -> Iterator[dict[str, Any]]:
    """One record per line; whatever else an agent prints between them is not for us."""
    for line in data.splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            yield record


class CliOptions(Value):
    """One entry of `providers:` whose kind is a command-line agent."""

    model: str = ""
    """The model's name, as the agent spells it; empty leaves the choice to the agent."""
    command: str = ""
    """The agent's program, by name or path; empty means its usual name."""
    key_env: str = ""
    """The variable that holds an API key; empty uses the login the agent has."""
    base_url: str = ""
    """The URL of its model; empty means the vendor's endpoint."""
    timeout_seconds: float = Field(default=300, gt=0)
    """The time limit of one call."""
    turn_seconds: float = Field(default=600, gt=0)
    """The time limit of one turn."""
    idle_seconds: float = Field(default=180, gt=0)
    """How long the agent and its model may send nothing before the engine ends the turn."""
    max_output_tokens: int | None = Field(default=None, ge=1)
    """The longest answer this model gives, where that is less than `call_output_tokens`."""
    price: Price | None = None
    """Overrides the price table. A model on this machine has no price without it."""
    context_window: int | None = Field(default=None, ge=1)
    """The most tokens of input and output together."""
    keep_conversation: bool = False
    """Whether a turn continues the conversation of one that submitted nothing, and drafter and auditor of a change plan
    continue theirs from round to round; otherwise each turn or answer starts a new one."""
    worker: bool = True
    """Whether it works on code autonomously; otherwise the engine prompts it step by step, like any model."""

    @field_validator("base_url")
    @classmethod
    def _is_a_url(cls, url: str) -> str:
        return outside.checked(url)


SHEBANG = re.compile(rb"#!\s*(\S+)(?:[ \t]+([^\r\n]+))?")


class AgentProgram(NamedTuple):
    """An agent's program, ready for a box."""

    path: Path
    mounts: tuple[Mount, ...]
    folders: tuple[Path, ...]
    """Where it looks for other programs, before the usual places."""


def found(cli: Cli, command: str, *, search_path: str, base: Path = Path()) -> AgentProgram:
    """The program with everything it needs; a UserError that says how to install it when it is not there."""
    name = command or cli.program
    place = shutil.which(str(base / name) if "/" in name else name, path=search_path)
    if place is None:
        raise UserError(f"{name} is not installed or not on PATH", do=f"Install it: {cli.install}")
    path = Path(place).resolve()
    mounts = list(_mounts(path))
    folders: list[Path] = []
    if interpreter := _interpreter(path, search_path):
        mounts += _interpreter_mounts(interpreter)
        folders.append(interpreter.parent)
    return AgentProgram(path, tuple(dict.fromkeys(mounts)), tuple(folders))


def _mounts(path: Path) -> tuple[Mount, ...]:
    """The outermost folder of packages it is in, as packages beside it are part of it; else the file alone."""
    from thoughtforge.testing.install import ALWAYS_THERE  # only a caged program needs it

    if any(path.is_relative_to(known) for known in ALWAYS_THERE):
        return ()
    packages = [parent for parent in path.parents if parent.name == "node_modules"]
    return (Mount(packages[-1] if packages else path),)


def _interpreter(path: Path, search_path: str) -> Path | None:
    """The program that runs a script, by its first line."""
    with path.open("rb") as file:
        first = SHEBANG.match(file.readline(1024))
    if not first:
        return None
    program, rest = first[1].decode(errors="replace"), (first[2] or b"").decode(errors="replace")
    if Path(program).name == "env":
        words = [word for word in rest.split() if not word.startswith("-") and "=" not in word]
        program = words[0] if words else ""
    place = shutil.which(program, path=search_path) if program else None
    if place is None:
        raise UserError(f"{path} needs {program or 'an interpreter'}, which is not installed", do=f"Install {program}.")
    return Path(place)


def _interpreter_mounts(interpreter: Path) -> tuple[Mount, ...]:
    from thoughtforge.testing.install import ALWAYS_THERE, venv_mounts  # only a caged program needs it

    if interpreter.resolve().name.startswith("python"):
        return venv_mounts(interpreter)
    real = interpreter.resolve()
    places = (Mount(real), Mount(real, target=interpreter)) if real != interpreter else (Mount(real),)
    return tuple(
        mount
        for mount in places
        if not any((mount.target or mount.source).is_relative_to(known) for known in ALWAYS_THERE)
    )


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


class TurnOutput(NamedTuple):
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
    images: bool
    """Whether it can be shown pictures."""

    def launch(self, ask: Ask) -> Launch:
        """What to start for this turn."""
        ...

    def read(self, ask: Ask, output: Output) -> TurnOutput:
        """What came of it. Raises ProviderError or Transient unless exit code, last record, text and errors agree."""
        ...

    def progress(self, line: bytes) -> str:
        """A few words on what a line of its output says it does; empty when it says nothing of interest."""
        ...
