"""Every word of a person at every place a task can stop: what it becomes, for a thought and for any other task."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from thoughtforge.kernel import events as e
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.model import Criterion, Question, Stage
from thoughtforge.kernel.state import State
from thoughtforge.kernel.stops import StopReason
from thoughtforge.people.events import AbortAsked, ActionAsked, HintGiven, PauseAsked, Said
from thoughtforge.polish.events import PolishStop
from thoughtforge.service.decisions import pinned
from thoughtforge.service.messages import event_for
from thoughtforge.service.respond import Decision, message_of
from thoughtforge.store.lease import InboxMessage
from thoughtforge.think.stops import ThoughtStop
from unit.kernel.making import CLARIFY, INTAKE, RUNNER, SPEC, begun, made, passed, raised, story, task

Q1, Q2 = Question(id="Q-001", text="Which format?"), Question(id="Q-002", text="Which colour?")
EXITED = e.PipelineExited(exit_type="default", stage="spec", deliverable="specification", artifact="s")
SHOWN = e.IterationPresented(stage="spec", iteration=1, artifact="s")


def stage(name: str, **more: Any) -> Stage:
    """One stage of a thought."""
    return Stage(name=name, purpose="p", driver="chat", role="analyst", output_contract=name, iterable=True, **more)


THINK = (stage("distill"), stage("spec", exit_point=True), stage("build"), stage("polish"))
WORDS = {
    "approve": Decision("approve"),
    "approve --exit": Decision("approve", leave=True),
    "confirm": Decision("confirm"),
    "say": Decision("say", text="ok, looks good"),
    "feedback": Decision("feedback", items=("ok, looks good",)),
    "hint": Decision("hint", text="ok, looks good"),
    "reject": Decision("reject", text="no"),
    "resolve": Decision("resolve", answers={"*": "JSON"}),
    "resolve --accept": Decision("resolve", choice="accept"),
    "resolve --abort": Decision("resolve", choice="abort"),
    "provide": Decision("provide", text="JSON"),
    "override": Decision("override"),
    "distill": Decision("distill"),
    "pause": Decision("pause"),
    "abort": Decision("abort"),
    "terminate": Decision("terminate"),
}


def stopped(reason: str, detail: str = "") -> e.RunnerStopped:
    """A runner that stopped."""
    return e.RunnerStopped(reason=reason, detail=detail)


def start(*events: e.Event) -> State:
    """A task on a repository after these events."""
    spec = SPEC.model_copy(update={"max_iterations": 5})
    return story(*events, of=task(INTAKE, CLARIFY, spec))


def think(*events: e.Event) -> State:
    """A thought after these events."""
    return story(*events, of=task(*THINK, goal="think"))


def building(*events: e.Event) -> State:
    """A thought whose intent and proposal are confirmed, at work on its build."""
    return think(RUNNER, *passed("distill", "i"), *passed("spec", "p", "i"), begun("build", "i", "p"), *events)


ASKED = raised("clarify", questions=(Q1,), choices=("answer", "accept", "abort"))
OPEN = e.Measured(
    stage="spec", what="confirm", outcome="fail", summary="s", criteria=(Criterion(name="Q-1", outcome="fail"),)
)
PLACES: dict[str, State] = {
    "start: new": start(),
    "start: running": start(RUNNER, begun("intake")),
    "start: question": start(ASKED, stopped(StopReason.question)),
    "start: two questions": start(raised("clarify", questions=(Q1, Q2)), stopped(StopReason.question)),
    "start: gate": start(begun("spec"), made("spec", "s"), SHOWN),
    "start: halted": start(RUNNER, stopped(StopReason.provider_failed, "away")),
    "start: paused": start(RUNNER, PauseAsked()),
    "start: done": start(EXITED),
    "start: aborted": start(AbortAsked()),
    "start: aborted at a gate": start(begun("spec"), made("spec", "s"), SHOWN, AbortAsked()),
    "think: brain dump": think(RUNNER, stopped(ThoughtStop.brain_dump)),
    "think: gate": think(begun("distill"), made("distill", "i"), SHOWN.model_copy(update={"stage": "distill"})),
    "think: second gate": think(*passed("distill", "i"), begun("spec", "i"), made("spec", "p"), SHOWN),
    "think: open points": think(*passed("distill", "i"), begun("spec", "i"), made("spec", "p"), OPEN, SHOWN),
    "think: running": building(),
    "think: stuck": building(stopped(ThoughtStop.stuck, "When?")),
    "think: guard": building(*passed("build", "c", "i", "p"), stopped(PolishStop.guard, "plateau: no new low")),
    "think: paused": building(PauseAsked()),
    "think: done": building(EXITED.model_copy(update={"stage": "polish"})),
    "think: done by rules": building(EXITED.model_copy(update={"stage": "build"})),
    "think: terminated": building(AbortAsked()),
}
OVER = {"abort": "abort"}
WORDY = ("say", "feedback", "hint")


def words(what: str) -> dict[str, str]:
    """The three words that are one."""
    return dict.fromkeys(WORDY, what)


ENDS = {"abort": "abort", "terminate": "abort"}
ANSWERED = {**words("answer E-1"), "resolve": "answer E-1", "provide": "answer E-1"}
CHOICES = {"resolve --accept": "accept E-1", "resolve --abort": "abort E-1", "override": "accept E-1"}
CONFIRMED = {"approve": "approve", "confirm": "approve"}
TABLE: dict[str, dict[str, str]] = {
    "start: new": {**words("hint"), "pause": "pause", **ENDS},
    "start: running": {**words("hint"), "pause": "pause", **ENDS},
    "start: question": {**ANSWERED, **CHOICES, **ENDS},
    "start: two questions": {"resolve": "answer E-1", "resolve --abort": "abort E-1", **ENDS},
    "start: gate": {**CONFIRMED, **words("revise"), "reject": "reject", **ENDS},
    "start: halted": {**words("hint"), **ENDS},
    "start: paused": {**words("hint"), **ENDS},
    "start: done": OVER,
    "start: aborted": OVER,
    "start: aborted at a gate": OVER,
    "think: brain dump": {**words("said"), "distill": "distill", **ENDS},
    "think: gate": {**CONFIRMED, **words("said"), "reject": "said", **ENDS},
    "think: second gate": {
        **CONFIRMED,
        "approve --exit": "exit",
        **words("said"),
        "reject": "said",
        **ENDS,
    },
    "think: open points": {**words("said"), "reject": "said", **ENDS},
    "think: running": {**words("hint"), "pause": "pause", **ENDS},
    "think: stuck": {
        **words("provide"),
        "resolve": "provide",
        "provide": "provide",
        "resolve --abort": "abort",
        **ENDS,
    },
    "think: guard": {
        **words("hint"),
        "override": "override",
        "resolve --accept": "override",
        "resolve --abort": "abort",
        **ENDS,
    },
    "think: paused": {**words("hint"), **ENDS},
    "think: done": {**words("reopen"), **OVER},
    "think: done by rules": {**words("said"), **OVER},
    "think: terminated": OVER,
}
"""Place → word → the event it becomes. What is not here is refused with what the person can do."""


def becomes(word: str, state: State) -> str:
    """The event, in a word or two."""
    kind, data = message_of(WORDS[word])
    event = event_for(InboxMessage("m", kind, data, "ada"), state)
    match event:
        case e.DecisionMade():
            return event.decision
        case e.EscalationResolved():
            return f"{event.choice} {event.id}"
        case ActionAsked():
            return event.action
        case _:
            return {Said: "said", HintGiven: "hint", PauseAsked: "pause", AbortAsked: "abort"}[type(event)]


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("place", PLACES)
def test_a_word_means_what_the_table_says(place: str, word: str) -> None:
    expected = TABLE[place].get(word)
    if expected is not None:
        assert becomes(word, PLACES[place]) == expected
        return
    with pytest.raises(UserError) as refused:
        becomes(word, PLACES[place])
    assert refused.value.do
    assert "instead" not in f"{refused.value.what} {refused.value.do}"
    assert "is for thoughts" not in refused.value.what


def test_words_never_confirm_at_any_place() -> None:
    for place, state in PLACES.items():
        for word in WORDY:
            if word in TABLE[place]:
                assert becomes(word, state) not in ("approve", "exit", "override", "accept E-1")


def test_a_confirmation_counts_only_for_the_version_it_was_sent_for() -> None:
    state = think(RUNNER, *passed("distill", "i"), begun("spec", "i"), made("spec", "p"), SHOWN, stopped("approval"))
    message = InboxMessage("m", "confirm", {}, "ann")
    sent = event_for(message, state)
    kept = message._replace(data=pinned(sent))
    assert event_for(kept, state) == sent
    with pytest.raises(UserError, match=r"you accepted another version than the one there is now \(spec, 2\)"):
        event_for(kept, replace(state, awaiting=("spec", 2)))


def test_several_open_questions_are_listed_with_the_command_that_answers_one() -> None:
    with pytest.raises(UserError) as refused:
        becomes("say", PLACES["start: two questions"])
    assert refused.value.what == "task 20260101-abcd-a-task has 2 open questions"
    assert refused.value.details == (
        "20260101-abcd-a-task:E-1 Q-001: Which format?",
        "20260101-abcd-a-task:E-1 Q-002: Which colour?",
    )
    assert refused.value.do.startswith("Answer by id: thoughtforge resolve TASK:ID ANSWER")


def test_a_task_cannot_end_where_its_pipeline_has_no_end() -> None:
    with pytest.raises(UserError, match="a task cannot end at distill") as refused:
        becomes("approve --exit", PLACES["think: gate"])
    assert refused.value.do == "It can end at: spec"


def test_feedback_keeps_its_points_apart_at_a_gate_and_is_one_answer_elsewhere() -> None:
    kind, data = message_of(Decision("feedback", items=("first", "second")))
    at_gate = event_for(InboxMessage("m", kind, data, "ada"), PLACES["start: gate"])
    assert isinstance(at_gate, e.DecisionMade)
    assert at_gate.feedback is not None
    assert at_gate.feedback.items == ("first", "second")
    answer = event_for(InboxMessage("m", kind, data, "ada"), PLACES["start: question"])
    assert isinstance(answer, e.EscalationResolved)
    assert answer.answers == {"*": "first\nsecond"}


@pytest.mark.parametrize("kind", ["hint", "say"])
def test_a_message_of_an_older_inbox_still_fits(kind: str) -> None:
    event = event_for(InboxMessage("m", kind, {"text": "be brief", "digest": None}, "ada"), PLACES["start: running"])
    assert isinstance(event, HintGiven)
    assert (event.text, event.message) == ("be brief", "m")
