"""What a person decides about a task, as events: one family of decisions for every kind of task.

Each function takes the state, the data of the message and who sent it; it makes the event, or raises a UserError that
says where the task stands and what the person can do.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from thoughtforge.definitions.assent import with_proposals
from thoughtforge.definitions.drivers import is_plan, is_thought
from thoughtforge.kernel import events as e
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.model import Escalation, Feedback
from thoughtforge.kernel.state import State
from thoughtforge.kernel.stops import StopReason
from thoughtforge.people.events import REOPEN, AbortAsked, ActionAsked, HintGiven, PauseAsked, Said
from thoughtforge.think.conversation import REALIGN, SHOWN, is_realign
from thoughtforge.views.next_actions import cell, next_action, refusal, row, where
from thoughtforge.views.phases import CONVERSATION, phase

Data = dict[str, Any]
Maker = Callable[[State, Data, str], e.Event]
DOUBT = re.compile(r"^\W*C-[1-9]", re.IGNORECASE | re.MULTILINE)
"""An answer to a doubt of the proposal, by its id."""
CRITERIA = "criteria"
"""The point of the gate that nobody can leave open: there is no criterion."""
SHOWN_AS = "shown"
"""The stage and version a confirmation is of."""
MEANT, HINT = "meant", "hint"
"""What the words of a message meant when a person sent it."""


def _speak(word: str) -> Maker:
    """Words for a task: at a gate they request changes, with a question open they answer it, else they are a hint.

    What a person says in the conversation of a thought is part of it. Words for a finished thought open a further
    round. Words never confirm anything.
    """

    def make(state: State, data: Data, by: str) -> e.Event:
        if _over(state) and not finished(state):
            raise refusal(state, word)
        text = _text(data, word)
        if finished(state):
            return _wanted(state, data, text, by)
        if _is_thought(state) and phase(state).place in CONVERSATION:
            return _said(state, data, text, by)
        if data.get(MEANT) == HINT:
            return HintGiven(text=text, by=by)
        if state.awaiting is not None:
            return _decision(state, "revise", _items(data, text), by)
        if state.escalations or data.get("id"):
            return _only_answer(state, data, text, by)
        if "provide" in row(state) and _is_thought(state):
            return _provided(data, text, by)
        return HintGiven(text=text, by=by)

    return make


def _wanted(state: State, data: Data, text: str, by: str) -> e.Event:
    """What a person wants changed: polishing takes it up, or the conversation of a thought that ended before."""
    if is_realign(text):
        raise refusal(state, REALIGN)
    if reopens(state):
        return ActionAsked(action=REOPEN, text=text[:SHOWN], digest=data.get("digest"), by=by)
    ended = state.exited.stage if state.exited else ""
    talk = "spec_building" if ended == "spec" or DOUBT.search(text) else "human_review"
    return Said(role="human", text=text[:SHOWN], digest=data.get("digest"), phase=talk, by=by)


def finished(state: State) -> bool:
    """Whether this is a thought that is done: what a person says then opens a further round."""
    return state.task is not None and _is_thought(state) and state.reason() is StopReason.done


def reopens(state: State) -> bool:
    """Whether it is done with its last stage, which reviews and fixes: that can go on without a word."""
    return finished(state) and state.exited is not None and state.exited.stage == state.the_task().pipeline.exit.stage


def _decide(state: State, data: Data, by: str) -> e.Event:
    """A decision on the version a person looks at."""
    decision = data["decision"]
    if decision == "revise":
        return _speak("feedback")(state, data, by)
    if decision == "reject":
        _require_gate(state)
        text = _text(data, "reject")
        if _is_thought(state):
            return _said(state, data, text, by)  # its conversation is the only way back
        return _decision(state, "reject", _items(data, text), by)
    return _approve(state, data, by)


def _approve(state: State, data: Data, by: str) -> e.Event:
    """Accept the version, once nothing the engine measured stands against it."""
    stage, iteration = _require_gate(state)
    if data.get(SHOWN_AS, [stage, iteration]) != [stage, iteration]:
        raise _user_error(state, f"you accepted another version than the one there is now ({stage}, {iteration})")
    gate = state.stage(stage).measured.get("confirm")
    left = [] if gate is None else [c for c in gate.criteria if c.outcome == "fail"]
    if data.get("leave_open"):
        left = [c for c in left if c.name == CRITERIA]
    if left:
        task, word = state.the_task().id, "approve" if "decision" in data else "confirm"
        answer, first = f"thoughtforge say {task}", next((c.name for c in left if c.name != CRITERIA), "")
        leave = f'"{first}: ANSWER"; or leave them open on purpose: thoughtforge {word} {task} --leave-open'
        raise UserError(
            f"you cannot confirm the proposal yet: {len(left)} point{'s' * (len(left) > 1)} open",
            do=f"Answer: {answer} {leave}" if first else f"Say what must hold in the end: {answer} TEXT",
            details=tuple(f"{c.name}: {c.detail}" for c in left),
        )
    return _decision(state, "exit" if data.get("decision") == "exit" else "approve", (), by)


def _decision(state: State, decision: str, items: tuple[str, ...], by: str) -> e.Event:
    stage_name, iteration = _require_gate(state)
    pipeline = state.the_task().pipeline
    stage = pipeline.stage(stage_name)
    if decision == "revise" and stage.iterable and iteration >= max(stage.max_iterations, 1):
        raise UserError(
            f"{stage_name} was revised {iteration} times, the most the pipeline allows",
            do="Choose: approve, reject, or approve --exit to keep this version.",
        )
    if decision == "exit" and not stage.exit_point:
        exits = ", ".join(one.name for one in pipeline.stages if one.exit_point)
        raise UserError(f"a task cannot end at {stage_name}", do=f"It can end at: {exits}")
    feedback = Feedback(kind="person", iteration=iteration, items=items) if items else None
    made = {"stage": stage_name, "iteration": iteration, "decision": decision, "feedback": feedback, "by": by}
    return e.DecisionMade.model_validate(made)


def _require_gate(state: State) -> tuple[str, int]:
    """The stage and version a person looks at; a thought that halted there must go on first."""
    if is_plan(state.the_task()):
        task = state.the_task().id
        do = f"Decide: thoughtforge plan approve {task}, or let it be forged again: thoughtforge forge {task}"
        raise UserError(f"{task} is a change plan; its approval binds what it means", do=do)
    reason = state.reason()
    if state.awaiting is None or reason is StopReason.aborted or (_is_thought(state) and reason != StopReason.approval):
        raise _user_error(state, "nothing waits for a decision")
    return state.awaiting


def _resolve(state: State, data: Data, by: str) -> e.Event:
    """An answer to a question by its id, or to the only open one."""
    if not data.get("id") and not state.escalations:
        return _resolve_thought(state, data, by)
    escalation = _escalation(state, data.get("id") or "")
    choice, answers = data["choice"], data["answers"]
    if choice not in escalation.choices:
        raise UserError(f"you cannot {choice} {escalation.id}", do=f"Choices: {', '.join(escalation.choices)}")
    known = [question.id for question in escalation.questions]
    unknown = sorted(set(answers) - {*known, "*"})
    if unknown:
        raise UserError(f"{escalation.id} does not ask {', '.join(unknown)}", do=f"Questions: {', '.join(known)}")
    missing = [name for name in known if not (answers.get(name) or answers.get("*") or "").strip()]
    if choice == "answer" and missing:
        names = ", ".join(missing)
        raise UserError(
            f"there is no answer for {names}", do=f"Answer each: thoughtforge resolve {_name(state, escalation)}"
        )
    return e.EscalationResolved(id=escalation.id, choice=choice, answers=with_proposals(escalation, answers), by=by)


def _resolve_thought(state: State, data: Data, by: str) -> e.Event:
    """A halted thought asks without an id: the same three choices in its own events."""
    if not _is_thought(state) or not row(state):
        raise _user_error(state, "there is no open question")
    if data["choice"] == "answer":
        return _provide(state, {"text": "\n".join(data["answers"].values())}, by)
    return (_override if data["choice"] == "accept" else _end("resolve --abort"))(state, {}, by)


def _escalation(state: State, name: str) -> Escalation:
    found = state.escalations.get(name)
    if found is not None:
        return found
    if name or not state.escalations:
        known = ", ".join(state.escalations) or "none"
        raise UserError(f"there is no open question {name}".rstrip(), do=f"Open: {known}")
    if len(state.escalations) > 1:
        raise _which(state)
    return next(iter(state.escalations.values()))


def _only_answer(state: State, data: Data, text: str, by: str) -> e.Event:
    """An answer without an id fits only when exactly one question is open."""
    if data.get("id"):
        return _resolve(state, {"id": data["id"], "choice": "answer", "answers": {"*": text}}, by)
    asked = [question for one in state.escalations.values() for question in one.questions or (None,)]
    if len(asked) > 1:
        raise _which(state)
    return _resolve(state, {"choice": "answer", "answers": {"*": text}}, by)


def _which(state: State) -> UserError:
    rows = [
        f"{_name(state, one)}{f' {question.id}' if question else ''}: {question.text if question else one.summary}"
        for one in state.escalations.values()
        for question in one.questions or (None,)
    ]
    return UserError(
        f"task {state.the_task().id} has {len(rows)} open questions",
        do="Answer by id: thoughtforge resolve TASK:ID ANSWER, or --answer Q-001=TEXT for each question",
        details=tuple(rows),
    )


def _name(state: State, escalation: Escalation) -> str:
    return f"{state.the_task().id}:{escalation.id}"


def _provide(state: State, data: Data, by: str) -> e.Event:
    """What a stuck build needs, or the answer to the only open question."""
    if state.escalations or data.get("id"):
        return _only_answer(state, data, _text(data, "provide"), by)
    _in_row(state, "provide")
    return _provided(data, _text(data, "provide"), by)


def _provided(data: Data, text: str, by: str) -> e.Event:
    return ActionAsked(action="provide", text=text[:SHOWN], digest=data.get("digest"), by=by)


def _override(state: State, data: Data, by: str) -> e.Event:
    """Go on, or end, although something is open."""
    if state.escalations or data.get("id"):
        return _resolve(state, {"id": data.get("id"), "choice": "accept", "answers": {}}, by)
    _in_row(state, "override")
    return ActionAsked(action="override", by=by)


def _distill(state: State, data: Data, by: str) -> e.Event:
    if not _is_thought(state) or phase(state).name != "brain_dump":
        raise refusal(state, "distill")
    return ActionAsked(action="distill", by=by)


def _pause(state: State, data: Data, by: str) -> e.Event:
    if state.reason() is not None:
        raise _user_error(state, "there is nothing to pause")
    return PauseAsked(by=by)


def _abort(state: State, data: Data, by: str) -> e.Event:
    """For good, and harmless when the task is over."""
    return AbortAsked(by=by, text=str(data.get("text", "")))


def _end(word: str) -> Maker:
    """For good; a task that is over refuses it."""

    def make(state: State, data: Data, by: str) -> e.Event:
        if _over(state):
            raise refusal(state, word)
        return AbortAsked(by=by)

    return make


def pinned(event: e.Event) -> Data:
    """What a message must keep of its meaning when it was sent.

    A hint never answers a question that came later, and a confirmation is of the version that was there.
    """
    if isinstance(event, HintGiven):
        return {MEANT: HINT}
    if isinstance(event, e.DecisionMade) and event.decision in ("approve", "exit"):
        return {SHOWN_AS: [event.stage, event.iteration]}
    return {"id": event.id} if isinstance(event, e.EscalationResolved) else {}


def check_resume(state: State, *, extends: bool = False) -> None:
    """Whether a thought may simply go on: the table decides for a halted one, and no flag goes round a confirmation."""
    if state.task is None or not _is_thought(state):
        return
    if extends and state.awaiting is not None:
        raise refusal(state, "continue --extend-to")
    if phase(state).name == "halted":
        cell(state, "resume")


def _is_thought(state: State) -> bool:
    return is_thought(state.the_task())


def _over(state: State) -> bool:
    return state.exited is not None or state.reason() is StopReason.aborted


def _in_row(state: State, action: str) -> None:
    if not _is_thought(state):
        raise refusal(state, action)
    cell(state, action)


def _said(state: State, data: Data, text: str, by: str) -> e.Event:
    return Said(role="human", text=text[:SHOWN], digest=data.get("digest"), phase=phase(state).place, by=by)


def _items(data: Data, text: str) -> tuple[str, ...]:
    return tuple(data.get("items") or (text,))


def _text(data: Data, word: str) -> str:
    text = str(data.get("text") or "\n".join(data.get("items", ())))
    if not text.strip():
        raise UserError("there is no text", do=f'Give it: thoughtforge {word} TASK "…"')
    return text


def _user_error(state: State, what: str) -> UserError:
    task = state.the_task().id
    do = next_action(state) or f"Look: thoughtforge status {task}"
    return UserError(f"{what}; task {task} is {where(state)}", do=do)


MAKERS: dict[str, Maker] = {
    "say": _speak("say"),
    "hint": _speak("hint"),
    "decide": _decide,
    "confirm": _approve,
    "resolve": _resolve,
    "provide": _provide,
    "override": _override,
    "distill": _distill,
    "pause": _pause,
    "abort": _abort,
    "terminate": _end("terminate"),
}
"""Message kind → what makes its event. Inboxes keep these names."""
