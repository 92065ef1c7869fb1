"""What a person does with a thought, as use cases: the terminal and a page call the same."""

from __future__ import annotations

from typing import NamedTuple

from thoughtforge.intake.conversation import CONVERSATION, SHOWN, Conversation, resolved
from thoughtforge.intake.stop_table import row
from thoughtforge.kernel.state import State
from thoughtforge.service.app import App
from thoughtforge.service.messages import send
from thoughtforge.service.run import NO_WISHES, Ended, Listener, Wishes, run
from thoughtforge.service.thought_messages import check_resume

ACTIONS = ("say", "distill", "confirm", "provide", "override", "terminate")


class Acted(NamedTuple):
    """What became of an action: who runs the task already, or whether it can go on now."""

    runner: str | None
    runs: bool
    state: State


def act(app: App, task_id: str, action: str, text: str = "") -> Acted:
    """Put an action on record, or raise a Mistake that says where the task stands."""
    if action != "terminate":
        app.require_trust()  # the thought goes on right after it
    long = len(text) > SHOWN
    digest = app.store.peek(task_id).blobs.put(text.encode("utf-8", "replace")) if long else None
    sent = send(app, task_id, action, {"text": text[:SHOWN], "digest": digest} if text else {})
    can_go_on = sent.runner is None and sent.state.reason() is None
    return Acted(sent.runner, can_go_on and action != "terminate", sent.state)


def asks(app: App, task_id: str, action: str) -> bool:
    """Whether a person is asked once more before it is done; what has not stopped is in no row, but can be ended."""
    found = row(app.store.peek(task_id).state).get(action)
    return found.asks if found else action == "terminate"


def ask_to_rest(app: App, task_id: str) -> None:
    """Let whoever runs the task finish the call under way and rest."""
    app.store.send(task_id, "pause", {}, by=app.who)


async def resume(app: App, task_id: str, *, listener: Listener, wishes: Wishes = NO_WISHES) -> Ended:
    """Go on where the record ends; a halt that needs more than that is refused."""
    if not wishes.accept_loss:
        check_resume(app.store.peek(task_id).state, extends=wishes.extend_to is not None)
    return await run(app, task_id, listener=listener, wishes=wishes)


def conversation_of(app: App, task_id: str) -> Conversation:
    """Everything said so far."""
    task = app.store.peek(task_id)
    return resolved(task.snapshot.of(CONVERSATION), lambda digest: task.blobs.get(digest).decode("utf-8", "replace"))
