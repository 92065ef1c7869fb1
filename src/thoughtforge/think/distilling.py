"""From a brain dump to an intent the person recognises: distil, show, correct, until they confirm."""

from __future__ import annotations

from typing import Any

from thoughtforge.agent.asking import PromptRequest, Unusable, ask, by_rules, context_room, sees
from thoughtforge.agent.context import Block
from thoughtforge.agent.run import Run
from thoughtforge.kernel.errors import Stop
from thoughtforge.kernel.model import JsonObject, Stage
from thoughtforge.kernel.ports import Produced
from thoughtforge.think.conversation import ChatMessage, Conversation, correction, is_realign
from thoughtforge.think.limits import crowded, split
from thoughtforge.think.material import resource_blocks, sources
from thoughtforge.think.resources import Materials, gather
from thoughtforge.think.same_questions import keep_ids
from thoughtforge.think.stops import ThoughtStop
from thoughtforge.think.talking import DocumentVersion, agree, answer, answered, chat_block, conversation, warn_of_cut
from thoughtforge.think.texts import intent_text, with_changes

PHASES = ("distilling", "human_review")
"""Where corrections are said; the brain dump itself comes before."""
SHOWN = "distillation"
SPLIT = "These constraints seem to hold more than one limit each. Hand in `constraints` again, one limit to an entry:"


async def distil(run: Run, stage: Stage) -> Produced:
    """One distillation that takes up everything said until it is there."""
    known = conversation(run)
    _check_asked(run, known)
    before = run.record.stage(stage.name).artifact
    if before and _nothing_to_go_back_to(known):
        _say_so(run, _last(known))
        return Produced(before)
    intent: JsonObject = {}

    async def make() -> DocumentVersion:
        nonlocal intent
        materials = await gather(run, conversation(run), sees=sees(run.library.agent(stage.role)))
        known = conversation(run)
        last = _last(known)
        if intent and _nothing_to_go_back_to(known):
            _say_so(run, last)
            return DocumentVersion(last, intent)
        found = await _ask(run, stage, known, materials)
        before = run.record.versions(stage.name)
        intent = keep_ids(before, found)
        if not answered(conversation(run), f"{SHOWN}-{last}", last):
            text = intent_text(intent)
            shown = with_changes(intent_text(before[-1]), text) if before else text
            answer(run, shown, code=f"{SHOWN}-{last}")
        return DocumentVersion(last, intent)

    return await agree(run, lambda: _last(conversation(run)), make)


def _last(known: Conversation) -> int:
    """The newest thing the person said; it names the call."""
    return known.last("human", "brain_dump", *PHASES)


def _check_asked(run: Run, known: Conversation) -> None:
    """Nothing is distilled that nobody asked for, or that is too short to mean something."""
    refused = max((m.seq for m in known.messages if m.code == "too_short"), default=0)
    asked = known.asked("distill")
    if not asked or asked[-1].seq < refused:
        raise Stop(ThoughtStop.brain_dump, "it waits for your word that everything is said")
    words, least = known.words(), run.library.config.think.minimum_words
    if words < least:
        text = f"That is {words} of at least {least} words. Tell me more, then ask for the distillation again."
        answer(run, text, code="too_short")
        raise Stop(ThoughtStop.brain_dump, f"{words} words; at least {least} are needed (think.minimum_words)")


def _nothing_to_go_back_to(known: Conversation) -> bool:
    said = [m for m in known.messages if m.phase in PHASES and m.role == "human"]
    return bool(said) and is_realign(said[-1].text) and correction(said) is None


def _say_so(run: Run, last: int) -> None:
    if not answered(conversation(run), "nothing_to_realign", last):
        answer(run, "There is no correction to go back to yet; nothing was changed.", code="nothing_to_realign")


async def _ask(run: Run, stage: Stage, known: Conversation, materials: Materials) -> JsonObject:
    last = _last(known)
    budget = context_room(run, run.library.agent(stage.role))
    corrections = known.told(*PHASES)
    dump = Block("brain dump", known.dump(), budget, floor=budget // 2, untrusted=True)
    chat = chat_block("conversation since", corrections, budget=budget // 4)
    given = await sources(run)

    async def resources(room: int) -> list[Block]:
        return resource_blocks(given, about=f"{dump.text}\n{chat.text}", budget=room)

    job = PromptRequest(
        name="distill",
        prompt="brain-dump-intake",
        contract="intent",
        key=f"{stage.name}/{run.record.stage(stage.name).round}/{last}",
        blocks=[dump, chat],
        fill=resources,
        material=_material(known, materials, corrections),
        images=materials.images,
    )
    found = await ask(run, stage, job)
    warn_of_cut(run, found.cut, after=last)
    if by_rules(run.library.agent(stage.role)):
        return found.data
    found = found._replace(data=_split(found.data))
    two = crowded(found.data["constraints"])
    if not two:
        return found.data
    lacks = Block("what is wrong", "\n".join([SPLIT, *(f"- {text}" for text in two)]), 1_000, floor=1_000)
    again = job._replace(key=f"{job.key}/split", blocks=[lacks, *job.blocks], last=found.data)
    try:
        return _split((await ask(run, stage, again)).data)
    except Unusable:  # the intent itself can be used, and the person sees it
        return found.data


def _split(intent: JsonObject) -> JsonObject:
    return {**intent, "constraints": split(intent["constraints"])}


def _material(known: Conversation, materials: Materials, corrections: tuple[ChatMessage, ...]) -> dict[str, Any]:
    dump = [m.text for m in known.told("brain_dump") if m.role == "human"]
    return {
        "messages": dump,
        "said": [m.text for m in corrections if m.role == "human"],
        "resources": [{"name": name, "text": text} for name, text in materials.texts.items()],
    }
