"""What an event costs: the ten-thousandth must cost what the first did."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from bench.figures import Figure
from thoughtforge.calls.events import ActionTaken, CallEnded, CallStarted
from thoughtforge.calls.port import Reservation, Usage
from thoughtforge.kernel.events import Event
from thoughtforge.kernel.loop import Journal
from thoughtforge.store.log import FileLog
from thoughtforge.store.secrets import Masker

EVENTS = 10_000
SIDE_BY_SIDE = 100
"""How many of the last appends are held against the first ones of a new log."""
DIGEST = "5" * 64


def measure(place: Path) -> list[Figure]:
    """Appends to a journal (dump, mask, seal, write, sync, head, fold), three events to a step as an agent makes them.

    The last hundred appends of the long log take turns with the first hundred of a new one, so that whatever else the
    machine does falls on both. Costs are medians over whole steps, of this process's CPU time; the wall time is told
    too, because most of it is the disk's.
    """
    long, few = _journal(place / "long"), SIDE_BY_SIDE // 3
    before = [_append(long, number, time.perf_counter) for number in range((EVENTS - SIDE_BY_SIDE) // 3)]
    fresh = _journal(place / "fresh")
    last: list[float] = []
    first: list[float] = []
    for number in range(few):
        last.append(_append(long, len(before) + number, time.process_time))
        first.append(_append(fresh, number, time.process_time))
    return [
        Figure("10,000 events: last 100 ÷ first 100, CPU", round(median(last) / median(first), 3), "×", 1.2),
        Figure("one append, CPU", round(median(last) / 3 * 1e6, 1), "µs"),
        Figure("one append, wall", round(median(before) / 3 * 1e6, 1), "µs"),
    ]


def _journal(folder: Path) -> Journal:
    folder.mkdir()
    masker = Masker.of({"BENCH_KEY": "a value that is never used"})
    return Journal(FileLog(folder, masker=masker, clock=_stamp))


def _append(journal: Journal, number: int, clock: Callable[[], float]) -> float:
    """The time of one step of three appends."""
    step = _step(number)
    began = clock()
    for event in step:
        journal.append(event)
    return clock() - began


def _stamp() -> str:
    return "2026-01-01T00:00:00.000000+00:00"


def _step(number: int) -> tuple[Event, Event, Event]:
    call = CallStarted(
        call=f"C-{number}",
        key=f"analyze/1/step-{number}",
        stage="analyze",
        round=1,
        step=number,
        role="software_architect",
        role_version="1.0",
        provider="script",
        model="scripted",
        system=DIGEST,
        context=DIGEST,
        context_digest=DIGEST,
        context_tokens=6_000,
        parts={"system": 900, "task_frame": 200, "current_state": 4_000, "recent_actions": 300},
        prompts={"system": DIGEST, "analyze": DIGEST},
        reserved=Reservation(tokens=30_000, usd=0.1),
    )
    usage = Usage(input_tokens=6_100, output_tokens=120)
    end = CallEnded(
        call=call.call, reply=DIGEST, model="scripted", usage=usage, usd=0.02, reply_tokens=110, seconds=1.5
    )
    action = ActionTaken(
        stage="analyze",
        round=1,
        step=number,
        role="software_architect",
        tool="read_file",
        params={"path": f"area/part_{number}.py"},
        outcome="ok",
        summary=f"area/part_{number}.py: 120 lines",
        output=DIGEST,
        note=f"part_{number} parses the arguments of its own command",
    )
    return call, end, action
