"""From a confirmed intent to a proposal in one piece; what is still open by id keeps it from being confirmed."""

from __future__ import annotations

from collections.abc import Sequence

from thoughtforge.agent.as_text import as_yaml
from thoughtforge.agent.asking import ParsedReply, PromptRequest, ask, by_rules, context_room
from thoughtforge.agent.context import Block
from thoughtforge.agent.run import Run
from thoughtforge.catalog import extension
from thoughtforge.kernel.errors import Stop
from thoughtforge.kernel.events import Measured
from thoughtforge.kernel.model import Criterion, JsonObject, Stage
from thoughtforge.kernel.ports import Produced
from thoughtforge.think.conversation import Conversation
from thoughtforge.think.documents import scorecards
from thoughtforge.think.material import material, resource_texts
from thoughtforge.think.said_since import answers_by_id
from thoughtforge.think.same_questions import keep_doubts
from thoughtforge.think.stops import ThoughtStop
from thoughtforge.think.talking import DocumentVersion, agree, answer, answered, chat_block, conversation, warn_of_cut
from thoughtforge.think.texts import open_points, proposal_text
from thoughtforge.think.tracing import no_places, untraced, with_traces

PHASE = "spec_building"
SHOWN = "proposal"
GATE = "confirm"
"""The measurement that says whether the proposal may be confirmed."""
RETRYING = "The proposal came without acceptance criteria. It is asked for once more."


async def propose(run: Run, stage: Stage) -> Produced:
    """One proposal that takes up everything said until it is there."""

    async def make() -> DocumentVersion:
        known = conversation(run)
        last = known.last("human", PHASE)
        proposal = await _with_criteria(run, stage, known)
        versions = run.record.versions(stage.name)
        if not by_rules(run.library.agent(stage.role)):  # rules number their doubts by the old ones themselves
            proposal = keep_doubts(versions, proposal)
            said = [one.text for one in known.told(PHASE) if one.role == "human"]
            proposal = closed(proposal, versions[-1] if versions else None, said)
        cards = await scorecards(run, stage, proposal)
        if not answered(conversation(run), f"{SHOWN}-{last}", last) or not _gate_known(run, stage):
            _measure(run, stage, proposal)
            text = proposal_text(
                run.record.accepted()["intent"],
                proposal,
                cards=cards,
                before=versions[-1] if versions else None,
            )
            answer(run, text, code=f"{SHOWN}-{last}")
        return DocumentVersion(last, proposal)

    return await agree(run, lambda: conversation(run).last("human", PHASE), make)


def _gate_known(run: Run, stage: Stage) -> bool:
    mine = run.record.stage(stage.name)
    gate = mine.measured.get(GATE)
    return gate is not None and gate.round == mine.round


async def _with_criteria(run: Run, stage: Stage, known: Conversation) -> JsonObject:
    """A proposal without criteria or a required section, or with points that have no trace, is asked for once more.

    Criteria a person then has to give; points without a trace they are shown; sections are added.
    """
    last = known.last("human", PHASE)
    first = (await _ask(run, stage, known)).data
    intent = run.record.accepted()["intent"]
    lost = [] if by_rules(run.library.agent(stage.role)) else untraced(intent, first)
    gone = _plan_sections(run, first)
    if "criteria" in first and not lost and not gone:
        return _whole(run, first)
    if "criteria" not in first and not answered(conversation(run), "criteria_missing", last):
        answer(run, RETRYING, code="criteria_missing")
    second = (await _ask(run, stage, known, lacks=_lacks(intent, first, lost, gone=gone), last=first)).data
    second = with_traces(first, second)
    if "criteria" in second or "criteria" in first:
        return _whole(run, second if "criteria" in second else first)
    answer(run, "There are still no acceptance criteria. Say what must hold in the end, then resume.", code="asked")
    raise Stop(ThoughtStop.criteria_missing, "two proposals came without acceptance criteria")


def _plan_sections(run: Run, proposal: JsonObject) -> tuple[str, ...]:
    """The sections that a plan's template requires and the proposal lacks."""
    plan = extension("deliverables", "plan")
    gone: tuple[str, ...] = plan.missing_sections(proposal, plan.outlines(run.library.catalog)) if _is_plan(run) else ()
    return gone


def _whole(run: Run, proposal: JsonObject) -> JsonObject:
    """The proposal, that of a plan with every required section."""
    plan = extension("deliverables", "plan")
    whole: JsonObject = plan.with_required(proposal, plan.outlines(run.library.catalog)) if _is_plan(run) else proposal
    return whole


