"""What there is to tell of a task that came to rest, whatever its goal is."""

from __future__ import annotations

from thoughtforge import views
from thoughtforge.intake.phases import phase, title
from thoughtforge.kernel.state import State
from thoughtforge.kernel.stops import STOPS, StopReason, TaskStatus
from thoughtforge.outside.notice import EventType, Notice
from thoughtforge.service.thought_ending import Ending

OWN_DOING = frozenset(["paused", "interrupted", "aborted", "human_terminated", "brain_dump"])
"""Whoever did it knows."""
GUARDS = frozenset(["guard", "fix_rejected"])
"""Reasons that are the word of a guard of a review loop."""
ASKS = 3
"""The exit code of every end that waits for a person."""
NAME_LENGTH = 60


def notice_of(state: State, ended: Ending | None = None) -> Notice | None:
    """What to tell of a task that rests, or how a thought ended; nothing when a person stopped it themselves."""
    reason = state.reason()
    if reason is None or reason in OWN_DOING:
        return None
    task, facts = state.the_task(), views.summary(state)
    waiting, detail = facts["waiting"], state.stop_detail
    what = waiting if STOPS[reason].status is TaskStatus.needs_person and waiting else detail or str(reason)
    if reason is StopReason.done:
        what = ended.summary() if ended else f"Done: {task.goal}"
    stop = "" if what.endswith((".", "?", "!")) else "."
    summary = f"{what}{stop} {views.next_action(state)}"
    return Notice(
        project_id=task.id,
        project_name=title(state) or " ".join(task.request.split())[:NAME_LENGTH],
        phase=phase(state).name if task.goal == "think" else str(facts["stage"] or ""),
        event_type=ended.event if ended else event_type(reason),
        summary=" ".join(summary.split()),
    )


def event_type(reason: str) -> EventType:
    """One of the five words for a reason to rest: a limit that was reached counts as a guard."""
    if reason is StopReason.done:
        return "convergence_success"
    if reason in GUARDS or reason.startswith("budget"):
        return "guard_triggered"
    return "human_needed" if STOPS[reason].exit_code == ASKS else "error"


def sample(who: str) -> Notice:
    """A notice that asks for nothing."""
    return Notice(
        project_id="test",
        project_name="ThoughtForge",
        phase="test",
        event_type="milestone_complete",
        summary=f"This is a test of your notifications, sent by {who}. Nothing needs to be done.",
    )
