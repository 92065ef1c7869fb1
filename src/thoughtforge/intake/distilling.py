"""From a brain dump to an intent the person recognises: distil, show, correct, until they confirm."""

from __future__ import annotations

from typing import Any

from thoughtforge.agent.asking import Job, ask, sees
from thoughtforge.agent.context import Block
from thoughtforge.agent.means import Means
from thoughtforge.intake.conversation import Conversation, Message, correction, is_realign
from thoughtforge.intake.intent_text import intent_text
from thoughtforge.intake.materials import Materials, gather
from thoughtforge.intake.stops import ThoughtStop
from thoughtforge.intake.talking import answer, answered, chat_block, conversation, warn_of_cut
from thoughtforge.kernel.errors import Stop
from thoughtforge.kernel.model import JsonObject, Stage
from thoughtforge.kernel.ports import Made

PHASES = ("distilling", "human_review")
"""Where corrections are said; the brain dump itself comes before."""
SHOWN = "distillation"


async def distil(means: Means, stage: Stage) -> Made:
    """One distillation that takes up everything said until it is there."""
    known = conversation(means)
    _check_asked(means, known)
    while True:
        materials = await gather(means, known, sees=sees(means.agent(stage.role)))
        known = conversation(means)
        last = _last(known)
        if _nothing_to_go_back_to(known):
            return _as_before(means, stage, last)
        intent = await _ask(means, stage, known, materials)
        known = conversation(means)
        if not answered(known, f"{SHOWN}-{last}", last):
            answer(means, intent_text(intent), code=f"{SHOWN}-{last}")
            known = conversation(means)
        if _last(known) == last:  # nothing was said meanwhile
            return Made(means.put(intent))


def _last(known: Conversation) -> int:
    """The newest thing the person said; it names the call."""
    return known.last("human", "brain_dump", *PHASES)


def _check_asked(means: Means, known: Conversation) -> None:
    """Nothing is distilled that nobody asked for, or that is too short to mean something."""
    refused = max((m.seq for m in known.messages if m.code == "too_short"), default=0)
    asked = known.asked("distill")
    if not asked or asked[-1].seq < refused:
        raise Stop(ThoughtStop.brain_dump, "it waits for your word that everything is said")
    words, least = known.words(), means.think.minimum_words
    if words < least:
        text = f"That is {words} of at least {least} words. Tell me more, then ask for the distillation again."
        answer(means, text, code="too_short")
        raise Stop(ThoughtStop.brain_dump, f"{words} words; at least {least} are needed (think.minimum_words)")


def _nothing_to_go_back_to(known: Conversation) -> bool:
    said = [m for m in known.messages if m.phase in PHASES and m.role == "human"]
    return bool(said) and is_realign(said[-1].text) and correction(said) is None


def _as_before(means: Means, stage: Stage, last: int) -> Made:
    if not answered(conversation(means), "nothing_to_realign", last):
        answer(means, "There is no correction to go back to yet; nothing was changed.", code="nothing_to_realign")
    return Made(means.stage(stage.name).artifact or "")


async def _ask(means: Means, stage: Stage, known: Conversation, materials: Materials) -> JsonObject:
    last = _last(known)
    budget = means.think.context_tokens
    corrections = known.told(*PHASES)
    blocks = [
        Block("brain dump", known.dump(), budget, floor=budget // 2, untrusted=True),
        *materials.blocks,
        chat_block("conversation since", corrections, budget=budget // 4),
    ]
    job = Job(
        name="distill",
        prompt="brain-dump-intake",
        contract="intent",
        key=f"{stage.name}/{means.stage(stage.name).round}/{last}",
        blocks=blocks,
        material=_material(known, materials, corrections),
        images=materials.images,
    )
    found = await ask(means, stage, job)
    warn_of_cut(means, found.cut, after=last)
    return found.data


def _material(known: Conversation, materials: Materials, corrections: tuple[Message, ...]) -> dict[str, Any]:
    dump = [m.text for m in known.told("brain_dump") if m.role == "human"]
    return {
        "messages": [*dump, *(m.text for m in corrections if m.role == "human")],
        "resources": [{"name": name, "text": text} for name, text in materials.texts.items()],
    }
