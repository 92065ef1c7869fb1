"""What people say to a task: messages, hints, buttons they press, and the wish for a pause or an end."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from thoughtforge.kernel.events import Event, register
from thoughtforge.kernel.fold import changes, clear_stop, rework, with_stage
from thoughtforge.kernel.model import Digest
from thoughtforge.kernel.state import State
from thoughtforge.kernel.stops import StopReason

KEPT_HINTS = 5


class Said(Event):
    """One message between a person and a task."""

    type: Literal["said"] = "said"
    role: Literal["human", "ai"]
    text: str
    """The whole text up to 4,000 characters; of a longer one the beginning."""
    digest: Digest | None = None
    """The blob that holds all of a longer text."""
    phase: str
    code: str = ""
    """A short word for scripts, when the engine answers."""
    by: str = ""


class ActionAsked(Event):
    """What a person pressed: distill, provide, override, resume or reopen. It is never read out of what they say."""

    type: Literal["action_asked"] = "action_asked"
    action: str
    text: str = ""
    digest: Digest | None = None
    by: str = ""


class HintGiven(Event):
    type: Literal["hint_given"] = "hint_given"
    text: str
    by: str = ""


class CopyWanted(Event):
    """Where a person wants a copy of the plan, whenever it is finished."""

    type: Literal["copy_wanted"] = "copy_wanted"
    path: str
    by: str = ""


class PauseAsked(Event):
    type: Literal["pause_asked"] = "pause_asked"
    by: str = ""


class AbortAsked(Event):
    type: Literal["abort_asked"] = "abort_asked"
    by: str = ""
    text: str = ""
    """Why, in the person's words; empty when they said nothing."""


REOPEN = "reopen"
"""The action that lets a finished thought be polished further; its text is what the person wants changed."""
TALKS = {"human_review": "distill", "spec_building": "spec"}
"""Phase of a message to a finished thought → the stage that takes it up."""


def _said(state: State, event: Said) -> State:
    """What a person says of a version sends it back, also of one they have not been shown yet, or of a finished one."""
    if event.role != "human":
        return state
    if state.exited:
        return _reopened(state, TALKS.get(event.phase, ""))
    made = [name for name, stage in state.stages.items() if stage.status == "made"]
    return rework(state, made[-1]) if made else state


def _asked(state: State, event: ActionAsked) -> State:
    if event.action == REOPEN:
        return _reopened(state, state.exited.stage if state.exited else "")
    return clear_stop(_steps_anew(state))


def _reopened(state: State, stage: str) -> State:
    """Done is not final: the stage begins another round, and its documents get another commit."""
    if not stage:
        return state
    again = rework(clear_stop(replace(state, exited=None)), stage)
    return with_stage(again, stage, commit="")


def _steps_anew(state: State) -> State:
    """A person has looked: the stage at work has all its steps again."""
    at_work = [name for name, stage in state.stages.items() if stage.status == "working"]
    return with_stage(state, at_work[-1], steps=0) if at_work else state


register(Said, ActionAsked, CopyWanted, HintGiven, PauseAsked, AbortAsked)
changes(
    {
        Said: _said,
        ActionAsked: _asked,
        HintGiven: lambda state, event: replace(state, hints=(*state.hints, event.text)[-KEPT_HINTS:]),
        PauseAsked: lambda state, event: state if state.reason() else replace(state, stop=StopReason.paused),
        AbortAsked: lambda state, event: (
            state if state.exited else replace(state, stop=StopReason.aborted, stop_detail=event.text)
        ),
    }
)
