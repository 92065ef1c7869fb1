"""One review: the deliverable as it is, the findings with their identity, the guards' word, one commit."""

from __future__ import annotations

from typing import Any

from thoughtforge.agent.asking import PromptRequest, ask, context_room
from thoughtforge.agent.context import Block
from thoughtforge.agent.run import Run
from thoughtforge.kernel.events import WarningGiven
from thoughtforge.kernel.model import JsonObject, Stage
from thoughtforge.people.events import REOPEN
from thoughtforge.people.rulings import HIDDEN
from thoughtforge.polish.evaluate import GuardRuling, judge
from thoughtforge.polish.events import PolishReviewed
from thoughtforge.polish.finding import (
    PERSON,
    SEVERITIES,
    Counts,
    ReviewFinding,
    ReviewReport,
    counted,
    divergence,
    read_report,
)
from thoughtforge.polish.history import History
from thoughtforge.polish.locations import marked
from thoughtforge.polish.log_text import log_text
from thoughtforge.polish.matching import NONE, Compared, RecheckAnswer, remember, settle
from thoughtforge.polish.profile import bind, find
from thoughtforge.polish.rounds import Round, Rounds, entry_of, iteration_of
from thoughtforge.stages.polish_recheck import recheck
from thoughtforge.think.deliverable import Deliverable, Seen, digest, warn_of_cut
from thoughtforge.think.documents import CONSTRAINTS, POLISH_LOG, commit_step, keep_edits, project, read, write
from thoughtforge.think.locked import decided_block
from thoughtforge.think.material import material
from thoughtforge.think.overruled import asked_for, confirmed, overrule
from thoughtforge.think.said_since import said_block, words_of
from thoughtforge.think.talking import conversation
from thoughtforge.think.texts import constraints_block

DO_IT = "The person asks for this. Do it, also where what was confirmed says otherwise."

ASKED = "asked for by the person later; it goes before scope, constraints and decisions"
AGAIN = (
    "The last review of this very text found nothing, and one empty review alone is not believed. Take the acceptance "
    "criteria one by one and look for the place that meets each; then look again at what was changed last. When you "
    "still find nothing, an empty list is the right answer."
)
WISHED = "You asked for a change; it is made next."


async def review(run: Run, stage: Stage, rounds: Rounds, *, of: Deliverable, number: int) -> None:
    """Review iteration `number` and put it on record; what a person edits meanwhile is reviewed before that."""
    await keep_edits(run, number)
    constraints = read(run, CONSTRAINTS)
    since = rounds.rounds[-1].review.commit if rounds.rounds else ""
    seen = await of.look(since)
    # another text at the same place is another question; the same one is asked once
    key = f"{stage.name}/{number}/{rounds.attempts.get(number, 0)}/{len(rounds.stopped)}/{seen.hash[:8]}"
    last = rounds.rounds[-1] if rounds.rounds else None
    # a text that came with a wish, or with a person's edit before one, was reviewed by no constraints yet
    unchanged = last is not None and last.data["hash"] == seen.hash and last.data.get("constraints") != ""
    basis = digest(constraints)
    if unchanged and last is not None and last.fix is not None and last.data.get("constraints") == basis:
        report = ReviewReport((), counted(()))  # it was reviewed by these constraints: only its points are asked
    else:
        again = AGAIN if unchanged and last is not None and not last.data["findings"] else ""
        report, seen = await _report(run, stage, of, seen=seen, constraints=constraints, key=key, again=again)
    wanted = _wanted(run, rounds)
    before = rounds.history()
    known = remember(before)
    fresh = (*wanted, *marked((*report.findings, *seen.findings), seen.exists))
    left = [one.finding for one in known if one.open]
    declined = last.fix.declined if last is not None and last.fix is not None else {}
    word = await recheck(run, stage, left, seen=seen, key=key, unchanged=unchanged, declined=declined)
    if await of.hash() != seen.hash:
        run.record.journal.append(
            WarningGiven(text=f"review {number} begins again: the text was edited", code="edited")
        )
        return
    compared = settle(known, fresh, word.answer, before=before.iterations[-1].refuted if before.iterations else NONE)
    data: JsonObject = {**_data(run, report, compared, seen=seen, rounds=rounds), "constraints": basis}
    data["notes"] += [one.note() for one in word.refuted if one.id in {*compared.refuted, *compared.resolved}]
    ruling = GuardRuling("continue", None, WISHED, number) if wanted else _judge(run, before, data, since=rounds.since)
    data |= {"warnings": list(ruling.warnings), "kind": ruling.kind}
    await _record(run, stage, rounds, data=data, ruling=ruling, number=number)


async def take_up(run: Run, stage: Stage, rounds: Rounds, *, of: Deliverable, number: int) -> None:
    """Put what a person wants on record as iteration `number`: their words beside everything that is open."""
    await keep_edits(run, number)
    for reopened in conversation(run).asked(REOPEN)[-1:]:
        if words := reopened.text.strip():
            await overrule(run, words, number=number)
    seen = await of.look(rounds.rounds[-1].review.commit)
    known = remember(rounds.history())
    wanted = _wanted(run, rounds)
    left = RecheckAnswer(still=frozenset(one.finding.id for one in known if one.open))
    compared = settle(known, (*wanted, *marked(seen.findings, seen.exists)), left)
    report = ReviewReport(tuple(wanted), counted(wanted))
    before = rounds.rounds[-1].data
    basis = before.get("constraints", "") if before["hash"] == seen.hash else ""  # what the text was reviewed by
    data = {**_data(run, report, compared, seen=seen, rounds=rounds), "warnings": [], "kind": "", "constraints": basis}
    ruling = GuardRuling("continue", None, WISHED if wanted else "You asked for what is open to be fixed.", number)
    await _record(run, stage, rounds, data=data, ruling=ruling, number=number)


