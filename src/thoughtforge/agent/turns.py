"""Agents that act by themselves: a turn with our tools and nothing else, and the engine looks after every turn."""

from __future__ import annotations

import json
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from thoughtforge.agent.acting import Acted, Brief, End, carry_out, circles, put_on_record
from thoughtforge.agent.bridge import Bridge
from thoughtforge.agent.bridge_http import NAME, Answer, served
from thoughtforge.agent.calls import Order
from thoughtforge.agent.means import Agent, Means
from thoughtforge.agent.meter import CallMeter
from thoughtforge.agent.steps import ordered
from thoughtforge.agent.territory import HIDDEN
from thoughtforge.agent.watching import watched
from thoughtforge.cages.turn import Turn, TurnEnded, Worker
from thoughtforge.kernel.errors import ProviderError, Stop, Transient
from thoughtforge.kernel.events import Measured
from thoughtforge.kernel.model import Stage
from thoughtforge.kernel.stops import StopReason
from thoughtforge.workspaces.globs import any_matches

HOW = f"""\
Work with the tools of the server `{NAME}`; you have no others, and files change through them alone.
After each edit its answer says what the engine found. When you are done, use `complete` with the artifact and stop."""
HANDED_IN = "This stage is over; nothing more is taken. Stop here."


class Seat:
    """What a self-acting agent sits at during its stage: every use of a tool passes here."""

    def __init__(self, means: Means, agent: Agent, stage: Stage, *, bridge: Bridge) -> None:
        self.means, self.agent, self.stage, self.bridge = means, agent, stage, bridge
        self.end: End | None = None
        self.acted = 0

    def over(self) -> bool:
        """Whether there is nothing left to do in this stage."""
        return self.end is not None or self.used_up()

    def used_up(self) -> bool:
        """Whether the stage has no step left."""
        return self.means.stage(self.stage.name).steps >= self.means.journal.state.caps.stage_steps

    async def use(self, tool: str, params: dict[str, Any]) -> Answer:
        """One use of a tool, on record; the answer carries the verdict of the gate."""
        if self.over():
            return Answer(HANDED_IN, ok=False)
        self.acted += 1
        # As every reply is: a secret shows as its mark, and the bridge writes no marks.
        plain = json.loads(self.means.masker.text(json.dumps(params, ensure_ascii=False)))
        await self.record(await carry_out(self.means, self.bridge, {"tool": tool, "params": plain}))
        last = self.means.stage(self.stage.name).recent[-1]
        text = self.means.blobs.get(last.output).decode("utf-8", "replace") if last.output and not self.end else ""
        told = "\n".join(part for part in (last.summary, text) if part)
        return Answer(HANDED_IN if self.end else told, ok=last.outcome == "ok")

    async def record(self, acted: Acted) -> None:
        """Put an action on record, and see whether the stage is over with it."""
        await put_on_record(self.means, self.agent, self.stage, acted=acted, bridge=self.bridge)
        self.end = acted.end
        if self.end is None and (round_about := circles(self.means, self.stage)):
            self.end = End(circles=round_about)


async def work(means: Means, agent: Agent, stage: Stage, *, brief: Brief, bridge: Bridge) -> End:
    """Turn after turn until the agent completes or asks; after a crash go on where the record ends."""
    seat = Seat(means, agent, stage, bridge=bridge)
    failures = 0
    while not seat.over():
        seat.acted = 0
        order = ordered(means, agent, stage, brief=brief, bridge=bridge, actions=HOW)
        meter = CallMeter(means, order, over=seat.over)
        try:
            ended = await _turn(seat, order, meter)
        except ProviderError as error:
            ended = TurnEnded("", notes=(f"{error.kind}: {error}",))
            failures = failures + 1 if not seat.acted else 1
            if meter.stop is None and not seat.over() and (failures > 1 or not isinstance(error, Transient)):
                await _look(seat, ended)
                detail = f"{agent.provider} ({error.kind}): {error} {error.do}".strip()
                raise Stop(StopReason.provider_failed, detail) from error
        await _look(seat, ended)
        if meter.stop is not None:
            raise meter.stop
        if seat.end is None and not seat.acted:
            said = "the turn ended without any use of a tool; work with the tools and use complete at the end"
            await seat.record(Acted({}, "error", said, ended.text))
    return seat.end or End()


async def _turn(seat: Seat, order: Order, meter: CallMeter) -> TurnEnded:
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
            home=f"{means.task.id}-{stage.name}-{seat.agent.role.name}",
            session=_session(seat) if worker.keeps else "",
            hidden=tuple(path for path in _paths(seat.bridge) if any_matches(path, HIDDEN)),
            progress=means.live,
        )
        means.live(None)
        return await watched(means.journal, means.absorb, worker.turn(turn))


def _session(seat: Seat) -> str:
    """The conversation of the last turn in this stage; red's is never green's."""
    last = seat.means.stage(seat.stage.name).measured.get("turn")
    return str(last.facts.get("session", "")) if last else ""


def _paths(bridge: Bridge) -> tuple[str, ...]:
    return tuple(entry.path for entry in bridge.desk.tree.paths())


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
            facts={"actions": seat.acted, "strays": len(strays), "session": ended.session},
        )
    )
