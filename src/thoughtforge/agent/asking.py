"""One request to an agent that returns one answer: material in, an object that meets its contract out."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple, cast

from thoughtforge.agent.as_text import as_yaml
from thoughtforge.agent.calls import ModelRequest, call, no_object
from thoughtforge.agent.context import Block, Context, lay_out, wanted
from thoughtforge.agent.prompt import SystemPrompt, outline
from thoughtforge.agent.reply_text import json_object
from thoughtforge.agent.run import Agent, Run
from thoughtforge.agent.tokens import estimate
from thoughtforge.calls.port import RulesModel
from thoughtforge.calls.spending import SCALE
from thoughtforge.contracts.validate import check
from thoughtforge.kernel.errors import Stop
from thoughtforge.kernel.model import JsonObject, Problem, Stage
from thoughtforge.kernel.stops import StopReason

TRIES = 2
UNKNOWN_WINDOW = 24_000
"""Tokens any model of today takes; used where nobody has said how many it takes."""


LAST = "your last answer as it stands"
LAST_SHARE = 3
"""What was answered before keeps at most a third of the room."""
PART = "Only fields that were wrong or missing have to be handed in; the others stay as in your last answer."
LEAST_SHARE = 4
"""What fills the room has at least a quarter of it."""

Fill = Callable[[int], Awaitable[Sequence[Block]]]
"""Tokens there are → blocks that fit into them."""


class PromptRequest(NamedTuple):
    """What is asked: the prompt, what the answer must look like, and the material in both its forms."""

    name: str
    """The word for it; an agent that works by rules is asked by this name."""
    prompt: str
    """The prompt file."""
    contract: str
    key: str
    """The place in the work; the same place is never asked twice once it was answered."""
    blocks: Sequence[Block]
    fill: Fill | None = None
    """Makes what comes first from the room that everything else leaves."""
    material: dict[str, Any] = {}
    """The same as plain values, for an agent that works by rules."""
    variables: dict[str, str] = {}
    mode: str = "work"
    conversation: str = ""
    """Whose conversation it continues, with a model that keeps one."""
    images: tuple[Path, ...] = ()
    """Pictures that belong to the material."""
    last: JsonObject = {}
    """An answer that only lacks something: what is handed in again replaces its fields."""


class ParsedReply(NamedTuple):
    """What came back; `cut` names material that did not fit."""

    data: JsonObject
    cut: tuple[str, ...]


class Unusable(Stop):
    """The agent did answer, and no answer of it keeps the contract."""


def by_rules(agent: Agent) -> bool:
    """Whether the agent organises by rules and needs no text to read."""
    return bool(agent.model.capabilities.jobs)


async def ask(run: Run, stage: Stage, job: PromptRequest, *, role: str = "", tries: int = TRIES) -> ParsedReply:
    """The answer, when it keeps its contract; asked again with what was wrong, then the task halts."""
    agent = run.library.agent(role or stage.role)
    problems: Sequence[Problem] = ()
    cut: tuple[str, ...] = ()
    for attempt in range(1, tries + 1):
        order, cut = await _order(run, stage, job, agent=agent, attempt=attempt, problems=problems)
        reply = await call(run, order)
        data = json_object(reply)
        if data is None:
            problems = (Problem(where="", what=no_object(run, agent, reply), rule="json"),)
            continue
        whole = {**job.last, **data}
        problems, alone = _problems(run, job, whole), _problems(run, job, data) if job.last else (1,)
        if not problems or not alone:
            return ParsedReply(data if problems else whole, cut)
        job = job._replace(last=whole)
    told = "; ".join(f"{p.where}: {p.what}" if p.where else p.what for p in problems)[:400]
    raise Unusable(
        StopReason.provider_failed, f"{agent.provider} returned no valid {job.contract} in {tries} attempts: {told}"
    )


async def answer(
    run: Run, stage: Stage, job: PromptRequest, *, role: str = "", attempt: int = 1, wrong: str = ""
) -> str:
    """The answer as it is, whether it keeps its contract or not; `wrong` says why it is asked for again."""
    problems = [Problem(where="", what=wrong)] if wrong else []
    agent = run.library.agent(role or stage.role)
    order, _ = await _order(run, stage, job, agent=agent, attempt=attempt, problems=problems)
    return await call(run, order)


def _problems(run: Run, job: PromptRequest, data: JsonObject) -> Sequence[Problem]:
    return tuple(check(data, run.library.contracts[job.contract], run.given()))


async def _order(
    run: Run, stage: Stage, job: PromptRequest, *, agent: Agent, attempt: int, problems: Iterable[Problem]
) -> tuple[ModelRequest, tuple[str, ...]]:
    rendered = run.library.catalog.render(job.prompt, **job.variables)
    system = SystemPrompt(rendered.text, estimate(rendered.text), {job.prompt: rendered.digest})
    contract = run.library.contracts[job.contract]
    wrong = "\n".join(f"- {p.where}: {p.what}" if p.where else f"- {p.what}" for p in problems)
    room = int(context_room(run, agent) / _scale(run, agent))
    share = room // LAST_SHARE
    blocks = [
        today_block(run),
        *job.blocks,
        Block(f"form of {contract.name}", outline(contract.schema), 2_000, floor=2_000),
        Block(LAST, as_yaml(job.last) if job.last else "", share, floor=share, untrusted=True),
        Block("what was wrong with your last answer", wrong, 800, floor=800),
        Block("answer", _answer_form(contract.name, run.answer_tokens(agent), again=bool(job.last)), 120, floor=120),
    ]
    if job.fill:
        left = room - system.tokens - wanted(blocks)
        blocks = [*await job.fill(max(left, room // LEAST_SHARE)), *blocks]
    context = fitted(blocks, system=system.tokens, room=room)
    key = f"{job.key}/{attempt}"
    order = ModelRequest(key, stage, agent, system, context, system.prompts, schema=contract.schema, images=job.images)
    if by_rules(agent):
        order = order._replace(by_rules=lambda: _by_rules(agent, job))
    order = order._replace(conversation=job.conversation)
    return order._replace(mode="review" if job.mode == "review" else "work"), tuple(context.cut)


def today_block(run: Run) -> Block:
    """The day it is, for whoever reads or writes dates."""
    day = datetime.fromisoformat(run.record.journal.state.time)
    return Block("today", f"{day:%A}, {day.day} {day:%B %Y}", 40, floor=40)


def _answer_form(name: str, most: int, *, again: bool) -> str:
    form = f"Answer with one JSON object, the {name}, and nothing else. It may have {most:,} tokens at most."
    return f"{form}\n{PART}" if again else form


def fitted(blocks: Iterable[Block], *, system: int, room: int) -> Context:
    """The material in the room beside the system prompt: what has a floor keeps it, the rest is cut."""
    shown = lay_out(blocks, budget=room - system)
    material = estimate(shown.text)
    # a provider counts the system prompt too; without it every later estimate would be taken for too low
    sizes = {"system": system, "material": material}
    return Context(shown.text, sizes, system + material, shown.blocks, shown.cut, room)


def context_room(run: Run, agent: Agent) -> int:
    """Tokens one question may hold: the model's window less the answer, and no more than the setting."""
    window, config = agent.model.capabilities.context_window, run.library.config
    most = window - run.answer_tokens(agent) if window else UNKNOWN_WINDOW
    return min(config.think.context_tokens, most)


def sees(agent: Agent) -> bool:
    """Whether the agent can be shown pictures."""
    return agent.model.capabilities.images


def _scale(run: Run, agent: Agent) -> float:
    return run.record.journal.of(SCALE).of(agent.model.model)


def _by_rules(agent: Agent, job: PromptRequest) -> str:
    return json.dumps(cast(RulesModel, agent.model).answer(job.name, job.material), ensure_ascii=False)
