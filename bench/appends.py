"""What an event costs: the ten-thousandth must cost what the first did."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from bench.figures import Figure
from thoughtforge.kernel.events import ActionTaken, CallEnded, CallStarted, Event
from thoughtforge.kernel.loop import Journal
from thoughtforge.kernel.model import Reservation, Usage
from thoughtforge.store.log import FileLog
from thoughtforge.store.secrets import Masker

EVENTS = 9_999
ENDS = 99
"""How many appends at the beginning and at the end are held against each other."""
DIGEST = "5" * 64


def measure(place: Path) -> list[Figure]:
    """Appends to a journal (dump, mask, seal, write, sync, head, fold), three events to a step as an agent makes them.

    The costs are medians over whole steps, of this process's CPU time; the wall time is told too, because most of it
    is the disk's. A journal that is thrown away goes first, so that the first events do not pay for warming up.
    """
    _steps(place / "warm", 600, time.process_time)
    cpu = _steps(place / "cpu", EVENTS, time.process_time)
    wall = _steps(place / "wall", EVENTS // 5, time.perf_counter)
    many = ENDS // 3
    ratio = median(cpu[-many:]) / median(cpu[:many])
    return [
        Figure("10,000 events: last 100 ÷ first 100, CPU", round(ratio, 3), "×", 1.2),
        Figure("one append, CPU", round(median(cpu) / 3 * 1e6, 1), "µs"),
        Figure("one append, wall", round(median(wall) / 3 * 1e6, 1), "µs"),
    ]


def _steps(folder: Path, events: int, clock: Callable[[], float]) -> list[float]:
    """The time of each step of three appends."""
    folder.mkdir()
    log = FileLog(folder, masker=Masker.of({"BENCH_KEY": "a value that is never used"}), clock=_stamp)
    journal = Journal(log)
    costs: list[float] = []
    for number in range(1, events // 3 + 1):
        step = _step(number)
        began = clock()
        for event in step:
            journal.append(event)
        costs.append(clock() - began)
    log.close()
    return costs


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
