"""The polish stage: review and fix in turn, until the guards or a person end it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, NoReturn

from thoughtforge.agent.run import Done, Halt, Run, drive
from thoughtforge.code import rulings
from thoughtforge.coding.writing import red_tests
from thoughtforge.kernel.errors import Stop
from thoughtforge.kernel.events import WarningGiven
from thoughtforge.kernel.model import JsonObject, Stage
from thoughtforge.kernel.ports import NeedsPerson, Produced
from thoughtforge.kernel.stops import StopReason
from thoughtforge.people.events import REOPEN
from thoughtforge.polish.events import PolishFixed, PolishStop
from thoughtforge.polish.finding import ReviewFinding
from thoughtforge.polish.history import best_iteration, for_fixer
from thoughtforge.polish.rounds import ROUNDS, STAGE, Round, Rounds, last_refusal, resolved
from thoughtforge.stages.polish_review import review, take_up
from thoughtforge.think.deliverable import Deliverable, FixOrder, confirmed
from thoughtforge.think.documents import CONSTRAINTS, commit_step, keep_edits, project, read
from thoughtforge.think.rests import COURSES, StageCourse
from thoughtforge.think.talking import answer, answered, conversation

PUT_BACK = ("regression", "oscillation")
"""Halts after which the best iteration is put back without being asked."""
SHOWN = 200
"""Characters of a point that was fixed, in the message that it is."""


async def converged(run: Run, stage: Stage, rounds: Rounds, *, of: Deliverable) -> Produced:
    """A guard says it is good; the reviewed commit is what is delivered."""
    last = rounds.rounds[-1].review
    outcome = "plateau" if last.guard != "termination" else "converged"
    return _made(run, rounds, of=of, outcome=outcome, commit=last.commit, guard=last.guard, why=last.explanation)


async def accepted(run: Run, stage: Stage, rounds: Rounds, *, of: Deliverable) -> Produced:
    """A person takes it as it is; that is never called converged."""
    here = project(run)
    if await here.changed():
        await commit_step(run, "Accepted by a person", step=f"accepted-{rounds.number}")
    why = f"accepted by a person after {rounds.rounds[-1].review.guard or 'refused fixes'} halted it"
    made = (await here.tip()).commit
    return _made(run, rounds, of=of, outcome="accepted_by_person", commit=made, guard="", why=why)


def _made(run: Run, rounds: Rounds, *, of: Deliverable, outcome: str, commit: str, guard: str, why: str) -> Produced:
    history = rounds.history()
    counts = history.last.counts
    left = [finding.line() for finding in history.last.findings]
    polished: JsonObject = {
        "deliverable_type": of.type,
        "path": of.path,
        "outcome": outcome,
        "guard": guard,
        "explanation": why,
        "iterations": rounds.number,
        "best_iteration": best_iteration(history),
        "counts": counts._asdict(),
        "open": [*left, *rulings.told(red_tests(run).held)],
        "commit": commit,
    }
    known = conversation(run)
    if not answered(known, "done", max((one.seq for one in known.asked(REOPEN)), default=0)):
        place = project(run).root / of.path
        how = outcome.replace("_", " ")
        told = f"Done ({how}) after {rounds.number} reviews: {counts.words()}. It lies in {place}."
        offered = [*_offered(run, len(history.last.open)), *_untouched(rounds)]
        answer(run, " ".join([told, *_since_before(run, rounds), *offered]), code="done")
    return Produced(run.record.put(polished))


def _offered(run: Run, left: int) -> Iterator[str]:
    """One last fix and review, when small points are open; what was set aside is given to no fixer."""
    if left:
        points = "1 point is open" if left == 1 else f"{left} points are open"
        yield f"{points}: thoughtforge continue {run.record.task.id} has {'it' if left == 1 else 'them'} fixed"
        yield "and reviewed once more."


def _untouched(rounds: Rounds) -> Iterator[str]:
    """The points that no fixer ever got, in full: nobody has tried to put them right."""
    given = {one.id for number, one in _given(rounds)}
    fresh = [one for one in rounds.history().last.findings if one.id not in given]
    if fresh:
        yield "No fixer has seen yet:\n" + "\n".join(f"- {one.full()}" for one in fresh)


def _given(rounds: Rounds) -> Iterator[tuple[int, ReviewFinding]]:
    """Every finding that was handed to a fixer, with its iteration."""
    history = rounds.history()
    for number, one in enumerate(rounds.rounds, start=1):
        if one.fix is not None:
            yield from ((number, found) for found in for_fixer(history.until(number)))


def _since_before(run: Run, rounds: Rounds) -> Iterator[str]:
    """What changed since the version before, and where that is; nothing for the first one."""
    before = run.record.stage(STAGE).versions
    commit = (run.record.artifact(before[-1]) or {}).get("commit") if before else None
    if not commit:
        return
    later = [one for one in rounds.rounds if one.review.iteration > rounds.since]
    fixed = {name for one in later for name in one.data["resolved"]}
    texts = {row["id"]: row["title"] or row["description"] for one in later for row in one.data["findings"]}
    done = "; ".join(" ".join(texts[name].split())[:SHOWN].rstrip(".") for name in sorted(fixed & texts.keys()))
    yield f"Changed since the version before: {done or 'nothing'}."
    yield f"That version is kept: git -C {project(run).root} show {commit[:12]}."


async def halt(run: Run, stage: Stage, rounds: Rounds, *, of: Deliverable) -> NoReturn:
    """Say why, name the best iteration, and put it back where the loop itself made things worse."""
    last = rounds.rounds[-1]
    best = best_iteration(rounds.history())
    told = f"{last.review.explanation} The best so far is iteration {best}."
    if last.data.get("kind") in PUT_BACK and best != rounds.number:
        await put_back(run, rounds, of=of, iteration=best)
        told += " It was put back."
    if not answered(conversation(run), f"halt-{rounds.number}", 0):
        answer(run, f"{last.review.guard}: {told}", code=f"halt-{rounds.number}")
    raise Stop(PolishStop.guard, f"{last.review.guard}: {told}")


async def put_back(run: Run, rounds: Rounds, *, of: Deliverable, iteration: int) -> None:
    """The deliverable as that iteration's review saw it, in a commit of its own."""
    here, step = project(run), f"restore-{rounds.number}-{iteration}"
    if (await here.tip()).step == step:
        return
    source = next(one.review.commit for one in rounds.rounds if one.review.iteration == iteration)

    async def ours(path: str) -> bool:
        """A file that was on its way back when the process ended."""
        return not (here.root / path).is_symlink() and here.content(path) == await here.at(source, path)

    await keep_edits(run, rounds.number, ours)
    await here.restore(source, confirmed(run).belongs)
    await commit_step(run, f"Back to iteration {iteration}", step=step)
    run.record.journal.append(WarningGiven(text=f"iteration {iteration} was put back", code="put_back"))


