"""Notices about a task: what happened, for which channels, and how a thought ended."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from pydantic import ValidationError

from thoughtforge.catalog import extension
from thoughtforge.definitions.drivers import is_thought
from thoughtforge.integrations.notice import EventType, Notice
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.events import WarningGiven
from thoughtforge.kernel.loop import Journal
from thoughtforge.kernel.model import JsonObject
from thoughtforge.kernel.ports import Blobs
from thoughtforge.kernel.state import State
from thoughtforge.kernel.stops import STOPS, StopReason, TaskStatus
from thoughtforge.polish.finding import Counts
from thoughtforge.service.app import App
from thoughtforge.store.port import OpenTask
from thoughtforge.think.conversation import CONVERSATION
from thoughtforge.think.said_since import answered_since
from thoughtforge.views.phases import phase, title
from thoughtforge.views.tasks import summary as summary_of

HOW = {
    "converged": "Converged",
    "plateau": "Ended on a plateau",
    "accepted_by_person": "Accepted by a person without convergence,",
}
"""What the polishing came to, in words."""


class Ending(NamedTuple):
    """The same facts for the terminal, a script and a notice."""

    how: str
    place: str
    open: tuple[str, ...]
    """Findings of the last review that nobody has fixed."""
    unanswered: tuple[str, ...]
    """Ids of questions, and how many slots wait for a person's word."""
    event: EventType

    def summary(self) -> str:
        """All of it in a line or two."""
        parts = [self.how, f"It is in {self.place}."]
        parts += [f"Still open: {'; '.join(self.open)}."] if self.open else []
        parts += [f"Unanswered: {', '.join(self.unanswered)}."] if self.unanswered else []
        return " ".join(parts)


def artifacts_of(state: State, blobs: Blobs) -> dict[str, JsonObject]:
    """Contract → what was accepted so far."""
    return {name: json.loads(blobs.get(digest)) for name, digest in state.artifacts().items()}


def questions(artifacts: dict[str, JsonObject], answered: Collection[str] = ()) -> list[JsonObject]:
    """What nobody has settled: by the newest proposal less what was answered since; before it, by the intent."""
    if "proposal" in artifacts:
        left = [row for row in artifacts["proposal"]["open"] if row["id"] not in answered]
        return [{"id": row["id"], "text": row["question"]} for row in left]
    intent = artifacts.get("intent", {"unknowns": [], "open_questions": []})
    return [*intent["open_questions"], *intent["unknowns"]]


def unsaid(artifacts: dict[str, JsonObject]) -> list[str]:
    """Slots for which the person's notes hold nothing."""
    return list(artifacts["composition"]["open"]) if "composition" in artifacts else []


def deliverable(state: State, artifacts: dict[str, JsonObject]) -> str | None:
    """The file of the plan, or the folder of the code; nothing before the build."""
    made = artifacts.get("composition")
    return str(Path(state.the_task().repository) / made["path"]) if made else None


def ending(state: State, artifacts: dict[str, JsonObject], answered: Collection[str] = ()) -> Ending | None:
    """How it ended; nothing while it has not."""
    if state.exited is None:
        return None
    polished = artifacts.get("polished")
    missing = len(unsaid(artifacts))
    slots = [f"{missing} slot{'s' * (missing != 1)} of the plan"] if missing else []
    left = (*(row["id"] for row in questions(artifacts, answered)), *slots)
    return Ending(
        how=_how(polished),
        place=deliverable(state, artifacts) or state.the_task().repository,
        open=tuple(polished["open"]) if polished else (),
        unanswered=left,
        event=_event(polished, left),
    )


def _how(polished: JsonObject | None) -> str:
    if polished is None:
        return "Written by rules and not reviewed."
    number = polished["iterations"]
    after = f"after {number} review{'s' * (number != 1)}"
    counts = Counts(**polished["counts"]).words()
    return f"{HOW[polished['outcome']]} {after}: {counts}. The best iteration is {polished['best_iteration']}."


def _event(polished: JsonObject | None, left: tuple[str, ...]) -> EventType:
    """Only a guard's word that it is good is a success of the loop; what is unanswered waits for a person."""
    if left:
        return "human_needed"
    good = polished is not None and polished["outcome"] != "accepted_by_person"
    return "convergence_success" if good else "milestone_complete"


OWN_DOING = frozenset(["paused", "interrupted", "aborted", "human_terminated", "brain_dump"])
"""The person who did it knows."""
GUARDS = frozenset(["guard", "fix_rejected"])
"""Reasons that a guard of a review loop gives."""
ASKS = 3
"""The exit code of every end that waits for a person."""
NAME_LENGTH = 60


