"""Turns of command-line agents: each turn has only our tools, and the engine checks the files after it."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

from thoughtforge.agent.bridge import Bridge
from thoughtforge.agent.bridge_http import NAME, AgentSession, CallMeter, served
from thoughtforge.agent.calls import ModelRequest, RetryPolicy, record_isolation, to_stop
from thoughtforge.agent.run import Agent, Run, run_until_aborted
from thoughtforge.agent.steps import ActionResult, Brief, End, ordered
from thoughtforge.agent.tokens import lines_in
from thoughtforge.agent_runtime.failures import answered
from thoughtforge.agent_runtime.launch import CAPPED
from thoughtforge.agent_runtime.turn import Turn, TurnEnded, Worker
from thoughtforge.calls import spending
from thoughtforge.calls.port import ProviderError, Reservation
from thoughtforge.code.write_policy import hidden_in
from thoughtforge.kernel.events import Measured
from thoughtforge.kernel.model import Stage

HOW = f"""\
Work with the tools of the server `{NAME}`; you have no others, and files change through them alone.
The answer to each edit shows what the engine found. When you are done, use `complete` with the artifact and stop."""
RESULT_ROOM = 10_000
"""Tokens one answer of a tool may have; agents' programs cut longer ones as they like."""
NOTHING = Reservation(tokens=0, usd=0.0)
"""What must be left before a turn begins: its requests reserve for themselves."""


async def take_turns(run: Run, agent: Agent, stage: Stage, *, brief: Brief, bridge: Bridge) -> End:
    """Turn after turn until the agent completes or asks; after a crash go on where the record ends."""
    agent_session = AgentSession(run, agent, stage, bridge=bridge)
    patience = RetryPolicy(run, agent)
    bridge.context.fitting = partial(lines_in, room=RESULT_ROOM)
    while not agent_session.over():
        spending.check(run.record.journal.state, NOTHING)
        agent_session.acted, before = 0, await _files(bridge)
        order = await ordered(run, agent, stage, brief=brief, bridge=bridge, actions=HOW)
        error = await _taken(agent_session, order)
        if agent_session.over():
            break
        if await _files(bridge) != before:  # something came of it: failures are counted afresh
            patience = RetryPolicy(run, agent)
        if error is not None:
            spending.check(run.record.journal.state, NOTHING)
            if not await patience.again(error):
                raise to_stop(agent, error) from error
    return agent_session.end or End()


async def _taken(agent_session: AgentSession, order: ModelRequest) -> ProviderError | None:
    """One turn and what is found after it; the failure, when it was one and nothing was handed in."""
    meter, failed = CallMeter(agent_session.run, order, over=agent_session.over), None
    conversation = _conversation(agent_session)
    try:
        ended = await _turn(agent_session, order, meter, session=conversation)
    except ProviderError as error:
        failed = answered(error, meter.status) if error.kind == CAPPED else error
        notes = error.reply.notes if error.reply else ()
        # Handed in, it was ended in the middle of its conversation; that goes on should the stage come back.
        ended = TurnEnded("", conversation if agent_session.over() else "", (*notes, f"{failed.kind}: {failed}"))
        record_isolation(agent_session.run, agent_session.agent, notes)
    else:
        record_isolation(agent_session.run, agent_session.agent, ended.notes)
    await _look(agent_session, ended)
    if meter.stop is not None:
        raise meter.stop
    if failed is None and agent_session.end is None and not agent_session.acted:
        said = "the turn ended without a tool call; work with the tools and use complete at the end"
        await agent_session.record(ActionResult({}, "error", said, ended.text))
    return failed


async def _turn(agent_session: AgentSession, order: ModelRequest, meter: CallMeter, *, session: str) -> TurnEnded:
    run, stage, agent = agent_session.run, agent_session.stage, agent_session.agent
    worker = cast(Worker, agent.model)
    async with served(agent_session.bridge, agent_session.use) as server, _folder(agent_session.bridge) as folder:
        turn = Turn(
            system=run.library.masker.text(order.system.text),
            prompt=run.library.masker.text(order.context.text),
            folder=folder,
            tools=agent_session.bridge.offered,
            server=server,
            token=secrets.token_urlsafe(24),
            meter=meter,
            home="-".join((run.record.task.id, stage.name, agent.role.name, agent.provider)).replace("/", "_"),
            session=session,
            hidden=await _hidden(agent_session),
            progress=run.people.live,
            wall_seconds=_time_left(run),
        )
        run.people.live(None)
        return await run_until_aborted(run.record.journal, run.people.drain_inbox, worker.turn(turn))


def _conversation(agent_session: AgentSession) -> str:
    """The conversation of the last turn in this stage; red's is never green's, and no provider's is another's."""
    last = agent_session.run.record.stage(agent_session.stage.name).measured.get("turn")
    mine = last is not None and last.facts.get("provider") == agent_session.agent.provider
    return (
        str(last.facts.get("session", ""))
        if last and mine and agent_session.agent.model.capabilities.conversation
        else ""
    )


def _time_left(run: Run) -> float | None:
    """Seconds of work the task may still have; None without a cap."""
    state = run.record.journal.state
    return None if state.caps.wall_seconds is None else state.caps.wall_seconds - state.used.wall_seconds


async def _files(bridge: Bridge) -> str:
    return await bridge.context.session.workspace.tree() if bridge.context.session else ""


async def _hidden(agent_session: AgentSession) -> tuple[str, ...]:
    """What the agent's program must not find in the workspace, by everything that is there and was at the base."""
    if agent_session.bridge.context.session is None:
        return ()
    trees = (agent_session.run.library.tree, agent_session.bridge.context.tree)
    paths = [entry.path for tree in trees for entry in await tree.git.entries(tree.commit)]
    return hidden_in(paths, agent_session.run.library.tree.ignore.reason)


@asynccontextmanager
async def _folder(bridge: Bridge) -> AsyncIterator[Path]:
    """What the agent may look at besides the tools: the workspace; an empty folder in stages that have none."""
    if bridge.context.session is not None:
        yield bridge.context.session.workspace.folder
        return
    with TemporaryDirectory(prefix="thoughtforge-empty-") as empty:
        yield Path(empty)


async def _look(agent_session: AgentSession, ended: TurnEnded) -> None:
    """After a turn the files must match the record; the engine reverts, records and reports anything else."""
    run, session = agent_session.run, agent_session.bridge.context.session
    strays: tuple[str, ...] = ()
    if session is not None:
        async with run.lock:
            strays = await session.workspace.matches()
            if strays:
                await session.workspace.restore()
    found = (
        f"written without the tools and reverted: {', '.join(strays[:5])}" if strays else "the files are as recorded"
    )
    run.record.journal.append(
        Measured(
            stage=agent_session.stage.name,
            round=run.record.stage(agent_session.stage.name).round,
            step=run.record.journal.state.used.steps,
            what="turn",
            outcome="fail" if strays else "pass",
            summary="; ".join([found, *ended.notes])[:500],
            facts={
                "actions": agent_session.acted,
                "strays": len(strays),
                "session": ended.session,
                "provider": agent_session.agent.provider,
            },
        )
    )
