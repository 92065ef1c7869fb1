"""What a driver works with: everything is handed to it, nothing is looked up."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from thoughtforge.agent.bridge import Bridge, Limits, Tool
from thoughtforge.agent.memory import MEMORIES, Memory
from thoughtforge.agent.role import Role
from thoughtforge.calls.port import Model
from thoughtforge.catalog import Catalog
from thoughtforge.contracts.contract import Contract
from thoughtforge.contracts.given import Given
from thoughtforge.kernel.errors import Stop
from thoughtforge.kernel.loop import Journal
from thoughtforge.kernel.model import Digest, JsonObject, Task
from thoughtforge.kernel.ports import Blobs
from thoughtforge.kernel.state import StageState
from thoughtforge.kernel.stops import StopReason
from thoughtforge.settings.config import Circles, Completeness, Polish, Think
from thoughtforge.settings.machine import Machine
from thoughtforge.settings.outside import Discovery, Resources
from thoughtforge.store.secrets import Masker
from thoughtforge.workshop.desk import Desk
from thoughtforge.workspaces.tree import Tree

if TYPE_CHECKING:
    from thoughtforge.gate.verdict import Verdict
    from thoughtforge.suites.result import Report
    from thoughtforge.workshop.workshop import Workshop
    from thoughtforge.workspaces.project import Project


class Agent(NamedTuple):
    """A role bound to a provider."""

    role: Role
    provider: str
    model: Model
    fallback: Agent | None = None
    """Who is asked when this provider fails for good; None: a person is."""


class Permission(NamedTuple):
    """A person's word on one action: allowed, or why not."""

    allowed: bool
    reason: str = ""


class Outside(NamedTuple):
    """What lies outside the task: files a person brings along, pages behind links, registries of packages."""

    resources: Resources
    connectors: Mapping[str, Mapping[str, Any]]
    discovery: Discovery
    machine: Machine


@dataclass(frozen=True)
class Means:
    """The means of one run of one task."""

    journal: Journal
    blobs: Blobs
    catalog: Catalog
    contracts: Mapping[str, Contract]
    tools: Mapping[str, Tool]
    tree: Tree
    agent: Callable[[str], Agent]
    """The agent that fills a role."""
    masker: Masker
    absorb: Callable[[], None]
    """Turn waiting inbox messages into events."""
    live: Callable[[str | None], None]
    """Show a piece of a reply as it streams; None begins a new reply."""
    ask: Callable[[str, JsonObject], Awaitable[Permission]] | None
    """Ask a person before an action; None when nobody wants to be asked."""
    stopwatch: Callable[[], float]
    max_output: int
    confidence: float
    send_unmasked: bool
    project_rules: str
    """The repository's own AGENTS.md at the base commit."""
    workshop: Workshop | None = None
    """What the stages that write code work with; None when the task has none."""
    circles: Circles = Circles()
    patience: float = 120.0
    """Seconds to wait in all for a provider that says it is asked too often."""
    project: Project | None = None
    """The repository of a thought; None for every other task."""
    outside: Outside | None = None
    notify: Callable[[str], Awaitable[None]] | None = None
    """Tells people of a milestone; None when no channel is set up."""
    test: Callable[[Path, str | None], Awaitable[Report]] | None = None
    """Runs the tests of a thought's code, of the language named."""
    check: Callable[[Path], Awaitable[Verdict]] | None = None
    """Runs the gate on a thought's code; what its first commit does not have is new."""
    think: Think = Think()
    completeness: Completeness = Completeness()
    polish: Polish = Polish()
    home: Path | None = None
    """The person's own, where git finds who they are."""

    unmasked: dict[Digest, str] = field(default_factory=dict)
    """Tool output as it was, by the digest of what the record keeps of it; filled only when it may be sent."""
    known: dict[Digest, str] = field(default_factory=dict)
    """Artifacts and the request, by digest: content that cannot change."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """One for the workspace: agents may act in parallel, their actions may not."""

    def bridge(self, role: Role, desk: Desk | None = None, **more: Any) -> Bridge:
        """The tools of a role, held to its limits; `more` are limits of the stage."""
        limits = Limits(role.name, role.allowed, role.forbidden, role.path_constraints, **more)
        return Bridge(limits, tools=self.tools, desk=desk or Desk(self.tree), lock=self.lock)

    @property
    def task(self) -> Task:
        """The task at hand."""
        return self.journal.state.the_task()

    def stage(self, name: str) -> StageState:
        """How a stage stands now."""
        return self.journal.state.stage(name)

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

    def text(self, digest: Digest) -> str:
        """What every step of a stage reads again is read, and proved, once."""
        if digest not in self.known:
            self.known[digest] = self.blobs.get(digest).decode("utf-8", "replace")
        return self.known[digest]

    def accepted(self) -> dict[str, JsonObject]:
        """Contract → accepted artifact."""
        found = {contract: self.artifact(digest) for contract, digest in self.journal.state.artifacts().items()}
        return {contract: data for contract, data in found.items() if data is not None}

    def given(self) -> Given:
        """What contract rules may look at."""
        return Given(
            artifacts=self.accepted(),
            paths=frozenset(entry.path for entry in self.tree.paths()),
            request=self.request(),
            contracts=frozenset(self.contracts),
            tools=frozenset(self.tools),
        )

    def request(self) -> str:
        """The whole request."""
        return self.text(self.task.request_digest)

    def put(self, data: Any) -> Digest:
        """Keep an artifact."""
        text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False, indent=1)
        return self.blobs.put(text.encode("utf-8", "replace"))


async def allowed(means: Means, action: str, params: JsonObject) -> None:
    """Ask a person who wants to be asked; a no rests the task, because there is nothing else to do."""
    permission = await means.ask(action, params) if means.ask else Permission(True)
    if not permission.allowed:
        raise Stop(StopReason.paused, f"{action} was not allowed: {permission.reason}")
