"""One model call: on record with the most it can cost before it is sent, and with what it used after it ended."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

from thoughtforge.agent.context import Context
from thoughtforge.agent.prompt import SystemPrompt
from thoughtforge.agent.reply_text import breaks_off, complete, joined
from thoughtforge.agent.run import Agent, Run, run_until_aborted
from thoughtforge.agent.tokens import estimate, fit
from thoughtforge.calls import spending
from thoughtforge.calls.conversations import CONVERSATIONS, KeptSession, named
from thoughtforge.calls.events import CallEnded, CallFailed, CallStarted
from thoughtforge.calls.port import (
    ConversingModel,
    MarkingModel,
    ProviderError,
    Reply,
    SeeingModel,
    Transient,
    Usage,
    lowered_by,
)
from thoughtforge.kernel.errors import Stop, UserError
from thoughtforge.kernel.events import Measured, WarningGiven
from thoughtforge.kernel.model import Digest, Stage
from thoughtforge.kernel.state import State
from thoughtforge.kernel.stops import StopReason
from thoughtforge.store.verify import replay_digest

WHAT = "agents"
KEPT = "kept in a cage"
WITHOUT_WALLS = "without isolation"
"""In the note of an agent that was not (agent_runtime/cage.py)."""


def record_isolation(run: Run, agent: Agent, notes: Sequence[str]) -> None:
    """Record how a command-line agent ran, once for each fact."""
    if not agent.model.capabilities.program:  # a model over HTTP, by rules or by script needs no cage
        return
    known = run.record.journal.state.measured.get(WHAT)
    facts = dict(known.facts) if known else {}
    said = str(facts[agent.provider]).splitlines() if agent.provider in facts else []
    how = [] if any(WITHOUT_WALLS in note for note in notes) else [KEPT]
    told = list(dict.fromkeys([*said, *how, *notes]))
    if told == said:
        return
    facts[agent.provider] = "\n".join(told)
    summary = f"{agent.provider}: {'; '.join(told)}"[:500]
    step = run.record.journal.state.used.steps
    run.record.journal.append(Measured(what=WHAT, step=step, outcome="pass", summary=summary, facts=facts))


def isolation_report(state: State) -> Iterator[str]:
    """A sentence for each thing a person should know of each agent of the task."""
    known = state.measured.get(WHAT)
    for provider, told in known.facts.items() if known else ():
        yield from (f"{provider}: {line}" for line in str(told).splitlines())


PAUSE_BEFORE_RETRY = 1.0
LONGEST_PAUSE = 30.0


class RetryPolicy:
    """How often one provider has failed in a row, and how long it may still be waited for."""

    def __init__(self, run: Run, agent: Agent) -> None:
        self.run = run
        self.agent = agent
        self._tries = 0
        self._pause = PAUSE_BEFORE_RETRY
        self._left = run.library.config.rate_limit_seconds

    async def again(self, error: ProviderError) -> bool:
        """Whether to retry, after the pause that the error needs."""
        self._tries += 1
        waits = error.kind == "rate_limited" and self._pause <= self._left
        if not isinstance(error, Transient) or (self._tries > 1 and not waits):
            return False
        if waits and self._tries > 1:
            text = f"{self.agent.provider} is rate-limited; retrying in {self._pause:.0f} s"
            self.run.record.journal.append(WarningGiven(text=text, code="waiting"))
        if error.kind in ("rate_limited", "overloaded"):
            await run_until_aborted(self.run.record.journal, self.run.people.drain_inbox, asyncio.sleep(self._pause))
            self._left -= self._pause
            self._pause = min(self._pause * 2, LONGEST_PAUSE)
        return True


def to_stop(agent: Agent, error: ProviderError) -> Stop:
    """The end of the work with a provider that goes on failing: who, how, and what a person can do."""
    return Stop(StopReason.provider_failed, f"{agent.provider} ({error.kind}): {error} {error.do}".strip())


def fallback_for(run: Run, agent: Agent, failed: Stop | UserError) -> Agent:
    """Who goes on for a provider that failed for good or is not there; without one, or for any other end, that end."""
    after = agent.fallback
    if after is None or (isinstance(failed, Stop) and failed.reason != StopReason.provider_failed):
        raise failed
    why = failed.detail if isinstance(failed, Stop) else f"{agent.provider}: {failed.what}"
    run.record.journal.append(WarningGiven(text=f"{why}; using {after.provider} instead", code="fallback"))
    return after


IMAGE_TOKENS = 6_000
"""More than any vendor counts for one picture."""
TURNED_DOWN = ("auth", "quota", "bad_request", "rate_limited")
"""Failures before the model did anything: nothing was used."""
UNCONTINUED = ("bad_request", "limits")
"""Failures of a call whose conversation cannot go on: it is gone or too long. A new one is tried at once."""
NOTHING = Reply(text="", model="", usage=Usage(input_tokens=0, output_tokens=0), usd=0.0)
"""What such a failure comes to."""


class ModelRequest(NamedTuple):
    """What is asked of a model and on whose behalf."""

    key: str
    stage: Stage
    agent: Agent
    system: SystemPrompt
    context: Context
    prompts: dict[str, Digest]
    schema: dict[str, Any] | None = None
    mode: Literal["work", "review"] = "work"
    images: tuple[Path, ...] = ()
    """Pictures that belong to the context; they reach a model that can see."""
    by_rules: Callable[[], str] | None = None
    """Answers in place of the model's `complete`, for an agent that works by rules; on record like any call."""
    comes_again: bool = False
    """Whether calls with the same beginning follow, so that it is worth a place in the provider's cache."""
    conversation: str = ""
    """Whose conversation it continues, with a model that keeps one; it says everything all the same."""
    sent: str = ""
    """The request of a self-acting agent as it is sent; system and context then only say where it began."""


