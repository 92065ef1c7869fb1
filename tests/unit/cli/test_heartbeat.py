"""A long call says now and then that it still runs."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from thoughtforge.calls.events import CallStarted
from thoughtforge.cli.foreground import Progress
from thoughtforge.kernel.state import State
from thoughtforge.service.progress import ProgressLine

CALL = CallStarted.model_construct(provider="claude", model="sonnet")


async def _watch(progress: Progress, line: ProgressLine, *, seconds: float) -> None:
    progress.show(line)
    beating = asyncio.create_task(progress.beats())
    await asyncio.sleep(seconds)
    beating.cancel()


def test_a_call_that_takes_long_is_told_again_and_again(capsys: pytest.CaptureFixture[str]) -> None:
    waiting = ProgressLine("", "", replace(State(), open_calls={"c1": CALL}))
    asyncio.run(_watch(Progress(quiet=False, heartbeat=0.05), waiting, seconds=0.5))
    told = capsys.readouterr().err.splitlines()
    assert len(told) >= 2
    assert all(line.strip().startswith("… claude (sonnet) has not answered for ") for line in told)


@pytest.mark.parametrize(("quiet", "calls"), [(True, {"c1": CALL}), (False, {})])
def test_nothing_is_told_when_nobody_wants_it_or_nothing_is_asked(
    quiet: bool, calls: dict[str, CallStarted], capsys: pytest.CaptureFixture[str]
) -> None:
    line = ProgressLine("", "", replace(State(), open_calls=calls))
    asyncio.run(_watch(Progress(quiet=quiet, heartbeat=0.05), line, seconds=0.2))
    assert capsys.readouterr().err == ""
