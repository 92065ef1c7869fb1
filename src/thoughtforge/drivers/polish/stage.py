"""The loop: review, guards, fix. Every turn asks the record what is next, so a crash changes nothing."""

from __future__ import annotations

from thoughtforge.agent.means import Means
from thoughtforge.drivers.polish.deliverable import Deliverable
from thoughtforge.drivers.polish.ending import accepted, converged, halt
from thoughtforge.drivers.polish.fixing import check_rejected, fix
from thoughtforge.drivers.polish.plan import PlanDeliverable
from thoughtforge.drivers.polish.reviewing import review
from thoughtforge.intake.documents import settle
from thoughtforge.intake.rests import COURSES, Course
from thoughtforge.kernel.model import Stage
from thoughtforge.kernel.ports import Asked, Made
from thoughtforge.kernel.stops import StopReason
from thoughtforge.review.best import for_fixer
from thoughtforge.review.rounds import ROUNDS, Round, Rounds, resolved


async def work(means: Means, stage: Stage) -> Made | Asked:
    """Polish until a guard or a person ends it."""
    await settle(means)
    await _tell(means, stage)
    of = await _deliverable(means, stage)
    while True:
        means.absorb()
        means.journal.go_on()
        rounds = resolved(means.journal.of(ROUNDS), lambda digest: means.artifact(digest) or {})
        if rounds.overridden:
            return await accepted(means, stage, rounds, of=of)
        if rounds.rounds and rounds.rounds[-1].review.outcome == "done":
            return await converged(means, stage, rounds, of=of)
        check_rejected(rounds)
        number = _next_review(rounds)
        if number is None:
            await fix(means, stage, rounds, of=of)
        elif rounds.rounds and rounds.rounds[-1].review.outcome == "halt" and not rounds.resumed:
            await halt(means, stage, rounds, of=of)
        else:
            await review(means, stage, rounds, of=of, number=number)


async def _tell(means: Means, stage: Stage) -> None:
    """Tell once that the build is over: before the first call of this stage."""
    if means.notify is None:
        return
    if not means.journal.of(COURSES).get(stage.name, Course()).called:
        await means.notify("Phase 3 complete. The deliverable is built. Polishing starts.")


def _next_review(rounds: Rounds) -> int | None:
    """The number of the review that comes next; None when a fix does."""
    if not rounds.rounds:
        return 1
    last = rounds.rounds[-1]
    nothing = not for_fixer(rounds.history()) and not last.data["gate"]
    if last.review.outcome == "halt" or last.fix is not None or nothing:
        return last.review.iteration + 1
    return last.review.iteration if _begins_anew(last) else None


def _begins_anew(last: Round) -> bool:
    """An agent that failed at the fix: the iteration starts over at its review."""
    return bool(last.stopped) and last.stopped[-1] == StopReason.provider_failed and not last.planned


async def _deliverable(means: Means, stage: Stage) -> Deliverable:
    if means.accepted()["intent"]["deliverable_type"] == "plan":
        return PlanDeliverable(means, stage)
    from thoughtforge.drivers.polish.code import CodeDeliverable

    return CodeDeliverable(means, stage)
