"""From a confirmed intent to a proposal in one piece; what is still open by id keeps it from being confirmed."""

from __future__ import annotations

from typing import Any

from thoughtforge.agent.asking import ParsedReply, PromptRequest, ask
from thoughtforge.agent.context import Block
from thoughtforge.agent.frame import as_yaml
from thoughtforge.agent.run import Run
from thoughtforge.catalog import extension
from thoughtforge.kernel.errors import Stop
from thoughtforge.kernel.events import Measured
from thoughtforge.kernel.model import Criterion, JsonObject, Stage
from thoughtforge.kernel.ports import Produced
from thoughtforge.think.conversation import Conversation
from thoughtforge.think.documents import scorecards
from thoughtforge.think.stops import ThoughtStop
from thoughtforge.think.talking import DocumentVersion, agree, answer, answered, chat_block, conversation, warn_of_cut
from thoughtforge.think.texts import proposal_text

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
        cards = await scorecards(run, stage, proposal)
        if not answered(conversation(run), f"{SHOWN}-{last}", last) or not _gate_known(run, stage):
            _measure(run, stage, proposal)
            answer(run, proposal_text(run.record.accepted()["intent"], proposal, cards=cards), code=f"{SHOWN}-{last}")
        return DocumentVersion(last, proposal)

    return await agree(run, lambda: conversation(run).last("human", PHASE), make)


def _gate_known(run: Run, stage: Stage) -> bool:
    mine = run.record.stage(stage.name)
    gate = mine.measured.get(GATE)
    return gate is not None and gate.round == mine.round


async def _with_criteria(run: Run, stage: Stage, known: Conversation) -> JsonObject:
    """A proposal without the list of criteria is asked for once more, then a person has to give them."""
    last = known.last("human", PHASE)
    for attempt in (1, 2):
        found = await _ask(run, stage, known, attempt=attempt)
        if "criteria" in found.data:
            return found.data
        if attempt == 1 and not answered(conversation(run), "criteria_missing", last):
            answer(run, RETRYING, code="criteria_missing")
    answer(run, "There are still no acceptance criteria. Say what must hold in the end, then resume.", code="asked")
    raise Stop(ThoughtStop.criteria_missing, "two proposals came without acceptance criteria")


async def _ask(run: Run, stage: Stage, known: Conversation, *, attempt: int) -> ParsedReply:
    intent = run.record.accepted()["intent"]
    messages, last = known.told(PHASE), known.last("human", PHASE)
    budget = run.library.config.think.context_tokens
    before = run.record.stage(stage.name).artifact
    kinds = extension("deliverables", "plan").outlines(run.library.catalog)
    wish = "Your last answer had no criteria. Add the acceptance criteria." if attempt > 1 else ""
    blocks = [
        Block("what is missing", wish, 100, floor=100),
        Block("intent", as_yaml(intent), budget, floor=budget // 3, untrusted=True),
        Block(
            "your last proposal", as_yaml(run.record.artifact(before)) if before else "", budget // 2, untrusted=True
        ),
        chat_block("conversation", messages, budget=budget // 3, anchor=1),
        Block("kinds of plan and their sections", as_yaml(kinds), 1_500, floor=600),
    ]
    job = PromptRequest(
        name="propose",
        prompt="spec-building",
        contract="proposal",
        key=f"{stage.name}/{run.record.stage(stage.name).round}/{last}/{attempt}",
        blocks=blocks,
        material={"intent": intent, "said": [m.text for m in messages if m.role == "human"], "templates": kinds},
    )
    found = await ask(run, stage, job)
    warn_of_cut(run, found.cut, after=last)
    return found


def _measure(run: Run, stage: Stage, proposal: JsonObject) -> None:
    """What keeps the proposal from being confirmed, each point by its id; the engine counts, nobody claims."""
    mine = run.record.stage(stage.name)
    points = open_points(run.record.accepted()["intent"], proposal)
    few = [] if proposal.get("criteria") else [("criteria", "there is no acceptance criterion")]
    run.record.journal.append(
        Measured(
            stage=stage.name,
            round=mine.round,
            step=run.record.journal.state.used.steps,
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
