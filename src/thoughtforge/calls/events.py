"""The events of agents: model calls with their cost, actions, drafts; the depth of a run and its caps."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from thoughtforge.calls.port import Reservation, Usage
from thoughtforge.kernel.events import Event, register
from thoughtforge.kernel.model import Caps, Digest


class CallStarted(Event):
    type: Literal["call_started"] = "call_started"
    call: str
    key: str
    """The step this call belongs to; the engine reuses a finished call with the same key."""
    stage: str
    round: int
    step: int
    role: str
    role_version: str
    mode: Literal["work", "review"] = "work"
    provider: str
    model: str
    system: Digest
    context: Digest
    context_digest: Digest
    """Digest of system and context without the parts that differ between tasks: the key for replay."""
    context_tokens: int
    parts: dict[str, int] = Field(default_factory=dict)
    blocks: dict[str, int] = Field(default_factory=dict)
    """Tokens that are shown of each block, by its title."""
    cut: dict[str, int] = Field(default_factory=dict)
    """Tokens that each block has in all which is not shown whole."""
    room: int = 0
    """Tokens that the call had room for, as estimated; 0 when nobody counted."""
    prompts: dict[str, Digest] = Field(default_factory=dict)
    reserved: Reservation
    conversation: str = ""
    """Whose conversation its model keeps; empty when it keeps none."""
    session: str = ""
    """The session that the call continues, as the agent names it; empty when it begins one."""


class CallEnded(Event):
    type: Literal["call_ended"] = "call_ended"
    call: str
    reply: Digest
    model: str
    usage: Usage
    usd: float | None = None
    reply_tokens: int
    """Estimated size of the reply; used when the provider reports no usage."""
    cut: bool = False
    """The reply reached its length limit; the next call of the same step continues it."""
    seconds: float
    session: str = ""
    """The session of a conversation that is kept, as the agent names it."""


class CallFailed(Event):
    type: Literal["call_failed"] = "call_failed"
    call: str
    kind: str
    error: str
    usage: Usage | None = None
    """The usage that the provider reports for the failed call; an unknown one counts as the reservation."""
    usd: float | None = None


class ActionTaken(Event):
    type: Literal["action_taken"] = "action_taken"
    version: int = 2
    stage: str
    round: int
    step: int
    role: str
    tool: str
    params: dict[str, Any] = Field(default_factory=dict)
    outcome: Literal["ok", "error", "refused", "denied"]
    summary: str
    output: Digest | None = None
    note: str = ""
    tree: str = ""
    """The workspace after the action, as a git tree; empty when there is no workspace."""


class DraftMade(Event):
    type: Literal["draft_made"] = "draft_made"
    stage: str
    round: int
    draft: Digest


class DepthSet(Event):
    """How much of a run is handed in at once: quick or full; the newest one holds."""

    type: Literal["depth_set"] = "depth_set"
    depth: Literal["quick", "full"]
    asked: Literal["auto", "quick", "full"] = "auto"
    """What the person asked for; `auto` lets the engine raise it."""
    reason: str
    reviewers: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Stage → who reviews its artifact from now on."""
    left_out: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Stage → reviewers that a quick run leaves out; they are asked when it turns out larger."""


class HandedAlong(Event):
    """An artifact that came in the same answer as that of an earlier stage."""

    type: Literal["handed_along"] = "handed_along"
    stage: str
    """The stage it belongs to."""
    contract: str
    artifact: Digest
    with_stage: str
    beside: Digest
    """The artifact it came with; with another one it does not count."""
    role: str
    """Who wrote it."""


class CapsChanged(Event):
    type: Literal["caps_changed"] = "caps_changed"
    at_rest = True
    caps: Caps


register(CallStarted, CallEnded, CallFailed, ActionTaken, DraftMade, DepthSet, HandedAlong, CapsChanged)
