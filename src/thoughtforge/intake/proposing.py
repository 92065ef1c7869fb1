"""From a confirmed intent to a proposal in one piece; what is still open by id keeps it from being confirmed."""

from __future__ import annotations

from typing import Any

from thoughtforge.agent.asking import Answer, Job, ask
from thoughtforge.agent.context import Block
from thoughtforge.agent.frame import as_yaml
from thoughtforge.agent.means import Means
from thoughtforge.deliverables.plan import outlines
from thoughtforge.intake.conversation import Conversation
from thoughtforge.intake.documents import settle
from thoughtforge.intake.proposal_text import proposal_text
from thoughtforge.intake.scorecards import scorecards
from thoughtforge.intake.stops import ThoughtStop
from thoughtforge.intake.talking import answer, answered, chat_block, conversation, warn_of_cut
from thoughtforge.kernel.errors import Stop
from thoughtforge.kernel.events import Measured
from thoughtforge.kernel.model import Criterion, JsonObject, Stage
from thoughtforge.kernel.ports import Made

PHASE = "spec_building"
SHOWN = "proposal"
GATE = "confirm"
"""The measurement that says whether the proposal may be confirmed."""
RETRYING = "The proposal came without acceptance criteria. It is asked for once more."


async def propose(means: Means, stage: Stage) -> Made:
    """One proposal that takes up everything said until it is there."""
    await settle(means)
    known = conversation(means)
    while True:
        last = known.last("human", PHASE)
        proposal = await _with_criteria(means, stage, known)
        cards = await scorecards(means, stage, proposal)
        known = conversation(means)
        if not answered(known, f"{SHOWN}-{last}", last) or not _gate_known(means, stage):
            _measure(means, stage, proposal)
            answer(means, proposal_text(means.accepted()["intent"], proposal, cards=cards), code=f"{SHOWN}-{last}")
            known = conversation(means)
        if known.last("human", PHASE) == last:
            return Made(means.put(proposal))


def _gate_known(means: Means, stage: Stage) -> bool:
    mine = means.stage(stage.name)
    gate = mine.measured.get(GATE)
    return gate is not None and gate.round == mine.round


async def _with_criteria(means: Means, stage: Stage, known: Conversation) -> JsonObject:
    """A proposal without the list of criteria is asked for once more, then a person has to give them."""
    last = known.last("human", PHASE)
    for attempt in (1, 2):
        found = await _ask(means, stage, known, attempt=attempt)
        if "criteria" in found.data:
            return found.data
        if attempt == 1 and not answered(conversation(means), "criteria_missing", last):
            answer(means, RETRYING, code="criteria_missing")
    answer(means, "There are still no acceptance criteria. Say what must hold in the end, then resume.", code="asked")
    raise Stop(ThoughtStop.criteria_missing, "two proposals came without acceptance criteria")


async def _ask(means: Means, stage: Stage, known: Conversation, *, attempt: int) -> Answer:
    intent = means.accepted()["intent"]
    messages, last = known.told(PHASE), known.last("human", PHASE)
    budget = means.think.context_tokens
    before = means.stage(stage.name).artifact
    kinds = outlines(means.catalog)
    wish = "Your last answer had no criteria. Add the acceptance criteria." if attempt > 1 else ""
    blocks = [
        Block("what is missing", wish, 100, floor=100),
        Block("intent", as_yaml(intent), budget, floor=budget // 3, untrusted=True),
        Block("your last proposal", as_yaml(means.artifact(before)) if before else "", budget // 2, untrusted=True),
        chat_block("conversation", messages, budget=budget // 3, anchor=1),
        Block("kinds of plan and their sections", as_yaml(kinds), 1_500, floor=600),
    ]
    job = Job(
        name="propose",
        prompt="spec-building",
        contract="proposal",
        key=f"{stage.name}/{means.stage(stage.name).round}/{last}/{attempt}",
        blocks=blocks,
        material={"intent": intent, "said": [m.text for m in messages if m.role == "human"], "templates": kinds},
    )
    found = await ask(means, stage, job)
    warn_of_cut(means, found.cut, after=last)
    return found


def _measure(means: Means, stage: Stage, proposal: JsonObject) -> None:
    """What keeps the proposal from being confirmed, each point by its id; the engine counts, nobody claims."""
    mine = means.stage(stage.name)
    points = open_points(means.accepted()["intent"], proposal)
    few = [] if proposal.get("criteria") else [("criteria", "there is no acceptance criterion")]
    means.journal.append(
        Measured(
            stage=stage.name,
            round=mine.round,
            step=means.journal.state.used.steps,
            what=GATE,
            outcome="fail" if points or few else "pass",
            summary=f"{len(points)} open, {len(proposal.get('criteria') or [])} criteria",
            criteria=tuple(Criterion(name=id, outcome="fail", detail=text) for id, text in [*points, *few]),
        )
    )


def open_points(intent: JsonObject, proposal: JsonObject) -> list[tuple[str, str]]:
    """Unknowns and questions of the intent that nobody has settled, by id."""
    settled = {row["id"] for row in proposal["resolved"]}
    asked: list[dict[str, Any]] = [*intent["unknowns"], *intent["open_questions"]]
    return [(item["id"], item["text"]) for item in asked if item["id"] not in settled]