class Begun(NamedTuple):
    """A call that is on record, and the longest answer it may ask for."""

    started: CallStarted
    max_output: int


PARTS = 3
"""Calls for one answer before it counts as too long."""


async def call(run: Run, order: ModelRequest) -> str:
    """The answer's text; one that was cut at its limit is continued, so that it may come in parts."""
    whole = ""
    for number in range(1, PARTS + 1):
        text, cut = await _part(run, order if number == 1 else _continued(run, order, whole, number=number))
        before, whole = whole, joined(whole, text)
        if not cut or whole == before or complete(whole):
            break
    return whole


def _continued(run: Run, order: ModelRequest, said: str, *, number: int) -> ModelRequest:
    """The same question with the answer so far; its rest alone has no schema."""
    window, most = order.agent.model.capabilities.context_window, run.answer_tokens(order.agent)
    room = max(window - order.context.tokens - most, most) if window else estimate(said)
    text = (
        f"{order.context.text}\n\n## your answer so far\nIt reached the limit of {most:,} tokens and was cut. "
        f"Write only the rest: go on with the next character after its end and repeat nothing.\n\n{fit(said, room)}"
    )
    size = estimate(text) - estimate(order.context.text)
    parts = {**order.context.parts, "answer_so_far": size}
    context = Context(text, parts, order.context.tokens + size)
    return order._replace(key=f"{order.key}/part-{number}", context=context, schema=None)


class AnswerPart(NamedTuple):
    """What one call said, and whether its limit cut it."""

    text: str
    cut: bool


async def _part(run: Run, order: ModelRequest) -> AnswerPart:
    """From the record when this call already ended, else from the model, tried twice at most."""
    replies = run.record.stage(order.stage.name).replies
    for key, cut in ((order.key, False), (order.key + spending.CUT, True)):
        if key in replies:
            return AnswerPart(run.record.blobs.get(replies[key]).decode(), cut)
    if order.by_rules is None and (who := run.by_hand.take()) is not None:
        return await _asked(run, order._replace(agent=Agent(order.agent.role, who.provider, who.model)))
    try:
        return await _asked(run, order)
    except (Stop, UserError) as failed:
        after = fallback_for(run, order.agent, failed)
        return await _asked(run, order._replace(agent=after))


async def _asked(run: Run, order: ModelRequest) -> AnswerPart:
    """Ask the model, at most twice; while it is rate-limited, wait as long as allowed."""
    patience = RetryPolicy(run, order.agent)
    while True:
        now = begun(run, order, longest=run.answer_tokens(order.agent))
        try:
            return await _finish(run, order, now)
        except UserError as mistake:
            _fail(run, order, now, ProviderError("not_ready", mistake.what, reply=NOTHING))
            raise
        except ProviderError as error:
            _fail(run, order, now, error)
            if now.started.session and error.kind in UNCONTINUED:
                continue
            if not await patience.again(error):
                raise to_stop(order.agent, error) from error


def _fail(run: Run, order: ModelRequest, now: Begun, error: ProviderError) -> None:
    """Record a failure with its usage; an unknown usage counts as reserved."""
    failed = CallFailed(call=now.started.call, kind=error.kind, error=run.library.masker.text(str(error)))
    spent = error.reply or (NOTHING if error.kind in TURNED_DOWN else None)
    if spent is not None:
        failed = failed.model_copy(update={"usage": spent.usage, "usd": spent.usd})
    run.record.journal.append(failed)
    if error.reply is not None and error.kind != "not_ready":
        record_isolation(run, order.agent, error.reply.notes)


def begun(run: Run, order: ModelRequest, *, longest: int) -> Begun:
    """Record the call and its maximum cost, unless that could exceed a cap."""
    run.people.drain_inbox()
    run.record.journal.raise_if_stopped()
    conversation, kept = _conversation(order), _kept(run, order)
    system, context = ("", order.sent) if order.sent else (order.system.text, order.context.text)
    state = run.record.journal.state
    shown = context + " " * (IMAGE_TOKENS * len(order.images) + kept.tokens)
    reserved, most = spending.afford(
        state, lambda output: order.agent.model.reserve(system, shown, output, order.schema), longest
    )
    system, context = run.library.masker.text(system), run.library.masker.text(context)
    step = state.used.steps + 1
    event = CallStarted(
        call=f"C-{step}",
        key=order.key,
        stage=order.stage.name,
        round=state.stage(order.stage.name).round,
        step=step,
        role=order.agent.role.name,
        role_version=order.agent.role.version,
        mode=order.mode,
        provider=order.agent.provider,
        model=order.agent.model.model,
        system=run.record.blobs.put(system.encode()),
        context=run.record.blobs.put(context.encode()),
        context_digest=replay_digest(system, context, run.record.task.id),
        context_tokens=estimate(context) if order.sent else order.context.tokens + kept.tokens,
        **({} if order.sent else _sizes(order.context)),
        prompts=order.prompts,
        reserved=reserved,
        conversation=conversation,
        session=kept.session,
    )
    run.record.journal.append(event)
    return Begun(event, most)