def _is_plan(run: Run) -> bool:
    return bool(run.record.accepted()["intent"]["deliverable_type"] == "plan")


def _lacks(intent: JsonObject, proposal: JsonObject, lost: Sequence[tuple[str, str]], *, gone: Sequence[str]) -> str:
    """What the agent is told of its last answer."""
    criteria = [] if "criteria" in proposal else ["Your last answer had no criteria. Add the acceptance criteria."]
    wrong = no_places(intent, proposal)
    points = "\n".join(f"- {id}: {text}{wrong.get(id, '')}" for id, text in lost)
    where = [f"Your last answer says of these neither in `traced` nor in `left_out` where they went:\n{points}"]
    sections = [f"The template requires the section {name}. Put it back into the structure." for name in gone]
    return "\n".join([*criteria, *sections, *(where if lost else ())])


async def _ask(
    run: Run, stage: Stage, known: Conversation, *, lacks: str = "", last: JsonObject | None = None
) -> ParsedReply:
    intent = run.record.accepted()["intent"]
    # what was shown of earlier versions stands in the last proposal
    messages = [one for one in known.told(PHASE) if not one.code.startswith(f"{SHOWN}-")]
    newest = known.last("human", PHASE)
    budget = context_room(run, run.library.agent(stage.role))
    before = run.record.stage(stage.name).artifact if last is None else ""
    kinds, is_plan = extension("deliverables", "plan").outlines(run.library.catalog), _is_plan(run)
    blocks = [
        Block("what is missing", lacks, 2_000, floor=2_000, untrusted=True),
        Block(
            "your last proposal", as_yaml(run.record.artifact(before)) if before else "", budget // 2, untrusted=True
        ),
        chat_block("conversation", messages, budget=budget // 3, anchor=1),
        Block("kinds of plan and their sections", as_yaml(kinds) if is_plan else "", 1_500, floor=600),
    ]
    job = PromptRequest(
        name="propose",
        prompt="spec-building",
        contract="proposal",
        key=f"{stage.name}/{run.record.stage(stage.name).round}/{newest}/{2 if lacks else 1}",
        last=last or {},
        blocks=blocks,
        fill=material(run, as_yaml(intent)),
        material={
            "intent": intent,
            "said": [m.text for m in messages if m.role == "human"],
            "doubts": (run.record.artifact(before) or {}).get("challenges", ()) if before else (),
            "templates": kinds,
            "resources": await resource_texts(run),
        },
    )
    found = await ask(run, stage, job)
    warn_of_cut(run, found.cut, after=newest)
    return found


def _measure(run: Run, stage: Stage, proposal: JsonObject) -> None:
    """What keeps the proposal from being confirmed, each point by its id; the engine counts, nobody claims."""
    mine = run.record.stage(stage.name)
    intent = run.record.accepted()["intent"]
    points, lost = open_points(intent, proposal), untraced(intent, proposal)
    few = [] if proposal.get("criteria") else [("criteria", "there is no acceptance criterion")]
    run.record.journal.append(
        Measured(
            stage=stage.name,
            round=mine.round,
            step=run.record.journal.state.used.steps,
            what=GATE,
            outcome="fail" if points or few else "pass",
            summary=f"{len(points)} open, {len(proposal.get('criteria') or [])} criteria"
            + (f", {len(lost)} without a trace" if lost else ""),
            criteria=tuple(Criterion(name=id, outcome="fail", detail=text) for id, text in [*points, *few]),
        )
    )


def closed(proposal: JsonObject, before: JsonObject | None, said: Sequence[str]) -> JsonObject:
    """The proposal with what the person answered by id settled, where its question stands as it was asked.

    A question in other words asks back, and stays open.
    """
    asked = {row["id"]: row["question"] for row in (before or {}).get("open", ())}
    given = {name: answer for text in said for name, answer in answers_by_id(text).items()}
    done = [row["id"] for row in proposal["open"] if row["id"] in given and asked.get(row["id"]) == row["question"]]
    settled = [{"id": name, "resolution": given[name], "by": "person"} for name in done]
    left = [row for row in proposal["open"] if row["id"] not in done]
    doubts = [{**one, "resolution": given[one["id"]]} if one["id"] in done else one for one in proposal["challenges"]]
    return {**proposal, "challenges": doubts, "resolved": [*proposal["resolved"], *settled], "open": left}
