"""Agents that act by themselves: a turn with our tools and nothing else, and the engine looks after every turn."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

from thoughtforge.agent.acting import Acted, Brief, End
from thoughtforge.agent.bridge import Bridge
from thoughtforge.agent.bridge_http import NAME, served
from thoughtforge.agent.calls import Order
from thoughtforge.agent.failing import Patience, for_good
from thoughtforge.agent.keeping import keep
from thoughtforge.agent.means import Agent, Means
from thoughtforge.agent.meter import CallMeter
from thoughtforge.agent.seat import Seat
from thoughtforge.agent.steps import ordered
from thoughtforge.agent.territory import hidden_in
from thoughtforge.agent.watching import watched
from thoughtforge.cages.entry import CAPPED
from thoughtforge.cages.failures import answered
from thoughtforge.cages.turn import Turn, TurnEnded, Worker
from thoughtforge.calls import limits
from thoughtforge.calls.errors import ProviderError
from thoughtforge.calls.port import Reservation
from thoughtforge.kernel.events import Measured
from thoughtforge.kernel.model import Stage

HOW = f"""\
Work with the tools of the server `{NAME}`; you have no others, and files change through them alone.
After each edit its answer says what the engine found. When you are done, use `complete` with the artifact and stop."""
NOTHING = Reservation(tokens=0, usd=0.0)
"""What must be left before a turn begins: its requests reserve for themselves."""


async def work(means: Means, agent: Agent, stage: Stage, *, brief: Brief, bridge: Bridge) -> End:
    """Turn after turn until the agent completes or asks; after a crash go on where the record ends."""
    seat = Seat(means, agent, stage, bridge=bridge)
    patience = Patience(means, agent)
    while not seat.over():
        limits.check(means.journal.state, NOTHING)
        seat.acted, before = 0, await _files(bridge)
        order = ordered(means, agent, stage, brief=brief, bridge=bridge, actions=HOW)
        error = await _taken(seat, order)
        if seat.over():
            break
        if await _files(bridge) != before:  # something came of it: failures are counted afresh
            patience = Patience(means, agent)
        if error is not None:
            limits.check(means.journal.state, NOTHING)
            if not await patience.again(error):
                raise for_good(agent, error) from error
    return seat.end or End()


async def _taken(seat: Seat, order: Order) -> ProviderError | None:
    """One turn and what is found after it; the failure, when it was one and nothing was handed in."""
    meter, failed = CallMeter(seat.means, order, over=seat.over), None
    session = _session(seat)
    try:
        ended = await _turn(seat, order, meter, session=session)
    except ProviderError as error:
        failed = answered(error, meter.status) if error.kind == CAPPED else error
        notes = error.reply.notes if error.reply else ()
        # Handed in, it was ended in the middle of its conversation; that goes on should the stage come back.
        ended = TurnEnded("", session if seat.over() else "", (*notes, f"{failed.kind}: {failed}"))
        keep(seat.means, seat.agent, notes)
    else:
        keep(seat.means, seat.agent, ended.notes)
    await _look(seat, ended)
    if meter.stop is not None:
        raise meter.stop
    if failed is None and seat.end is None and not seat.acted:
        said = "the turn ended without any use of a tool; work with the tools and use complete at the end"
        await seat.record(Acted({}, "error", said, ended.text))
    return failed


async def _turn(seat: Seat, order: Order, meter: CallMeter, *, session: str) -> TurnEnded:
    means, stage = seat.means, seat.stage
    worker = cast(Worker, seat.agent.model)
    async with served(seat.bridge, seat.use) as server, _folder(seat.bridge) as folder:
        turn = Turn(
            system=means.masker.text(order.system.text),
            prompt=means.masker.text(order.context.text),
            folder=folder,
            tools=seat.bridge.offered,
            server=server,
            token=secrets.token_urlsafe(24),
            meter=meter,
            home=f"{means.task.id}-{stage.name}-{seat.agent.role.name}-{seat.agent.provider}".replace("/", "_"),
            session=session,
            hidden=await _hidden(seat),
            progress=means.live,
            wall_seconds=_time_left(means),
        )
        means.live(None)
        return await watched(means.journal, means.absorb, worker.turn(turn))


def _session(seat: Seat) -> str:
    """The conversation of the last turn in this stage; red's is never green's, and no provider's is another's."""
    last = seat.means.stage(seat.stage.name).measured.get("turn")
    mine = last is not None and last.facts.get("provider") == seat.agent.provider
    return str(last.facts.get("session", "")) if last and mine and cast(Worker, seat.agent.model).keeps else ""


def _time_left(means: Means) -> float | None:
    """Seconds of work the task may still have; None without a cap."""
    state = means.journal.state
    return None if state.caps.wall_seconds is None else state.caps.wall_seconds - state.used.wall_seconds


async def _files(bridge: Bridge) -> str:
    return await bridge.desk.workshop.workspace.tree() if bridge.desk.workshop else ""


async def _hidden(seat: Seat) -> tuple[str, ...]:
    """What the agent's program must not find in the workspace, by everything that is there and was at the base."""
    if seat.bridge.desk.workshop is None:
        return ()
    trees = (seat.means.tree, seat.bridge.desk.tree)
    paths = [entry.path for tree in trees for entry in await tree.git.entries(tree.commit)]
    return hidden_in(paths, seat.means.tree.ignore.reason)


@asynccontextmanager
async def _folder(bridge: Bridge) -> AsyncIterator[Path]:
    """What the agent may look at besides the tools: the workspace; an empty folder in stages that have none."""
    if bridge.desk.workshop is not None:
        yield bridge.desk.workshop.workspace.folder
        return
    with TemporaryDirectory(prefix="thoughtforge-empty-") as empty:
        yield Path(empty)


async def _look(seat: Seat, ended: TurnEnded) -> None:
    """After a turn the files must be what the record says; anything else is taken back, put on record and told."""
    means, workshop = seat.means, seat.bridge.desk.workshop
    strays: tuple[str, ...] = ()
    if workshop is not None:
        async with means.lock:
            strays = await workshop.workspace.matches()
            if strays:
                await workshop.workspace.restore()
    found = (
        f"written past the bridge and taken back: {', '.join(strays[:5])}" if strays else "the files are as recorded"
    )
    means.journal.append(
        Measured(
            stage=seat.stage.name,
            round=means.stage(seat.stage.name).round,
            step=means.journal.state.used.steps,
            what="turn",
            outcome="fail" if strays else "pass",
            summary="; ".join([found, *ended.notes])[:500],
            facts={
                "actions": seat.acted,
                "strays": len(strays),
                "session": ended.session,
                "provider": seat.agent.provider,
            },
        )
    )
