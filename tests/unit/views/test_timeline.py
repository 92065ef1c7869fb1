"""What the calls of a task were shown and what they used, from their records."""

from __future__ import annotations

from typing import Any

from thoughtforge.calls.events import CallEnded, CallFailed, CallStarted
from thoughtforge.calls.port import Reservation, Usage
from thoughtforge.kernel.events import Event, Record
from thoughtforge.views.timeline import contexts, cost_rows, stage_contexts, steps
from thoughtforge.views.values import CallContext, CutBlock, StageContext

DIGEST = "0" * 64


def record(seq: int, event: Event) -> Record:
    return Record(seq=seq, time="2026-01-01T00:00:00+00:00", event=event)


def started(step: int, stage: str, **sizes: Any) -> CallStarted:
    return CallStarted(
        call=f"C-{step}",
        key=f"k{step}",
        stage=stage,
        round=1,
        step=step,
        role="r",
        role_version="1",
        provider="p",
        model="m",
        system=DIGEST,
        context=DIGEST,
        context_digest=DIGEST,
        reserved=Reservation(tokens=9),
        **sizes,
    )


def priced(step: int, usd: float | None) -> CallStarted:
    return started(step, "green", context_tokens=1).model_copy(update={"reserved": Reservation(tokens=9, usd=usd)})


def test_an_interrupted_call_has_an_unknown_price_only_when_its_provider_has_none() -> None:
    cancelled = CallFailed(call="C-2", kind="cancelled", error="ended by an abort")
    events = [priced(1, 0.0), priced(2, 0.5), cancelled, priced(3, None), priced(4, 0.5)]
    answered = CallEnded(call="C-4", reply=DIGEST, model="m", usage=Usage(), reply_tokens=1, seconds=0.1)
    (row,) = cost_rows(steps([record(seq, event) for seq, event in enumerate([*events, answered], 1)]))
    assert (row.calls, row.failed_calls, row.usd, row.usd_unknown_calls) == (4, 3, 0.0, 2)


def ended(step: int, usage: Usage) -> CallEnded:
    return CallEnded(call=f"C-{step}", reply=DIGEST, model="m", usage=usage, reply_tokens=1, seconds=0.1)


CALLS = steps(
    [
        record(1, started(1, "spec", context_tokens=900, parts={"system": 900})),  # as it was before room was counted
        record(
            2, started(2, "green", context_tokens=7_000, room=8_000, blocks={"analysis": 300}, cut={"analysis": 900})
        ),
        record(3, ended(2, Usage(input_tokens=7_000, output_tokens=5, cached_tokens=4_000))),
        record(4, started(3, "green", context_tokens=7_500, room=8_000, cut={"files": 100})),
        record(5, ended(3, Usage(input_tokens=7_500, output_tokens=5))),
    ]
)


def test_every_call_tells_its_parts_what_was_cut_and_the_room_that_was_left() -> None:
    old, first, second = contexts(CALLS)
    assert old == CallContext(1, "spec", "r", "work", 900, 0, None, {"system": 900}, {}, {})
    assert (first.left, first.cut) == (1_000, {"analysis": CutBlock(300, 900)})
    assert (second.left, second.cut) == (500, {"files": CutBlock(0, 100)})


def test_the_calls_of_a_stage_add_up() -> None:
    assert stage_contexts(contexts(CALLS)) == (
        StageContext("spec", calls=1, tokens=900, cut_calls=0, largest=900, left=0),
        StageContext("green", calls=2, tokens=14_500, cut_calls=2, largest=7_500, left=1_500),
    )


def test_cached_tokens_add_up_and_silence_is_unknown() -> None:
    green = cost_rows(CALLS)[1]
    assert (green.prompt_tokens, green.cached_tokens, green.cached_tokens_unknown_calls) == (14_500, 4_000, 1)
