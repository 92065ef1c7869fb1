"""One model call: reserved and logged before it is sent, logged when it ends, never repeated when it did end."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Literal, NamedTuple

from thoughtforge.agent.context import Context
from thoughtforge.agent.failing import Patience, for_good, instead
from thoughtforge.agent.keeping import keep
from thoughtforge.agent.means import Agent, Means
from thoughtforge.agent.prompt import SystemPrompt
from thoughtforge.agent.tokens import estimate
from thoughtforge.agent.watching import watched
from thoughtforge.calls import limits
from thoughtforge.calls.errors import ProviderError, Transient
from thoughtforge.calls.events import CallEnded, CallFailed, CallStarted
from thoughtforge.calls.port import Reply, Usage
from thoughtforge.kernel.errors import Mistake, Stop
from thoughtforge.kernel.model import Digest, Stage
from thoughtforge.store.replay import replay_digest

IMAGE_TOKENS = 6_000
"""More than any vendor counts for one picture."""
TURNED_DOWN = ("auth", "quota", "bad_request", "rate_limited")
"""Failures before the model did anything: nothing was used."""
NOTHING = Reply(text="", model="", usage=Usage(input_tokens=0, output_tokens=0), usd=0.0)
"""What such a failure comes to."""


class Order(NamedTuple):
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
    sent: str = ""
    """The request of a self-acting agent as it is sent; system and context then only say where it began."""


class Begun(NamedTuple):
    """A call that is on record, and the longest answer it may ask for."""

    started: CallStarted
    max_output: int


async def call(means: Means, order: Order) -> str:
    """The reply's text: from the record when this call already ended, else from the model, tried twice at most."""
    known = means.stage(order.stage.name).replies.get(order.key)
    if known is not None:
        return means.blobs.get(known).decode()
    try:
        return await _asked(means, order)
    except (Stop, Mistake) as failed:
        after = instead(means, order.agent, failed)
        return await _asked(means, order._replace(agent=after))


async def _asked(means: Means, order: Order) -> str:
    """From the model, tried twice at most; while it says that it is asked too often, waited for as long as allowed."""
    patience = Patience(means, order.agent)
    while True:
        now = begun(means, order, longest=means.max_output)
        try:
            return await _finish(means, order, now)
        except Mistake as mistake:
            _fail(means, order, now, ProviderError("not_ready", mistake.what, reply=NOTHING))
            raise
        except ProviderError as error:
            _fail(means, order, now, error)
            if not await patience.again(error):
                raise for_good(order.agent, error) from error


def _fail(means: Means, order: Order, now: Begun, error: ProviderError) -> None:
    """Put a failure on record with what was paid for all the same; what nobody knows counts as reserved."""
    failed = CallFailed(call=now.started.call, kind=error.kind, error=means.masker.text(str(error)))
    spent = error.reply or (NOTHING if error.kind in TURNED_DOWN else None)
    if spent is not None:
        failed = failed.model_copy(update={"usage": spent.usage, "usd": spent.usd})
    means.journal.append(failed)
    if error.reply is not None and error.kind != "not_ready":
        keep(means, order.agent, error.reply.notes)


def begun(means: Means, order: Order, *, longest: int) -> Begun:
    """Put the call and the most it can cost on record, unless that could cross a cap."""
    means.absorb()
    means.journal.go_on()
    system, context = ("", order.sent) if order.sent else (order.system.text, order.context.text)
    state = means.journal.state
    shown = context + " " * (IMAGE_TOKENS * len(order.images))
    reserved, most = limits.afford(
        state, lambda output: order.agent.model.reserve(system, shown, output, order.schema), longest
    )
    system, context = means.masker.text(system), means.masker.text(context)
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
        system=means.blobs.put(system.encode()),
        context=means.blobs.put(context.encode()),
        context_digest=replay_digest(system, context, means.task.id),
        context_tokens=estimate(context) if order.sent else order.context.tokens,
        parts={} if order.sent else order.context.parts,
        prompts=order.prompts,
        reserved=reserved,
    )
    means.journal.append(event)
    return Begun(event, most)


async def _finish(means: Means, order: Order, now: Begun) -> str:
    began, started = means.stopwatch(), now.started
    means.live(None)
    system, context = order.system.text, order.context.text
    if not means.send_unmasked:
        system, context = means.masker.text(system), means.masker.text(context)
    answer = _by_rules(order, order.by_rules) if order.by_rules else _completed(means, order, system, context, now)
    try:
        reply: Reply = await watched(means.journal, means.absorb, answer)
    except Stop:
        means.journal.append(CallFailed(call=started.call, kind="cancelled", error="ended by an abort"))
        raise
    if not reply.text.strip():
        raise Transient("empty", "the model answered with nothing", reply=reply)
    digest = means.blobs.put(reply.text.encode("utf-8", "replace"))
    text = means.blobs.get(digest).decode()
    means.journal.append(
        CallEnded(
            call=started.call,
            reply=digest,
            model=reply.model,
            usage=reply.usage,
            usd=reply.usd,
            reply_tokens=estimate(text),
            seconds=round(means.stopwatch() - began, 3),
        )
    )
    keep(means, order.agent, reply.notes)
    return text


async def _by_rules(order: Order, answer: Callable[[], str]) -> Reply:
    return Reply(text=answer(), model=order.agent.model.model, usage=Usage(input_tokens=0, output_tokens=0), usd=0.0)


def _completed(means: Means, order: Order, system: str, context: str, now: Begun) -> Awaitable[Reply]:
    model: Any = order.agent.model
    seen = {"images": order.images} if order.images and getattr(model, "sees", False) else {}
    answer: Awaitable[Reply] = model.complete(
        system, context, order.schema, max_output=now.max_output, on_delta=lambda piece: means.live(piece), **seen
    )
    return answer
