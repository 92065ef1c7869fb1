"""Respond to a task: one function for every decision, the same for a command, a conversation, a page or a server."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping
from typing import Any, NamedTuple

from thoughtforge.agent.run import Ask
from thoughtforge.definitions.drivers import is_thought, roles
from thoughtforge.kernel import events as e
from thoughtforge.kernel.state import State
from thoughtforge.kernel.stops import StopReason
from thoughtforge.people.events import REOPEN, AbortAsked, ActionAsked, HintGiven, PauseAsked, Said
from thoughtforge.service.agents import binder
from thoughtforge.service.app import App
from thoughtforge.service.case_rulings import named
from thoughtforge.service.decisions import HINT, MEANT, check_resume, reopens
from thoughtforge.service.handover import Saved, save
from thoughtforge.service.library import definitions
from thoughtforge.service.messages import SentMessage, send
from thoughtforge.service.run import NO_OPTIONS, Listener, ResumeOptions, RunResult, run
from thoughtforge.service.unpriced import require_price
from thoughtforge.think.conversation import SHOWN
from thoughtforge.views.next_actions import at_work, next_actions, row, sentence
from thoughtforge.views.values import NextAction

ENDS = ("abort", "terminate")
RUNS_ON = ("say", "distill", "confirm", "provide", "override")
"""Decisions after which the task goes on at once."""


class Decision(NamedTuple):
    """What a person decided: the word they used, and what they gave with it."""

    word: str
    text: str = ""
    items: tuple[str, ...] = ()
    """The points of structured feedback."""
    question: str = ""
    """The id of the question; empty for the only open one."""
    choice: str = "answer"
    """What to do with the question: answer, accept or abort."""
    answers: Mapping[str, str] = {}
    leave: bool = False
    """Accept the version as the result of the task."""
    ahead: bool = False
    """The words were typed before the person saw where the task stands: they answer no question."""
    leave_open: bool = False
    """Accept it although questions to the person are open: they stay open on purpose."""


class Response(NamedTuple):
    """What became of a decision."""

    task: str
    what: str
    """What the decision did, in two or three words."""
    runner: str | None
    """The process that runs the task and takes the decision up."""
    runs: bool
    """Whether the task can go on now."""
    refs: Mapping[str, str]
    """What an ended task left in the repository."""
    note: str | None
    next_action: str | None
    next_actions: tuple[NextAction, ...]


async def respond(app: App, task_id: str, decision: Decision) -> Response:
    """Record a decision, or raise a UserError that names the task's status."""
    if decision.word in RUNS_ON:
        app.require_trust()  # the task goes on right after it
    task = app.store.peek(task_id)
    before = task.state
    answers = {question: named(task, text) for question, text in decision.answers.items()}
    kind, data = message_of(decision._replace(text=named(task, decision.text), answers=answers))
    sent = send(app, task_id, kind, _whole(app, task_id, data))
    saved = await _save(app, task_id, sent)
    actions = at_work(sent.state) if sent.runner else next_actions(sent.state)
    return Response(
        task=task_id,
        what=_what(sent.event, before),
        runner=sent.runner,
        runs=_runs(before, sent, decision.word),
        refs=saved.refs,
        note=saved.note or None,
        next_action=sentence(actions),
        next_actions=actions,
    )


def message_of(decision: Decision) -> tuple[str, dict[str, Any]]:
    """The kind and data of the message a decision becomes; inboxes keep these names."""
    text = decision.text or "\n".join(decision.items)
    spoken: dict[str, Any] = {"text": text, **({MEANT: HINT} if decision.ahead else {})} if text else {}
    leaves = {"leave_open": True} if decision.leave_open else {}
    match decision.word:
        case "approve":
            return "decide", {"decision": "exit" if decision.leave else "approve", **leaves}
        case "feedback":
            return "decide", {"decision": "revise", "items": list(decision.items or (text,)), **spoken}
        case "reject":
            return "decide", {"decision": "reject", "items": [text], **spoken}
        case "resolve":
            answers = dict(decision.answers)
            return "resolve", {"id": decision.question, "choice": decision.choice, "answers": answers}
        case "confirm":
            return "confirm", leaves
        case word:
            return word, spoken


def _whole(app: App, task_id: str, data: dict[str, Any]) -> dict[str, Any]:
    """A blob keeps the whole of a text too long for its event."""
    text = str(data.get("text", ""))
    if len(text) <= SHOWN:
        return data
    return {**data, "digest": app.store.peek(task_id).blobs.put(text.encode("utf-8", "replace"))}


def _runs(before: State, sent: SentMessage, word: str) -> bool:
    """A thought goes on whenever it can; any other task only when the decision took away what it waited for."""
    if sent.runner or word in ENDS or sent.state.reason() is not None:
        return False
    return is_thought(before.the_task()) or before.reason() is not None


async def _save(app: App, task_id: str, sent: SentMessage) -> Saved:
    """A task that was ended while nobody ran it leaves its work in the repository."""
    if sent.runner or not sent.state.branch or sent.state.reason() is not StopReason.aborted:
        return Saved({})
    return await save(app, task_id)


def _what(event: e.Event, before: State) -> str:
    match event:
        case e.DecisionMade():
            return {"approve": "approved", "exit": "approved; the task ends here", "reject": "sent back"}.get(
                event.decision, "changes requested"
            )
        case e.EscalationResolved():
            return f"{event.id} settled ({event.choice})"
        case AbortAsked():
            return "it was already done" if before.exited else "aborted"
        case PauseAsked():
            return "asked to pause"
        case HintGiven():
            return "hint recorded"
        case Said():
            return "said"
        case ActionAsked():
            return "a further round" if event.action == REOPEN else event.action
        case _:
            return "recorded"


def asks(app: App, task_id: str, word: str) -> bool:
    """Whether a terminal asks for confirmation first; to end a task that has not stopped always does."""
    found = row(app.store.peek(task_id).state).get(word)
    return found.asks if found else word == "terminate"


def ask_to_pause(app: App, task_id: str) -> None:
    """Let the process that runs the task finish the running call and stop."""
    app.store.send(task_id, "pause", {}, by=app.who)


def _check_price(app: App, state: State, wishes: ResumeOptions) -> None:
    """A task that stopped for an unknown price goes on once there is one, or the person lets it."""
    if state.reason() is not StopReason.unknown_cost or wishes.provider:
        return
    task, known = state.the_task(), definitions(app, {})
    agent = binder(app, task.providers, known.roles)
    used = [agent(role) for role in roles(task.pipeline.stages)]
    caps = state.caps.model_copy(update=wishes.caps)
    require_price(used, caps, command=f"thoughtforge continue {task.id}")


def resume(
    app: App, task_id: str, *, listener: Listener, ask: Ask | None = None, wishes: ResumeOptions = NO_OPTIONS
) -> Coroutine[Any, Any, RunResult]:
    """Continue where the record ends, a finished thought with a further round.

    The table of stops refuses a halt that needs more than that.
    """
    if not wishes.accept_loss:
        state = app.store.peek(task_id).state
        check_resume(state, extends=wishes.extend_to is not None)
        _check_price(app, state, wishes)
        wishes = wishes._replace(reopen=reopens(state) and not state.active and wishes.extend_to is None)
    return run(app, task_id, listener=listener, ask=ask, wishes=wishes)