def notice_of(state: State, ended: Ending | None = None) -> Notice | None:
    """The notice for a task that stopped, or how a thought ended; nothing when a person stopped it themselves."""
    reason = state.reason()
    if reason is None or reason in OWN_DOING:
        return None
    task, facts = state.the_task(), summary_of(state)
    waiting, detail = facts.waiting, state.stop_detail
    what = waiting if STOPS[reason].status is TaskStatus.needs_person and waiting else detail or str(reason)
    if reason is StopReason.done:
        what = ended.summary() if ended else f"Done: {task.goal}"
    stop = "" if what.endswith((".", "?", "!")) else "."
    summary = f"{what}{stop} {facts.next_action}"
    return Notice(
        project_id=task.id,
        project_name=title(state) or " ".join(task.request.split())[:NAME_LENGTH],
        phase=str((facts.phase if is_thought(task) else facts.stage) or ""),
        event_type=ended.event if ended else event_type(reason),
        summary=" ".join(summary.split()),
    )


def event_type(reason: str) -> EventType:
    """One of the five words for the reason a task stopped: a limit counts as a guard."""
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
        summary=f"This is a test of your notifications, sent by {who}. You need to do nothing.",
    )


LONGEST_SECONDS = 15.0
"""No channel may take longer, whatever its own setting is."""


class Channel(NamedTuple):
    """A notifier with its options, ready to send."""

    name: str
    notifier: ModuleType
    options: Any


class NoticeResult(NamedTuple):
    """What became of a notice on one channel."""

    channel: str
    ok: bool
    why: str = ""


def channels(app: App) -> tuple[Channel, ...]:
    """Every enabled channel; one error lists everything wrong with their settings."""
    found: list[Channel] = []
    wrong: list[str] = []
    for name, entry in app.loaded.config.notifications.channels.items():
        where = f"notifications.channels.{name}"
        enabled = entry.get("enabled", True)
        if not isinstance(enabled, bool):
            wrong.append(f"{where}.enabled: expected true or false, got {enabled!r}")
        try:
            notifier = extension("notifiers", str(entry.get("kind", name)))
            options = notifier.Options.model_validate({k: v for k, v in entry.items() if k not in ("kind", "enabled")})
        except UserError as mistake:
            wrong.append(f"{where}.kind: {mistake.what}. {mistake.do}")
        except ValidationError as error:
            wrong += [f"{where}.{'.'.join(str(p) for p in e['loc'])}: {e['msg']}" for e in error.errors()]
        else:
            found += [Channel(name, notifier, options)] * (enabled is True)
    if wrong:
        raise UserError(
            "notifications are not set up correctly", do=f"Correct {app.loaded.path}.", details=tuple(wrong)
        )
    return tuple(found)


def wanted(app: App, name: str | None) -> tuple[Channel, ...]:
    """The channel a person means: the named one, else the default, else all of them."""
    found = channels(app)
    if not found:
        app.require_trust()
        raise UserError("no channel is set up", do=f"Name one under notifications.channels in {app.loaded.path}.")
    name = name or app.loaded.config.notifications.default_channel
    chosen = tuple(channel for channel in found if name in (None, channel.name))
    if not chosen:
        known = ", ".join(channel.name for channel in found)
        raise UserError(f"there is no enabled channel {name!r}", do=f"Known: {known}")
    return chosen


async def notify(app: App, notice: Notice, *, to: tuple[Channel, ...] | None = None) -> tuple[NoticeResult, ...]:
    """Send to every enabled channel, or those given, at once. Never raises for what a channel does."""
    shown = Notice.model_validate(app.masker.tree(notice.model_dump()))
    return tuple(
        await asyncio.gather(*(_send(app, channel, shown) for channel in (channels(app) if to is None else to)))
    )


async def _send(app: App, channel: Channel, notice: Notice) -> NoticeResult:
    try:
        async with asyncio.timeout(LONGEST_SECONDS):
            why = await channel.notifier.send(notice, channel.options, app.machine)
    except TimeoutError:
        why = f"it took longer than {LONGEST_SECONDS:g} s"
    except Exception as error:  # noqa: BLE001 - a notifier may come from anywhere; a notice must never end a task
        why = f"{type(error).__name__}: {error}"
    return NoticeResult(channel.name, not why, app.masker.text(str(why)))


async def tell_of_rest(app: App, task: OpenTask) -> None:
    """Called when a run has stopped: notify people, and record which channel failed."""
    state = task.journal.state
    thought = is_thought(state.the_task())
    said = answered_since(task.journal.of(CONVERSATION))
    notice = notice_of(state, ending(state, artifacts_of(state, task.blobs), said) if thought else None)
    if notice is not None:
        await _tell(app, task.journal, notice)


async def tell_of_milestone(app: App, journal: Journal, text: str) -> None:
    """Notify people that a thought has reached its next phase; a failing channel is recorded and blocks nothing."""
    state = journal.state
    name, task = title(state), state.the_task().id
    at = phase(state).name
    await _tell(
        app,
        journal,
        Notice(project_id=task, project_name=name, phase=at, event_type="milestone_complete", summary=text),
    )


async def _tell(app: App, journal: Journal, notice: Notice) -> None:
    journal.log.check_lease()
    try:
        failed = [
            f"the notice to {sent.channel} failed: {sent.why}" for sent in await notify(app, notice) if not sent.ok
        ]
    except UserError as mistake:
        failed = [f"no notice was sent: {'; '.join((mistake.what, *mistake.details))}"]
    for text in failed:
        journal.append(WarningGiven(text=text, code="notice_failed"))
