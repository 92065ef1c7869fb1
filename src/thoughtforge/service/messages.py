"""Messages to a task: sent to its inbox, taken up by whoever holds its lease, and turned into events."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from thoughtforge.definitions.drivers import is_thought
from thoughtforge.kernel import events as e
from thoughtforge.kernel.errors import TaskLocked, UserError
from thoughtforge.kernel.events import RunnerStopped
from thoughtforge.kernel.loop import Journal
from thoughtforge.kernel.state import State
from thoughtforge.service.app import App
from thoughtforge.service.decisions import MAKERS, pinned
from thoughtforge.service.open_task import open_task, readable
from thoughtforge.service.submit import read_artifact
from thoughtforge.store.lease import InboxMessage
from thoughtforge.store.port import Inbox
from thoughtforge.think.stops import ThoughtStop
from thoughtforge.views.phases import AUTONOMOUS, phase

PRIORITIES = ("must_address", "should_consider")


def items_of(text: str | None, file: Path | None) -> list[str]:
    """The points for the agent, those that must be answered first."""
    items = [text.strip()] if text and text.strip() else []
    if file is not None:
        items += _structured(read_artifact(file), str(file))
    if not items:
        raise UserError(
            "there is no feedback", do='Say what to change: thoughtforge feedback TASK "Add a criterion for …"'
        )
    return items


def _structured(data: dict[str, Any], source: str) -> list[str]:
    data = data.get("feedback", data)
    issues = data.get("specific_issues", [])
    if not isinstance(issues, list) or not all(isinstance(i, dict) and i.get("issue") for i in issues):
        raise UserError(f"{source}: specific_issues must be a list of points with `issue`", do="See docs/commands.md.")
    unknown = {str(i.get("priority", PRIORITIES[0])) for i in issues} - set(PRIORITIES)
    if unknown:
        raise UserError(
            f"{source}: unknown priority {', '.join(sorted(unknown))}", do=f"Use {' or '.join(PRIORITIES)}."
        )
    ordered = sorted(issues, key=lambda i: PRIORITIES.index(i.get("priority", PRIORITIES[0])))
    overall = str(data.get("overall_comments", "")).strip()
    return [*([overall] if overall else []), *(_line(issue) for issue in ordered)]


def _line(issue: dict[str, Any]) -> str:
    weight = str(issue.get("priority", PRIORITIES[0])).replace("_", " ")
    place = f"{issue['location']}: " if issue.get("location") else ""
    suggestion = f" — {issue['suggestion']}" if issue.get("suggestion") else ""
    return f"[{weight}] {place}{issue['issue']}{suggestion}"


class SentMessage(NamedTuple):
    """What became of a message: taken up at once, or left for the process that runs the task."""

    runner: str | None
    state: State
    event: e.Event
    """What the message means for the task as it was when it was sent."""


def send(app: App, task_id: str, kind: str, data: dict[str, Any]) -> SentMessage:
    """Leave a message and, when nobody runs the task, take it up here. A message that does not fit is not sent."""
    state = app.store.peek(task_id).state
    event = event_for(InboxMessage("check", kind, data, app.who), state)
    app.store.send(task_id, kind, {**data, **pinned(event)}, by=app.who)
    try:
        return SentMessage(None, take_up(app, task_id), event)
    except TaskLocked as held:
        return SentMessage(held.holder, state, event)


def take_up(app: App, task_id: str) -> State:
    """Record all waiting messages."""
    with open_task(app.store, task_id, who=app.who) as task:
        absorb(task.inbox, task.journal)
        task.views.write(task.journal.state)
        return task.journal.state


def absorb(inbox: Inbox, journal: Journal) -> None:
    """Turn each message into its event. One that no longer fits is recorded as such, never dropped in silence."""
    for message in inbox.waiting():
        if message.id not in journal.state.messages:
            try:
                event = event_for(message, journal.state)
            except UserError as mistake:
                text = f"{message.kind} from {message.by} came too late: {mistake.what}"
                event = e.WarningGiven(text=text, code="message_too_late", message=message.id)
            journal.append(event)
        inbox.done(message)


def event_for(message: InboxMessage, state: State) -> e.Event:
    """The event a message becomes, or a UserError when it does not fit the state."""
    maker = MAKERS.get(message.kind)
    if maker is None:
        raise UserError(f"this version does not know the message {message.kind}", do="Use the version that sent it.")
    return maker(state, message.data, message.by).model_copy(update={"message": message.id})


class OpenQuestion(NamedTuple):
    """A task and the id of one of its open questions; no id stands for the only open one."""

    task: str
    id: str


def find_question(app: App, word: str, task_id: str | None = None) -> OpenQuestion:
    """The question a person means: `E-1` when only one task has it, `TASK:E-1`, or a task with one open question."""
    if ":" in word:
        task_word, _, word = word.rpartition(":")
        task_id = app.store.find(task_word)
    places = [task_id] if task_id else app.store.ids()
    found = [place for place in places if word in _open(app, place)]
    if len(found) == 1:
        return OpenQuestion(found[0], word)
    if found:
        names = ", ".join(f"{place}:{word}" for place in found)
        raise UserError(f"{word} is open in several tasks", do=f"Name it in full: {names}")
    if not task_id and (task := _task(app, word)):
        return OpenQuestion(task, "")
    raise UserError(f"there is no open question {word}", do="See them: thoughtforge escalations list")


def _open(app: App, task_id: str) -> frozenset[str]:
    state = readable(app.store, task_id)
    return frozenset(state.escalations) if state else frozenset()


def _task(app: App, word: str) -> str | None:
    try:
        return app.store.find(word)
    except UserError:
        return None


def halt_abandoned(app: App) -> list[str]:
    """Halt every thought left behind in an autonomous phase; one that somebody runs is not touched. Their ids."""
    found = [task_id for task_id in app.store.ids() if _abandoned(readable(app.store, task_id))]
    return [task_id for task_id in found if _halt(app, task_id)]


def _abandoned(state: State | None) -> bool:
    """Its log says somebody runs it, in a phase that waits for nobody."""
    return state is not None and is_thought(state.the_task()) and state.active and phase(state).place in AUTONOMOUS


def _halt(app: App, task_id: str) -> bool:
    try:
        with open_task(app.store, task_id, who=app.who) as task:
            if not _abandoned(task.journal.state):
                return False
            detail = "the program ended while the task ran; nothing is lost"
            task.journal.append(RunnerStopped(reason=ThoughtStop.server_restart, detail=detail))
            task.views.write(task.journal.state)
    except TaskLocked:
        return False
    return True
