"""The loop with a kit written by hand: every fact is on record as it becomes true, and a crash repeats no work."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from thoughtforge.calls.port import LimitHit
from thoughtforge.kernel import events as e
from thoughtforge.kernel.errors import Stop
from thoughtforge.kernel.loop import Journal, run_task
from thoughtforge.kernel.model import Escalation, Issue, Pauses, Stage, Task, Verdict
from thoughtforge.kernel.ports import NeedsPerson, Produced, Reviewed
from thoughtforge.kernel.route import Stopped
from thoughtforge.kernel.stops import StopReason
from thoughtforge.people.events import PauseAsked
from unit.kernel.making import FAILED, INTAKE, PASSED, SPEC, at, task


class Memory:
    """A log in memory that can end before a given event, the way a killed process does."""

    def __init__(self, events: list[e.Event]) -> None:
        self.events = events
        self.room = 1_000

    def append(self, event: e.Event) -> e.Record:
        if len(self.events) >= self.room:
            raise KeyboardInterrupt
        self.events.append(event)
        return e.Record(len(self.events), at(len(self.events)), event)

    def check_lease(self) -> None:
        """Nobody else can hold what is in this process."""

    def read(self, after: int = 0) -> Iterator[e.Record]:
        return (e.Record(n, at(n), event) for n, event in enumerate(self.events, start=1) if n > after)


class Kit:
    """Makes an artifact at once and judges by a list of verdicts."""

    def __init__(self, verdicts: list[Verdict] | None = None, issues: list[str] | None = None) -> None:
        self.verdicts = verdicts or []
        self.issues = issues or []
        self.worked: list[str] = []
        self.absorbed = 0
        self.followed: list[str] = []

    def drain_inbox(self) -> None:
        self.absorbed += 1

    def has_driver(self, name: str) -> bool:
        return name != "code"

    def escalation(self, stage: Stage, reason: str) -> Escalation:
        return Escalation.model_validate({"id": "E-1", "stage": stage.name, "reason": reason, "summary": "s"})

    async def work(self, stage: Stage) -> Produced | NeedsPerson:
        self.worked.append(stage.name)
        return Produced(f"{stage.name}-{len(self.worked)}", ("SEC-1",) if len(self.worked) > 2 else ())

    async def judge(self, stage: Stage, artifact: str) -> Verdict:
        return self.verdicts.pop(0) if self.verdicts else PASSED

    async def passed(self, stage: Stage) -> None:
        self.followed.append(stage.name)

    async def review(self, stage: Stage, reviewer: str, artifact: str) -> Reviewed:
        found = tuple(Issue(id=self.issues.pop(0), severity="high", description="d") for _ in self.issues[:1])
        return Reviewed("review", found, ())


def log_of(of: Task) -> Memory:
    return Memory([e.TaskCreated(task=of, task_file="f")])


def kinds(log: Memory) -> list[str]:
    return [type(event).__name__ for event in log.events]


ROUND = ["StageStarted", "ArtifactMade", "GateDecided"]
TWO_STAGES = [
    "TaskCreated",
    *ROUND,
    "StagePassed",
    *ROUND,
    "ReviewGiven",
    "ReviewGiven",
    "StagePassed",
    "PipelineExited",
]


def test_a_task_runs_to_its_end_with_every_fact_on_record() -> None:
    log, kit = log_of(task(INTAKE, SPEC)), Kit()
    journal = Journal(log)
    assert asyncio.run(run_task(journal, kit)) == Stopped(StopReason.done)
    assert kinds(log) == TWO_STAGES
    assert (kit.worked, kit.absorbed) == (["intake", "spec"], 10)
    assert journal.state == Journal(log).state


@pytest.mark.parametrize("kept", range(1, len(TWO_STAGES)))
def test_a_run_that_was_killed_before_any_event_ends_with_the_same_record(kept: int) -> None:
    log = log_of(task(INTAKE, SPEC))
    log.room = kept
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(run_task(Journal(log), Kit()))
    assert kinds(log) == TWO_STAGES[:kept]
    log.room = 1_000
    assert asyncio.run(run_task(Journal(log), Kit())) == Stopped(StopReason.done)
    assert kinds(log) == TWO_STAGES


def test_what_follows_from_a_stage_is_made_when_it_passes_and_once_more_by_the_next_run() -> None:
    log, kit = log_of(task(INTAKE, SPEC)), Kit()
    log.room = TWO_STAGES.index("StagePassed") + 1
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(run_task(Journal(log), kit))
    assert kit.followed == ["intake"]
    log.room, again = 1_000, Kit()
    asyncio.run(run_task(Journal(log), again))
    assert again.followed == ["intake", "spec"]


class Full(Kit):
    """A kit that cannot make what follows."""

    async def passed(self, stage: Stage) -> None:
        raise Stop(StopReason.file_system_error, "the disk is full")


def test_a_stage_whose_end_cannot_be_followed_rests_there_and_the_next_run_begins_with_that() -> None:
    log = log_of(task(INTAKE, SPEC))
    full = Stopped(StopReason.file_system_error, "the disk is full")
    assert asyncio.run(run_task(Journal(log), Full())) == full
    assert kinds(log) == ["TaskCreated", *ROUND, "StagePassed"]
    assert asyncio.run(run_task(Journal(log), Full())) == full
    assert kinds(log) == ["TaskCreated", *ROUND, "StagePassed"]


def test_a_contract_that_fails_three_times_becomes_a_question() -> None:
    log = log_of(task(INTAKE))
    assert asyncio.run(run_task(Journal(log), Kit([FAILED, FAILED, FAILED]))) == Stopped(StopReason.question)
    assert kinds(log) == ["TaskCreated", *ROUND * 3, "EscalationRaised"]


def test_a_revision_after_a_review_names_the_issues_it_answers() -> None:
    log = log_of(task(INTAKE, SPEC))
    assert asyncio.run(run_task(Journal(log), Kit(issues=["SEC-1"]))) == Stopped(StopReason.done)
    answers = [event.answers for event in log.events if isinstance(event, e.ArtifactMade)]
    iterations = [event.iteration for event in log.events if isinstance(event, e.ReviewGiven)]
    assert (answers, iterations) == ([(), (), ("SEC-1",)], [1, 1, 2, 2])


def test_what_a_person_accepted_is_on_record_with_what_was_left_open() -> None:
    log = log_of(task(INTAKE, SPEC))
    asyncio.run(run_task(Journal(log), Kit(issues=["S-1", "S-2", "S-3", "S-4", "S-5", "S-6"])))
    assert log.events[-1] == e.EscalationRaised(escalation=Kit().escalation(SPEC, "review_unresolved"))
    log.append(e.EscalationResolved(id="E-1", choice="accept"))
    assert asyncio.run(run_task(Journal(log), Kit())) == Stopped(StopReason.done)
    assert log.events[-2] == e.StagePassed(
        stage="spec", artifact="spec-4", accepted_by_person=True, open_issues=("S-5", "S-6")
    )


def test_a_stage_this_version_cannot_run_ends_the_work_before_it() -> None:
    later = INTAKE.model_copy(update={"name": "red", "driver": "code"})
    log = log_of(task(INTAKE, later))
    rest = asyncio.run(run_task(Journal(log), Kit()))
    assert rest == Stopped(StopReason.stage_unavailable, "stage red needs the driver 'code'")
    assert kinds(log) == ["TaskCreated", *ROUND, "StagePassed"]


def test_a_version_is_shown_where_the_person_wants_to_see_it() -> None:
    log = log_of(task(INTAKE, pauses=Pauses(supervised=True)))
    assert asyncio.run(run_task(Journal(log), Kit())) == Stopped(StopReason.approval)
    assert log.events[-1] == e.IterationPresented(stage="intake", iteration=1, artifact="intake-1")


class Capped(Kit):
    """A kit whose work meets a cap."""

    async def work(self, stage: Stage) -> Produced | NeedsPerson:
        raise LimitHit(StopReason.budget_tokens, "9 of 10 tokens are used")


class Asking(Kit):
    """A kit whose work ends with a question."""

    async def work(self, stage: Stage) -> Produced | NeedsPerson:
        return NeedsPerson(self.escalation(stage, "agent_question"))


def test_a_cap_that_is_met_becomes_the_reason_to_rest() -> None:
    rest = asyncio.run(run_task(Journal(log_of(task(INTAKE))), Capped()))
    assert rest == Stopped(StopReason.budget_tokens, "9 of 10 tokens are used")


def test_a_question_of_the_work_itself_is_on_record() -> None:
    log = log_of(task(INTAKE))
    assert asyncio.run(run_task(Journal(log), Asking())) == Stopped(StopReason.question)
    assert kinds(log) == ["TaskCreated", "StageStarted", "EscalationRaised"]


def test_a_journal_tells_its_listeners_and_stops_when_a_person_asked() -> None:
    log, heard = log_of(task(INTAKE)), list[e.Record]()
    journal = Journal(log, heard.append)
    journal.raise_if_stopped()
    record = journal.append(PauseAsked())
    assert heard == [record]
    with pytest.raises(Stop) as stop:
        journal.raise_if_stopped()
    assert stop.value.reason == StopReason.paused