def _wanted(run: Run, rounds: Rounds) -> list[ReviewFinding]:
    """What the person said that no review has taken up, each a point of theirs; an answer is none."""
    since = (word for word in words_of(run) if rounds.heard < word.seq <= rounds.spoken)
    words = [word for word in since if not word.question and word.text != HIDDEN]
    return [ReviewFinding("medium", word.line(), recommendation=DO_IT, source=PERSON) for word in words]


async def _report(
    run: Run, stage: Stage, of: Deliverable, *, seen: Seen, constraints: str, key: str, again: str
) -> tuple[ReviewReport, Seen]:
    """What the reviewer reports, and what it was shown: all of it only when nothing had to be cut."""
    budget = context_room(run, run.library.agent(stage.role))
    blocks = [
        constraints_block("constraints and criteria", confirmed(constraints), budget=budget // 4),
        Block(ASKED, asked_for(constraints), 1_500, floor=500, untrusted=True),
        decided_block(run, budget=budget // 8),
        said_block(run),
        Block("why you are asked again", again, 120, floor=120),
        *seen.results(),
        *seen.blocks,
    ]
    about = "\n".join(block.text for block in blocks)
    job = PromptRequest(
        name="review",
        prompt=of.review_prompt,
        contract=of.review_contract,
        key=f"{key}/review",
        blocks=blocks,
        fill=material(run, about),
        mode="review",
    )
    found = await ask(run, stage, job, tries=run.library.config.polish.retry_malformed_output + 1)
    warn_of_cut(run, "review", found.cut)
    report = read_report(found.data, run.library.contracts[of.review_contract]).report
    if report is None:
        raise AssertionError("an answer that kept its contract can be read")
    return report, seen._replace(full=seen.full and not {block.title for block in seen.blocks} & {*found.cut})


def _data(run: Run, report: ReviewReport, compared: Compared, *, seen: Seen, rounds: Rounds) -> JsonObject:
    """Everything about this review that guards, views and people may want."""
    earlier = [_stated(one.data) for one in rounds.rounds]
    note = divergence([*earlier, report])
    return {
        "time": run.record.journal.state.time,
        "findings": [finding._asdict() for finding in compared.open],
        "counts": counted(compared.open)._asdict(),
        "stated": report.stated._asdict(),
        "reported": report.counts._asdict(),
        "new": list(compared.new),
        "persisting": list(compared.persisting),
        "returned": list(compared.returned),
        "resolved": list(compared.resolved),
        "refuted": list(compared.refuted),
        "size": seen.size,
        "hash": seen.hash,
        "full": seen.full,
        "tests": seen.tests._asdict() if seen.tests else None,
        "tests_passed": None if seen.tests is None else seen.tests.failed == 0 and not seen.gate,
        "gate": list(seen.gate),
        "spent": _spent(run),
        "notes": [note] if note else [],
    }


def _stated(data: JsonObject) -> ReviewReport:
    """An earlier report as far as its counts go."""
    reported = Counts(**data["reported"])
    pairs = zip(SEVERITIES, reported, strict=True)
    stand_ins = [ReviewFinding(level, "") for level, count in pairs for _ in range(count)]
    return ReviewReport(tuple(stand_ins), Counts(**data["stated"]))


def _spent(run: Run) -> float:
    caps, used = run.record.journal.state.caps, run.record.journal.state.used
    pairs: list[tuple[Any, float]] = [
        (caps.usd, used.usd),
        (caps.tokens, used.tokens),
        (caps.steps, used.steps),
        (caps.wall_seconds, used.wall_seconds),
    ]
    return max((used / cap for cap, used in pairs if cap), default=0.0)


def _judge(run: Run, before: History, data: JsonObject, *, since: int) -> GuardRuling:
    """The guards look at the newest review only, and count anew after a person has let the loop go on."""
    panel = bind(find(run.library.catalog, run.library.config.polish.profile), run.library.config.polish)
    return judge(History((*before.iterations, iteration_of(data))).since(since), panel)


async def _record(
    run: Run, stage: Stage, rounds: Rounds, *, data: JsonObject, ruling: GuardRuling, number: int
) -> None:
    """The review commit holds the log with this very review."""
    event = PolishReviewed(
        stage=stage.name,
        iteration=number,
        review=run.record.put(data),
        outcome=ruling.outcome,
        guard=ruling.guard or "",
        explanation=ruling.explanation,
        commit="",
        heard=rounds.spoken,
    )
    attempt = rounds.attempts.get(number, 0) + 1
    here, step = project(run), f"review-{number}-{attempt}"
    if (await here.tip()).step != step:
        entry = entry_of(Round(event, data["time"], data))
        write(run, POLISH_LOG, log_text([*rounds.log, entry]))
    # the log alone: what somebody edits this moment is not what was reviewed
    made = await commit_step(run, f"Review {number}", step=step, when=data["time"], only=(POLISH_LOG,))
    run.record.journal.append(event.model_copy(update={"commit": made}))