UNCHANGED = "it changed nothing"
MOST_REJECTED = 2
"""Refused fixes running before a person has to look."""


async def fix(run: Run, stage: Stage, rounds: Rounds, *, of: Deliverable) -> None:
    """Fix what the newest review found; a fix that is refused leaves everything as it was."""
    last = rounds.rounds[-1]
    number = last.review.iteration
    order = FixOrder(
        number,
        for_fixer(rounds.history()),
        last.data["gate"],
        constraints=read(run, CONSTRAINTS),
        attempt=rounds.attempts[number],
        refused=last_refusal(rounds),
    )
    found = await of.fix(order)
    answered_all = {one.id for one in order.findings} <= found.declined.keys() and not order.measured
    if not found.refused and not answered_all and await of.hash() == last.data["hash"]:
        found = found._replace(refused=UNCHANGED)
    declined = dict(found.declined)
    if found.refused:
        fixed = PolishFixed(
            stage=stage.name, iteration=number, outcome="rejected", reason=found.refused, declined=declined
        )
        run.record.journal.append(fixed)
        told = f"the fix of iteration {number} was refused: {found.refused}"
        run.record.journal.append(WarningGiven(text=told, code="fix_rejected"))
        return
    run.record.journal.append(
        PolishFixed(
            stage=stage.name,
            iteration=number,
            outcome="accepted",
            reason=found.summary,
            commit=found.commit,
            declined=declined,
        )
    )


class ReviewTurn(NamedTuple):
    """Review it."""

    number: int


class RequestTurn(NamedTuple):
    """Take up what a person wants."""

    number: int


class FixTurn(NamedTuple):
    """Fix what the newest review found."""


class GuardTurn(NamedTuple):
    """A guard halts it: say so, and put the best iteration back where the loop made things worse."""


def next_turn(rounds: Rounds) -> ReviewTurn | RequestTurn | FixTurn | GuardTurn | Done | Halt:
    """What comes next in a polish loop."""
    last = rounds.rounds[-1] if rounds.rounds else None
    if rounds.overridden:
        return Done("accepted")
    if last is None:
        return ReviewTurn(1)
    if rounds.wanted and not (last.fix and last.fix.outcome == "accepted"):  # then a review is due, which takes it up
        return RequestTurn(rounds.number + 1)
    if last.review.outcome == "done":
        return Done("converged")
    if rounds.rejected() >= MOST_REJECTED:
        why = last.fix.reason if last.fix else ""
        return Halt(PolishStop.fix_rejected, f"{MOST_REJECTED} fixes running were refused: {why}")
    if last.review.outcome == "halt" and not rounds.resumed:
        return GuardTurn()
    nothing = not for_fixer(rounds.history()) and not last.data["gate"]
    if last.review.outcome == "halt" or last.fix is not None or nothing:
        return ReviewTurn(last.review.iteration + 1)
    return ReviewTurn(last.review.iteration) if _begins_anew(last) else FixTurn()


def _begins_anew(last: Round) -> bool:
    """An agent that failed at the fix: the iteration starts over at its review."""
    return bool(last.stopped) and last.stopped[-1] == StopReason.provider_failed and not last.planned


async def work(run: Run, stage: Stage) -> Produced | NeedsPerson:
    """Polish until a guard or a person ends it."""
    await _tell(run, stage)
    of = confirmed(run).polished(run, stage)

    def look() -> Rounds:
        run.people.drain_inbox()
        run.record.journal.raise_if_stopped()
        return resolved(run.record.journal.of(ROUNDS), lambda digest: run.record.artifact(digest) or {})

    async def run_turn(turn: ReviewTurn | RequestTurn | FixTurn | GuardTurn) -> None:
        match turn:
            case ReviewTurn():
                await review(run, stage, look(), of=of, number=turn.number)
            case RequestTurn():
                await take_up(run, stage, look(), of=of, number=turn.number)
            case FixTurn():
                await fix(run, stage, look(), of=of)
            case GuardTurn():
                await halt(run, stage, look(), of=of)

    done = await drive(look, next_turn, run_turn)
    end = accepted if done.how == "accepted" else converged
    return await end(run, stage, look(), of=of)


async def _tell(run: Run, stage: Stage) -> None:
    """Tell once that the build is over: before the first call of this stage."""
    if run.people.notify is None:
        return
    if not run.record.journal.of(COURSES).get(stage.name, StageCourse()).called:
        await run.people.notify("Phase 3 complete. The deliverable is built. Polishing starts.")