def _conversation(order: ModelRequest) -> str:
    """The name of the conversation it belongs to; empty for a model that keeps none."""
    return order.conversation if order.agent.model.capabilities.conversation and not order.images else ""


def _kept(run: Run, order: ModelRequest) -> KeptSession:
    """The session that the call continues; when a new one has to follow an old one, a person is told why."""
    if not (conversation := _conversation(order)):
        return KeptSession()
    agent, known = order.agent, run.record.journal.of(CONVERSATIONS)
    name = named(conversation, agent.provider, agent.model.model)
    kept, why = known.kept.get(name, KeptSession()), known.lost.get(name, "")
    window = agent.model.capabilities.context_window
    if kept.session and window and kept.tokens + order.context.tokens + run.answer_tokens(agent) > window:
        kept, why = KeptSession(), "it is full"
    if why:
        text = f"the conversation of the {conversation} with {agent.provider} begins anew: {why}"
        run.record.journal.append(WarningGiven(text=text, code="conversation"))
    return kept


def _sizes(context: Context) -> dict[str, Any]:
    return {"parts": context.parts, "blocks": context.blocks, "cut": context.cut, "room": context.room}


async def _finish(run: Run, order: ModelRequest, now: Begun) -> AnswerPart:
    began, started = run.stopwatch(), now.started
    run.people.live(None)
    system, context = order.system.text, order.context.text
    if not run.library.config.secrets.send_unmasked:
        system, context = run.library.masker.text(system), run.library.masker.text(context)
    answer = _by_rules(order, order.by_rules) if order.by_rules else _completed(run, order, system, context, now)
    try:
        reply: Reply = await run_until_aborted(run.record.journal, run.people.drain_inbox, answer)
    except Stop:
        run.record.journal.append(CallFailed(call=started.call, kind="cancelled", error="ended by an abort"))
        raise
    if not reply.text.strip():
        raise Transient("empty", "the model returned an empty answer", reply=reply)
    digest = run.record.blobs.put(reply.text.encode("utf-8", "replace"))
    text = run.record.blobs.get(digest).decode()
    run.record.journal.append(
        CallEnded(
            call=started.call,
            reply=digest,
            model=reply.model,
            usage=reply.usage,
            usd=reply.usd,
            reply_tokens=estimate(text),
            seconds=round(run.stopwatch() - began, 3),
            cut=reply.cut,
            session=reply.session,
        )
    )
    record_isolation(run, order.agent, reply.notes)
    return AnswerPart(text, reply.cut)


async def _by_rules(order: ModelRequest, answer: Callable[[], str]) -> Reply:
    return Reply(text=answer(), model=order.agent.model.model, usage=Usage(input_tokens=0, output_tokens=0), usd=0.0)


def _completed(run: Run, order: ModelRequest, system: str, context: str, now: Begun) -> Awaitable[Reply]:
    model, most, started = order.agent.model, now.max_output, now.started
    if started.conversation:
        parts = (run.record.task.id, started.conversation, started.provider, started.model)
        return cast(ConversingModel, model).complete(
            system,
            context,
            order.schema,
            max_output=most,
            on_delta=run.people.live,
            home="-".join(parts).replace("/", "_"),
            session=started.session,
        )
    if order.images and model.capabilities.images:
        seeing = cast(SeeingModel, model)
        return seeing.complete(
            system, context, order.schema, max_output=most, on_delta=run.people.live, images=order.images
        )
    if order.comes_again and model.capabilities.cache_marks:
        begins = order.context.text[: order.context.stable]
        if not run.library.config.secrets.send_unmasked:
            begins = run.library.masker.text(begins)
        marking, stable = cast(MarkingModel, model), len(begins) if context.startswith(begins) else 0
        return marking.complete(system, context, order.schema, max_output=most, on_delta=run.people.live, stable=stable)
    return model.complete(system, context, order.schema, max_output=most, on_delta=run.people.live)


def no_object(run: Run, agent: Agent, text: str) -> str:
    """What is wrong with an answer that is no JSON object, in words for its author and for a person."""
    if not breaks_off(text):
        return "the answer was not one JSON object; answer with the object alone"
    setting = lowered_by(run.library.config.call_output_tokens, agent.model.capabilities)
    most = f"{run.answer_tokens(agent):,} tokens ({setting})"
    return f"the answer breaks off before its object ends; one answer holds at most {most}: hand in less at once"
