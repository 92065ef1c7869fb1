"""How polishing ends: converged, accepted by a person, or halted with the best iteration named."""

from __future__ import annotations

from typing import NoReturn

from thoughtforge.agent.means import Means
from thoughtforge.drivers.polish.commits import commit, keep_edits
from thoughtforge.drivers.polish.deliverable import Deliverable
from thoughtforge.intake.documents import project
from thoughtforge.intake.talking import answer, answered, conversation
from thoughtforge.kernel.errors import Stop
from thoughtforge.kernel.events import WarningGiven
from thoughtforge.kernel.model import JsonObject, Stage
from thoughtforge.kernel.ports import Made
from thoughtforge.review.best import best_iteration
from thoughtforge.review.events import PolishStop
from thoughtforge.review.rounds import Rounds

PUT_BACK = ("regression", "oscillation")
"""Halts after which the best iteration is put back without being asked."""


async def converged(means: Means, stage: Stage, rounds: Rounds, *, of: Deliverable) -> Made:
    """A guard says it is good; the reviewed commit is what is delivered."""
    last = rounds.rounds[-1].review
    outcome = "plateau" if last.guard != "termination" else "converged"
    return _made(means, rounds, of=of, outcome=outcome, commit=last.commit, guard=last.guard, why=last.explanation)


async def accepted(means: Means, stage: Stage, rounds: Rounds, *, of: Deliverable) -> Made:
    """A person takes it as it is; that is never called converged."""
    here = project(means)
    if await here.changed():
        await commit(means, "Accepted by a person", step=f"accepted-{rounds.number}")
    why = f"accepted by a person after {rounds.rounds[-1].review.guard or 'refused fixes'} halted it"
    made = (await here.tip()).commit
    return _made(means, rounds, of=of, outcome="accepted_by_person", commit=made, guard="", why=why)


def _made(means: Means, rounds: Rounds, *, of: Deliverable, outcome: str, commit: str, guard: str, why: str) -> Made:
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
        "open": left,
        "commit": commit,
    }
    if not answered(conversation(means), "done", 0):
        place = project(means).root / of.path
        how = outcome.replace("_", " ")
        answer(means, f"Done ({how}) after {rounds.number} reviews: {counts.words()}. It lies in {place}.", code="done")
    return Made(means.put(polished))


async def halt(means: Means, stage: Stage, rounds: Rounds, *, of: Deliverable) -> NoReturn:
    """Say why, name the best iteration, and put it back where the loop itself made things worse."""
    last = rounds.rounds[-1]
    best = best_iteration(rounds.history())
    told = f"{last.review.explanation} The best so far is iteration {best}."
    if last.data.get("kind") in PUT_BACK and best != rounds.number:
        await put_back(means, rounds, of=of, iteration=best)
        told += " It was put back."
    if not answered(conversation(means), f"halt-{rounds.number}", 0):
        answer(means, f"{last.review.guard}: {told}", code=f"halt-{rounds.number}")
    raise Stop(PolishStop.guard, f"{last.review.guard}: {told}")


async def put_back(means: Means, rounds: Rounds, *, of: Deliverable, iteration: int) -> None:
    """The deliverable as that iteration's review saw it, in a commit of its own."""
    here, step = project(means), f"restore-{rounds.number}-{iteration}"
    if (await here.tip()).step == step:
        return
    source = next(one.review.commit for one in rounds.rounds if one.review.iteration == iteration)
    await keep_edits(means, rounds.number)
    await here.restore(source, of.belongs)
    await commit(means, f"Back to iteration {iteration}", step=step)
    means.journal.append(WarningGiven(text=f"iteration {iteration} was put back", code="put_back"))
