"""The facts only a thought has: what was said and pressed, and each turn of its polishing."""

from __future__ import annotations

from typing import Literal

from thoughtforge.kernel.model import Digest, Event


class Said(Event):
    """One message between a person and a task."""

    type: Literal["said"] = "said"
    role: Literal["human", "ai"]
    text: str
    """As it is up to 4,000 characters, else its beginning."""
    digest: Digest | None = None
    """The blob that holds a longer one whole."""
    phase: str
    code: str = ""
    """A short word for scripts, when the engine itself answers."""
    by: str = ""


class ActionAsked(Event):
    """What a person pressed: distill, provide, override or resume. It is never read out of what they say."""

    type: Literal["action_asked"] = "action_asked"
    action: str
    text: str = ""
    digest: Digest | None = None
    by: str = ""


class PolishReviewed(Event):
    """A review of a thought's deliverable and what the guards made of it."""

    type: Literal["polish_reviewed"] = "polish_reviewed"
    stage: str
    iteration: int
    review: Digest
    """The findings with their identity, counts, hash and size of the deliverable, and its tests."""
    outcome: Literal["continue", "done", "halt"]
    guard: str = ""
    explanation: str = ""
    commit: str


class PolishFixed(Event):
    """A fix that was taken, or refused because it was not plausible."""

    type: Literal["polish_fixed"] = "polish_fixed"
    stage: str
    iteration: int
    outcome: Literal["accepted", "rejected"]
    reason: str = ""
    commit: str = ""
