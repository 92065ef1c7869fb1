"""What people say to a task. Every word goes through the inbox; whoever holds the lease puts it on record."""

from __future__ import annotations

from typing import Any, NamedTuple

from thoughtforge.kernel import events as e
from thoughtforge.kernel.errors import Held, Mistake
from thoughtforge.kernel.loop import Journal
from thoughtforge.kernel.model import Feedback
from thoughtforge.kernel.state import State
from thoughtforge.kernel.stops import StopReason
from thoughtforge.people.events import AbortAsked, HintGiven, PauseAsked
from thoughtforge.service.app import App
from thoughtforge.service.open_task import open_task, readable
from thoughtforge.service.thought_messages import THOUGHT_MAKERS, refuse_decision
from thoughtforge.store.inbox import Message
from thoughtforge.store.port import Inbox


class Sent(NamedTuple):
    """What became of a message: taken up at once, or left for the process that runs the task."""

    runner: str | None
    state: State


def send(app: App, task_id: str, kind: str, data: dict[str, Any]) -> Sent:
    """Leave a message and, when nobody runs the task, take it up here."""
    state = app.store.peek(task_id).state
    event_for(Message("check", kind, data, app.who), state)  # refused before it is sent
    app.store.send(task_id, kind, data, by=app.who)
    try:
        return Sent(None, take_up(app, task_id))
    except Held as held:
        return Sent(held.holder, state)


def take_up(app: App, task_id: str) -> State:
    """Put all waiting messages on record."""
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
            except Mistake as mistake:
                text = f"{message.kind} from {message.by} came too late: {mistake.what}"
                event = e.WarningGiven(text=text, code="message_too_late", message=message.id)
            journal.append(event)
        inbox.done(message)


def event_for(message: Message, state: State) -> e.Event:
    """The event a message becomes, or a Mistake when it does not fit the state."""
    maker = MAKERS.get(message.kind)
    if maker is None:
        raise Mistake(f"this version knows no {message.kind}", do="Use the version that sent it.")
    event: e.Event = maker(state, message.data, message.by)
    return event.model_copy(update={"message": message.id})


def _hint(state: State, data: dict[str, Any], by: str) -> e.Event:
    if state.exited or state.stop is StopReason.aborted:
        raise _mistake(state, "a hint needs a task that can go on")
    return HintGiven(text=data["text"], by=by)


def _pause(state: State, data: dict[str, Any], by: str) -> e.Event:
    if state.reason() is not None:
        raise _mistake(state, "there is nothing to pause")
    return PauseAsked(by=by)


def _abort(state: State, data: dict[str, Any], by: str) -> e.Event:
    return AbortAsked(by=by)


def _resolve(state: State, data: dict[str, Any], by: str) -> e.Event:
    escalation = state.escalations.get(data["id"])
    if escalation is None:
        waiting = ", ".join(state.escalations) or "none"
        raise Mistake(f"there is no open question {data['id']}", do=f"Open: {waiting}")
    if data["choice"] not in escalation.choices:
        raise Mistake(
            f"{data['choice']} is no answer to {escalation.id}", do=f"Choices: {', '.join(escalation.choices)}"
        )
    unknown = set(data["answers"]) - {q.id for q in escalation.questions} - {"*"}
    if unknown:
        known = ", ".join(q.id for q in escalation.questions)
        raise Mistake(f"{', '.join(sorted(unknown))} is not asked in {escalation.id}", do=f"Questions: {known}")
    if data["choice"] == "answer":
        missing = [q.id for q in escalation.questions if not _said(data["answers"], q.id)]
        if missing:
            raise Mistake(
                f"no answer for {', '.join(missing)}", do=f"Answer each: thoughtforge resolve {escalation.id}"
            )
    return e.EscalationResolved(id=escalation.id, choice=data["choice"], answers=data["answers"], by=by)


def _said(answers: dict[str, str], question: str) -> bool:
    return bool((answers.get(question) or answers.get("*") or "").strip())


def _decide(state: State, data: dict[str, Any], by: str) -> e.Event:
    refuse_decision(state, data["decision"])
    if state.awaiting is None:
        raise _mistake(state, "nothing waits for a decision")
    stage_name, iteration = state.awaiting
    stage = state.the_task().pipeline.stage(stage_name)
    decision = data["decision"]
    if decision == "revise" and iteration >= max(stage.max_iterations, 1) and stage.iterable:
        raise Mistake(
            f"{stage_name} was revised {iteration} times, the most there may be",
            do="Choose: approve, reject, or approve --exit to keep this version.",
        )
    if decision == "exit" and not stage.exit_point:
        exits = [s.name for s in state.the_task().pipeline.stages if s.exit_point]
        raise Mistake(f"{stage_name} is no place to end", do=f"Ends: {', '.join(exits)}")
    feedback = (
        Feedback(kind="person", iteration=iteration, items=tuple(data.get("items", ()))) if data.get("items") else None
    )
    return e.DecisionMade(stage=stage_name, iteration=iteration, decision=decision, feedback=feedback, by=by)


def _mistake(state: State, what: str) -> Mistake:
    reason = state.reason()
    task = state.the_task().id
    return Mistake(
        f"{what}; task {task} is {state.status()}{f' ({reason})' if reason else ''}",
        do=f"Look: thoughtforge status {task}",
    )


MAKERS: dict[str, Any] = {
    "hint": _hint,
    "pause": _pause,
    "abort": _abort,
    "resolve": _resolve,
    "decide": _decide,
    **THOUGHT_MAKERS,
}
"""Message kind → what makes its event."""


def find_escalation(app: App, word: str, task_id: str | None) -> tuple[str, str]:
    """The task and the full id of an open escalation; `E-1` is enough when only one task has it."""
    if ":" in word:
        task_word, _, word = word.rpartition(":")
        task_id = app.store.find(task_word)
    places = [task_id] if task_id else app.store.ids()
    found = [place for place in places if word in _open(app, place)]
    if len(found) == 1:
        return found[0], word
    if not found:
        raise Mistake(f"there is no open question {word}", do="See them: thoughtforge escalations list")
    raise Mistake(f"{word} is open in several tasks", do=f"Name it in full: {', '.join(f'{t}:{word}' for t in found)}")


def _open(app: App, task_id: str) -> frozenset[str]:
    state = readable(app.store, task_id)
    return frozenset(state.escalations) if state else frozenset()
