"""Tell people: one notice to every channel at once. A channel that fails is named and holds nobody up."""

from __future__ import annotations

import asyncio
from types import ModuleType
from typing import Any, NamedTuple

from pydantic import ValidationError

from thoughtforge.catalog import extension
from thoughtforge.intake.phases import phase, title
from thoughtforge.kernel.errors import Mistake
from thoughtforge.kernel.events import WarningGiven
from thoughtforge.kernel.loop import Journal
from thoughtforge.outside.notice import Notice
from thoughtforge.service.app import App
from thoughtforge.service.notices import notice_of
from thoughtforge.service.thought_ending import artifacts_of, ending
from thoughtforge.store.port import OpenTask
from thoughtforge.views import THINK

LONGEST_SECONDS = 15.0
"""No channel may take longer, whatever its own setting is."""


class Channel(NamedTuple):
    """A notifier with its options, ready to send."""

    name: str
    notifier: ModuleType
    options: Any


class Sent(NamedTuple):
    """What became of a notice on one channel."""

    channel: str
    ok: bool
    why: str = ""


def channels(app: App) -> tuple[Channel, ...]:
    """Every enabled channel; everything wrong with their settings is told at once."""
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
        except Mistake as mistake:
            wrong.append(f"{where}.kind: {mistake.what}. {mistake.do}")
        except ValidationError as error:
            wrong += [f"{where}.{'.'.join(str(p) for p in e['loc'])}: {e['msg']}" for e in error.errors()]
        else:
            found += [Channel(name, notifier, options)] * (enabled is True)
    if wrong:
        raise Mistake("notifications are not set up properly", do=f"Correct {app.loaded.path}.", details=tuple(wrong))
    return tuple(found)


def wanted(app: App, name: str | None) -> tuple[Channel, ...]:
    """The channel a person means: the named one, else the default, else all of them."""
    found = channels(app)
    if not found:
        app.require_trust()
        raise Mistake("no channel is set up", do=f"Name one under notifications.channels in {app.loaded.path}.")
    name = name or app.loaded.config.notifications.default_channel
    chosen = tuple(channel for channel in found if name in (None, channel.name))
    if not chosen:
        known = ", ".join(channel.name for channel in found)
        raise Mistake(f"there is no enabled channel {name!r}", do=f"Known: {known}")
    return chosen


async def notify(app: App, notice: Notice, *, to: tuple[Channel, ...] | None = None) -> tuple[Sent, ...]:
    """Send to every enabled channel, or those given, at once. Never raises for what a channel does."""
    shown = Notice.model_validate(app.masker.tree(notice.model_dump()))
    return tuple(
        await asyncio.gather(*(_send(app, channel, shown) for channel in (channels(app) if to is None else to)))
    )


async def _send(app: App, channel: Channel, notice: Notice) -> Sent:
    try:
        async with asyncio.timeout(LONGEST_SECONDS):
            why = await channel.notifier.send(notice, channel.options, app.machine)
    except TimeoutError:
        why = f"it took longer than {LONGEST_SECONDS:g} s"
    except Exception as error:  # noqa: BLE001 - a notifier may come from anywhere; a notice must never end a task
        why = f"{type(error).__name__}: {error}"
    return Sent(channel.name, not why, app.masker.text(str(why)))


async def tell_of_rest(app: App, task: OpenTask) -> None:
    """Called when a run has come to rest: tell people, and put on record which channel could not be reached."""
    state = task.journal.state
    thought = state.the_task().goal == THINK
    notice = notice_of(state, ending(state, artifacts_of(state, task.blobs)) if thought else None)
    if notice is not None:
        await _tell(app, task.journal, notice)


async def tell_of_milestone(app: App, journal: Journal, text: str) -> None:
    """Tell people that a thought has come to its next phase; a channel that fails is on record and blocks nothing."""
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
    except Mistake as mistake:
        failed = [f"no notice was sent: {'; '.join((mistake.what, *mistake.details))}"]
    for text in failed:
        journal.append(WarningGiven(text=text, code="notice_failed"))
