"""The events of agents: model calls with their cost, actions, drafts; and the caps that apply to them."""

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
    prompts: dict[str, Digest] = Field(default_factory=dict)
    reserved: Reservation


class CallEnded(Event):
    type: Literal["call_ended"] = "call_ended"
    call: str
    reply: Digest
    model: str
    usage: Usage
    usd: float | None = None
    reply_tokens: int
    """Estimated size of the reply; used when the provider reports no usage."""
    seconds: float


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


class CapsChanged(Event):
    type: Literal["caps_changed"] = "caps_changed"
    at_rest = True
    caps: Caps


register(CallStarted, CallEnded, CallFailed, ActionTaken, DraftMade, CapsChanged)
