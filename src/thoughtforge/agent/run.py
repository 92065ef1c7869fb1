"""What a driver works with in one run of one task: the record, the people, the library and, where it needs it, code.

A stage that takes more than one call has a loop of its own, `drive`: look at the record, decide what is next, do it;
until it is done or a person is needed. `next_turn` is a pure function of a frozen view, so a crash changes nothing: the
next runner sees the same record and decides the same.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from thoughtforge.agent.bridge import Bridge, Tool, ToolLimits
from thoughtforge.agent.memory import MEMORIES, Memory
from thoughtforge.calls.port import Model, longest_answer
from thoughtforge.catalog import Catalog
from thoughtforge.code.tool_context import ToolContext
from thoughtforge.contracts.context import ValidationContext
from thoughtforge.contracts.contract import Contract
from thoughtforge.definitions.role import Role
from thoughtforge.forge.place import PlanPlace
from thoughtforge.kernel.errors import Stop
from thoughtforge.kernel.loop import Journal
from thoughtforge.kernel.model import Digest, JsonObject, Task
from thoughtforge.kernel.ports import Blobs
from thoughtforge.kernel.state import StageState, State
from thoughtforge.kernel.stops import StopReason
from thoughtforge.settings.config import Config
from thoughtforge.settings.environment import Machine
from thoughtforge.store.secrets import Masker
from thoughtforge.workspaces.tree import FileTree

if TYPE_CHECKING:
    from thoughtforge.code.session import CodeSession
    from thoughtforge.workspaces.project import Project


class Agent(NamedTuple):
    """A role bound to a provider."""

    role: Role
    provider: str
    model: Model
    fallback: Agent | None = None
    """Who is asked when this provider fails for good; None: a person is."""


class ByHand:
    """Who answers the next call of this run in place of its own provider; nobody unless a person asked for it."""

    def __init__(self) -> None:
        self.who: StandIn | None = None

    def take(self) -> StandIn | None:
        """Whoever is to answer this call; the one after it goes to its own provider."""
        who, self.who = self.who, None
        return who


class StandIn(NamedTuple):
    """A provider that answers one call for another one."""

    provider: str
    model: Model


class Permission(NamedTuple):
    """A person's word on one action: allowed, or why not."""

    allowed: bool
    reason: str = ""


LOOK_EVERY = 0.2
"""Seconds between looks into the inbox."""
T = TypeVar("T")
View = TypeVar("View")

Ask = Callable[[str, JsonObject], Awaitable[Permission]]
"""Asks a person before an action."""


@dataclass(frozen=True)
class TaskRecord:
    """What is known of the task: its journal, its blobs, and what is read from them."""

    journal: Journal
    blobs: Blobs
    unmasked: dict[Digest, str] = field(default_factory=dict)
    """Tool output as it was, by the digest of what the record keeps of it; filled only when it may be sent."""
    known: dict[Digest, str] = field(default_factory=dict)
    """Artifacts and the request, by digest: content that cannot change."""

    @property
    def state(self) -> State:
        """The task as its log tells it now."""
        return self.journal.state

    @property
    def task(self) -> Task:
        """The task at hand."""
        return self.state.the_task()

    def stage(self, name: str) -> StageState:
        """How a stage stands now."""
        return self.state.stage(name)

    def memory(self, stage: str) -> Memory:
        """What the agent of a stage remembers."""
        return self.journal.of(MEMORIES).stage(stage)

    def artifact(self, digest: Digest) -> JsonObject | None:
        """An artifact's content, or None when it is no JSON object."""
        try:
            data = json.loads(self.text(digest))
        except ValueError:
            return None
        return data if isinstance(data, dict) else None

    def versions(self, stage: str) -> list[JsonObject]:
        """Every version of a stage's artifact, oldest first."""
        found = (self.artifact(digest) for digest in self.stage(stage).versions)
        return [data for data in found if data is not None]

    def text(self, digest: Digest) -> str:
        """What every step of a stage reads again is read, and proved, once."""
        if digest not in self.known:
            self.known[digest] = self.blobs.get(digest).decode("utf-8", "replace")
        return self.known[digest]

    def accepted(self) -> dict[str, JsonObject]:
        """Contract → accepted artifact."""
        found = {contract: self.artifact(digest) for contract, digest in self.state.artifacts().items()}
        return {contract: data for contract, data in found.items() if data is not None}

    def request(self) -> str:
        """The whole request."""
        return self.text(self.task.request_digest)

    def put(self, data: Any) -> Digest:
        """Keep an artifact."""
        text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False, indent=1)
        return self.blobs.put(text.encode("utf-8", "replace"))


