"""What the kernel and the stages need from other packages, as protocols, so that the kernel imports none of them."""

from __future__ import annotations

from collections.abc import Awaitable, Iterator
from typing import NamedTuple, Protocol

from thoughtforge.kernel.events import Event, Record
from thoughtforge.kernel.model import Digest, Escalation, Issue, Stage, Verdict


class Log(Protocol):
    """The record of one task, held by one runner."""

    def append(self, event: Event) -> Record: ...
    def check_lease(self) -> None: ...
    def read(self, after: int = 0) -> Iterator[Record]: ...


class Blobs(Protocol):
    """Everything too large for an event, by digest."""

    def put(self, data: bytes, *, exact: bool = False) -> Digest: ...
    def get(self, digest: Digest) -> bytes: ...


class Produced(NamedTuple):
    """A stage's work ended with an artifact."""

    artifact: Digest
    answers: tuple[str, ...] = ()


class NeedsPerson(NamedTuple):
    """A stage's work cannot go on without a person."""

    escalation: Escalation


class Reviewed(NamedTuple):
    """A reviewer's answer on the current artifact."""

    review: Digest
    blocking: tuple[Issue, ...]
    advisory: tuple[Issue, ...]


class StagePort(Protocol):
    """What the loop calls to get work done; put together in assembly."""

    def drain_inbox(self) -> None: ...
    def has_driver(self, name: str) -> bool: ...
    def escalation(self, stage: Stage, reason: str) -> Escalation: ...
    def work(self, stage: Stage) -> Awaitable[Produced | NeedsPerson]: ...
    def judge(self, stage: Stage, artifact: Digest) -> Awaitable[Verdict]: ...
    def review(self, stage: Stage, reviewer: str, artifact: Digest, /) -> Awaitable[Reviewed]: ...
    def passed(self, stage: Stage) -> Awaitable[None]: ...