@dataclass(frozen=True)
class People:
    """How those who follow the task are heard, shown and asked."""

    waiting: Callable[[], Sequence[object]]
    """The messages in the inbox."""
    absorb: Callable[[], None]
    """Turns those messages into events."""
    live: Callable[[str | None], None]
    """Shows a piece of a reply as it streams; None begins a new reply."""
    ask: Ask | None = None
    """None when no person wants to be asked."""
    notify: Callable[[str], Awaitable[None]] | None = None
    """Tells people of a milestone; None when no channel is set up."""

    def drain_inbox(self) -> None:
        """Turn waiting messages into events."""
        if self.waiting():
            self.absorb()


@dataclass(frozen=True)
class RunLibrary:
    """What applies to the task: data files, agents, files of the base commit and settings."""

    catalog: Catalog
    contracts: Mapping[str, Contract]
    tools: Mapping[str, Tool]
    tree: FileTree
    agent: Callable[[str], Agent]
    """The agent that fills a role."""
    masker: Masker
    project_rules: str
    """The repository's own AGENTS.md at the base commit."""
    config: Config
    machine: Machine


async def _no_session() -> None:
    return None


@dataclass(frozen=True)
class Run:
    """One run of one task."""

    record: TaskRecord
    people: People
    library: RunLibrary
    stopwatch: Callable[[], float]
    session: Callable[[], Awaitable[CodeSession | None]] = _no_session
    """What the stages that write code work with, opened once; None when the task writes none."""
    project: Project | None = None
    """The repository of a thought; None for every other task."""
    plans: PlanPlace | None = None
    """Where the file of a change plan lies; None for every other task."""
    workspace: Path | None = None
    """Where the files of the session lie; they may be there before it is opened."""
    by_hand: ByHand = field(default_factory=ByHand)
    """Whether somebody else answers the next call."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """One for the workspace: agents may act in parallel, their actions may not."""

    def bridge(self, role: Role, context: ToolContext | None = None, **more: Any) -> Bridge:
        """The tools of a role, held to its limits; `more` are limits of the stage."""
        limits = ToolLimits(role.name, role.allowed, role.forbidden, role.path_constraints, **more)
        return Bridge(
            limits, tools=self.library.tools, context=context or ToolContext(self.library.tree), lock=self.lock
        )

    def answer_tokens(self, agent: Agent) -> int:
        """The longest answer to ask an agent for."""
        return longest_answer(self.library.config.call_output_tokens, agent.model.capabilities)

    def given(self) -> ValidationContext:
        """What contract rules may look at."""
        return ValidationContext(
            artifacts=self.record.accepted(),
            paths=frozenset(entry.path for entry in self.library.tree.paths()),
            request=self.record.request(),
            contracts=frozenset(self.library.contracts),
            tools=frozenset(self.library.tools),
        )


async def allowed(run: Run, action: str, params: JsonObject) -> None:
    """Ask the person if they want to be asked; a refusal stops the task, because nothing else is left to do."""
    permission = await run.people.ask(action, params) if run.people.ask else Permission(True)
    if not permission.allowed:
        raise Stop(StopReason.paused, f"{action} was not allowed: {permission.reason}")


async def run_until_aborted(journal: Journal, absorb: Callable[[], None], work: Awaitable[T]) -> T:
    """What the work comes to; Stop when the task was aborted before that."""
    task = asyncio.ensure_future(work)
    try:
        while not task.done():
            await asyncio.wait({task}, timeout=LOOK_EVERY)
            if task.done():
                break
            absorb()
            if journal.state.stop is StopReason.aborted:
                raise Stop(StopReason.aborted)
        return task.result()
    finally:
        if not task.done():
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


class Done(NamedTuple):
    """The loop is over; `how` says in which of the ways the stage knows."""

    how: str = ""


class Halt(NamedTuple):
    """Nothing can go on before a person has looked."""

    reason: str
    detail: str


async def drive(
    look: Callable[[], View],
    next_turn: Callable[[View], Any],
    run_turn: Callable[[Any], Awaitable[None]],
) -> Done:
    """Turn after turn until `next_turn` says that it is over."""
    while True:
        turn = next_turn(look())
        match turn:
            case Done():
                return turn
            case Halt():
                raise Stop(turn.reason, turn.detail)
            case _:
                await run_turn(turn)
