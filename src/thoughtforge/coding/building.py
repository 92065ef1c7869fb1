"""The loop of every stage that writes files: an agent acts, the engine measures until the exit holds, and commits."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Literal, NamedTuple, Protocol

from thoughtforge.agent import questions
from thoughtforge.agent.bridge import Bridge
from thoughtforge.agent.context import Block
from thoughtforge.agent.frame import input_blocks
from thoughtforge.agent.memory import Memory
from thoughtforge.agent.run import Agent, Done, Halt, Run, drive, run_until_aborted
from thoughtforge.agent.stage_runner import run_agent as take_up
from thoughtforge.agent.steps import Brief, End, check_loops, handed_in
from thoughtforge.code.exit import ExitReport
from thoughtforge.code.session import CodeSession
from thoughtforge.code.tool_context import ToolContext
from thoughtforge.code.write_policy import behind, refusal
from thoughtforge.coding import writing
from thoughtforge.coding.held_cases import RULED, question, ruled
from thoughtforge.coding.reach import Sight, must_read, specified
from thoughtforge.contracts.validate import check
from thoughtforge.definitions.drivers import TESTS, prompt_name, writes
from thoughtforge.gate.findings import Finding
from thoughtforge.kernel.errors import Stop
from thoughtforge.kernel.events import Measured
from thoughtforge.kernel.model import JsonObject, Stage
from thoughtforge.kernel.ports import NeedsPerson, Produced
from thoughtforge.kernel.stops import StopReason
from thoughtforge.workspaces.tree import FileTree

REFUTED = 2
"""Times held-back cases may fail before a person is asked."""


class StageBuild(NamedTuple):
    """Where one stage builds."""

    run: Run
    stage: Stage
    session: CodeSession
    before: str
    """The commit the stage builds on."""


class UpstreamRepository(Protocol):
    """The repository a workspace is a clone of: where its files come from, and where a commit of them goes."""

    async def enter(self, site: StageBuild) -> StageBuild:
        """Before the stage works: the workspace has what it builds on."""
        ...

    async def renew(self, site: StageBuild) -> StageBuild | str:
        """Before something is measured: what changed there is in the workspace too; else why work starts over."""
        ...

    async def commit(self, site: StageBuild, *, tree: str, message: str) -> str:
        """Commit a tree of the workspace; its commit, which is not on record yet."""
        ...


async def _nothing_more(site: StageBuild, tree: FileTree) -> Sequence[Block]:
    return ()


class CodeStage(NamedTuple):
    """What differs from stage to stage."""

    contract: str
    """Of what the agent hands in."""
    measure: Callable[[StageBuild, JsonObject], Awaitable[ExitReport]]
    artifact: Callable[[StageBuild, JsonObject, ExitReport], Awaitable[JsonObject]]
    message: Callable[[StageBuild, JsonObject], str]
    """The commit's, from what was handed in."""
    told: Callable[[StageBuild], Awaitable[Sequence[Block]]]
    """What the agent is shown besides the inputs, the same at every step."""
    upstream: UpstreamRepository
    guarded: Callable[[StageBuild], Callable[[str], str]]
    """Why a path that is otherwise free may not be written; empty when it may."""
    given: Callable[[StageBuild], Callable[[Finding], bool]] = lambda site: lambda finding: False
    """Whether a finding is in a file that stays as it is, such as a given test, and does not count."""
    way_out: str = ""
    """What else than undoing helps when all findings are in files the role may not write; their names follow."""
    inputs: Callable[[Run], Sequence[Block]] = input_blocks
    """The request and what was accepted before, as far as `told` does not say the same."""
    sight: Callable[[StageBuild, ToolContext, str], Sight] = lambda site, context, path: "all"
    """How much of a file the agent has seen: it changes none it has not seen, and deletes none it saw in part."""
    prompt: str = ""
    """The prompt file; the one named after the stage when empty."""
    role: str = ""
    """Who works; the role of the stage when empty."""
    asks: Callable[[Run, Stage, End], NeedsPerson | Refused] = lambda run, stage, end: NeedsPerson(
        questions.unfinished(run, stage, end)
    )
    """What becomes of work that ended without being handed in."""
    refuted: Callable[[Memory], bool] = lambda memory: memory.refuted >= REFUTED
    """Whether held-back cases failed as often as they may."""
    tries: int = 0
    """Hand-ins that may fail before the work is refused; 0 for any number."""
    tests: bool = False
    now: Callable[[StageBuild, FileTree], Awaitable[Sequence[Block]]] = _nothing_more
    """What the agent is shown of the files as they are at this step."""
    check: Callable[[Run, Stage], None] = lambda run, stage: None
    """Looks at the record after a measurement that failed; raises a Stop when a person has to help."""


class BuildView(NamedTuple):
    """One stage's work, as the record tells it."""

    handed: bool = False
    """The agent's last action handed something in."""
    outcome: Literal["", "pass", "fail"] = ""
    """How the exit stood when that was measured; empty when it was not."""
    end: End | None = None
    """How the agent's work ended without being handed in."""
    circles: str = ""
    refuted: bool = False
    """Held-back cases failed as often as they may."""
    refused: bool = False
    """The exit failed as often as it may."""


class ActTurn(NamedTuple):
    """Let the agent work."""


class MeasureTurn(NamedTuple):
    """Measure what was handed in."""


def next_turn(view: BuildView) -> ActTurn | MeasureTurn | Done | Halt:
    """What comes next in a stage that writes files."""
    if view.end is not None:
        return Done("ended")
    if not view.handed:
        return ActTurn()
    if view.outcome == "":
        return MeasureTurn()
    if view.outcome == "pass":
        return Done("passed")
    if view.refuted:
        return Done("refuted")
    if view.refused:
        return Done("refused")
    return Done("circles") if view.circles else ActTurn()


def seen(memory: Memory, exit: Measured | None, tree: str) -> tuple[bool, Literal["", "pass", "fail"]]:
    """Whether the last action handed something in, and how the exit stood on these very files since."""
    last = memory.recent[-1] if memory.recent else None
    if last is None or last.tool != "complete" or last.outcome != "ok" or not last.output:
        return False, ""
    if exit is None or exit.step < last.step or exit.outcome not in ("pass", "fail"):
        return True, ""
    if exit.outcome == "pass" and exit.tree != tree:
        return True, ""
    return True, "pass" if exit.outcome == "pass" else "fail"


class Passed(NamedTuple):
    """What holds: what was handed in, with the exit that was measured."""

    handed: JsonObject
    exit: ExitReport
    commit: str
    """The commit of it; empty when nothing was changed."""


class Refused(NamedTuple):
    """The exit did not hold as often as it may."""

    why: str


async def build(run: Run, stage: Stage, plan: CodeStage) -> Produced | NeedsPerson:
    """One round of a stage that writes files."""
    async with open_build(run, stage, plan) as work:
        done = await work.until_it_holds()
        if isinstance(done, NeedsPerson):
            return done
        if isinstance(done, Refused):
            raise Stop(StopReason.bug, f"{stage.name} refuses what it does not limit: {done.why}")
        artifact = await plan.artifact(work.site, done.handed, done.exit)
        return Produced(run.record.put(artifact), _answered(run, stage))


def _answered(run: Run, stage: Stage) -> tuple[str, ...]:
    return tuple(issue for item in run.record.stage(stage.name).feedback for issue in item.ids)


@asynccontextmanager
async def open_build(run: Run, stage: Stage, plan: CodeStage) -> AsyncIterator[Build]:
    """The work of one round, with the workspace as it must be when it begins."""
    session = await run.session()
    if session is None:
        raise Stop(StopReason.bug, f"{stage.name} has no session to build in")
    site = await plan.upstream.enter(StageBuild(run, stage, session, ""))
    known = frozenset(await session.workspace.paths(site.before))
    red = writes(stage) == TESTS
    context = ToolContext(
        await session.view(),
        session,
        edit=lambda context, edits: writing.write(run, stage, context, edits, red=red or plan.tests),
        own=lambda path: path not in known,
        start=site.before,
        only_own=red,
        way_out=plan.way_out,
    )
    try:
        yield Build(site, plan, context)
    finally:
        await context.tree.close()


class Build:
    """One round at work."""

    def __init__(self, site: StageBuild, plan: CodeStage, context: ToolContext) -> None:
        self.site, self.plan, self.context = site, plan, context
        self.run, self.stage = site.run, site.stage
        self.agent: Agent = site.run.library.agent(plan.role or site.stage.role)
        self.end: End | None = None
        self.circles = ""
        self.tree = ""
        self.failures = 0

    async def until_it_holds(self) -> Passed | Refused | NeedsPerson:
        """Turn after turn; what holds is committed."""
        bridge, brief = await self._bridge(), await self._brief()
        self.tree = await self.site.session.workspace.tree()

        async def run_turn(turn: ActTurn | MeasureTurn) -> None:
            if isinstance(turn, MeasureTurn):
                await self._measure()
            else:
                end = await take_up(self.run, self.agent, self.stage, brief=brief, bridge=bridge)
                self.end = end if end.artifact is None else None
            self.tree = await self.site.session.workspace.tree()

        while True:
            done = await drive(self._view, next_turn, run_turn)
            if done.how != "passed":
                return self._over(done.how)
            if await self._still_holds():
                return await self._finish()

    async def _still_holds(self) -> bool:
        """Whether the exit holds for the files with everything a person has changed until now."""
        measured, renewed = self.tree, await self.plan.upstream.renew(self.site)
        if isinstance(renewed, str):
            await self._begin_again(renewed)
        else:
            self.site = renewed
        self.tree = await self.site.session.workspace.tree()
        return self.tree == measured and not isinstance(renewed, str)

    def _view(self) -> BuildView:
        memory, exit = self.run.record.memory(self.stage.name), self._exit()
        handed, outcome = seen(memory, exit, self.tree)
        if outcome == "fail" and exit and exit.facts.get(RULED, "") != ruled(self.run):
            outcome = ""
        return BuildView(
            handed,
            outcome,
            end=self.end,
            circles=self.circles,
            refuted="held_back_cases" in self._failing() and self.plan.refuted(memory),
            refused=bool(self.plan.tries) and memory.failed >= self.plan.tries,
        )

    def _exit(self) -> Measured | None:
        return self.run.record.stage(self.stage.name).measured.get("exit")

    def _failing(self) -> dict[str, str]:
        """The conditions that did not hold when the exit was last measured."""
        exit = self._exit()
        return {c.name: c.detail for c in exit.criteria if c.outcome == "fail"} if exit else {}

    def _over(self, how: str) -> Refused | NeedsPerson:
        if how == "ended":
            return self.plan.asks(self.run, self.stage, self.end or End())
        if how == "circles":
            return self.plan.asks(self.run, self.stage, End(circles=self.circles))
        if how == "refuted":
            return self.plan.asks(self.run, self.stage, End(refuted=question(self.run, self.stage)))
        told = "; ".join(f"{name}: {detail}" for name, detail in self._failing().items())
        return Refused(told or "the exit does not hold")

    async def _bridge(self) -> Bridge:
        named, linked = specified(self.run), behind(await self.context.tree.links())
        guarded, sight = self.plan.guarded(self.site), partial(self.plan.sight, self.site, self.context)
        bridge = self.run.bridge(
            self.agent.role,
            self.context,
            is_test=self.site.session.is_test,
            refusal=lambda path: (
                refusal(path, self.stage, guarded, named=named, linked=linked) or must_read(path, sight(path))
            ),
        )
        self.context.kept = lambda path: must_read(path, sight(path), whole=True)
        self.context.may_write, self.context.given = bridge.may_write, self.plan.given(self.site)
        return bridge

    async def _brief(self) -> Brief:
        blocks = [*await self.plan.told(self.site), *self.plan.inputs(self.run)]
        prompt = self.run.library.catalog.render(self.plan.prompt or prompt_name(self.stage))
        return Brief(prompt, blocks, self.plan.contract, now=lambda: self.plan.now(self.site, self.context.tree))

    async def _measure(self) -> None:
        """Measure the exit and put it on record; what is broken is for a person."""
        renewed = await self.plan.upstream.renew(self.site)
        if isinstance(renewed, str):
            await self._begin_again(renewed)
            return
        self.site = renewed
        exit = await self._measured()
        if rulings := ruled(self.run):
            exit.fact(**{RULED: rulings})
        record(self.site, exit)
        if exit.outcome == "broken":
            raise Stop(StopReason.check_broken, "; ".join(f"{c.name}: {c.detail}" for c in exit.failed)[:500])
        if exit.outcome == "fail":
            self.plan.check(self.run, self.stage)
            self.circles = check_loops(self.run, self.stage)

    async def _begin_again(self, why: str) -> None:
        """What the agent made is of files that are no more: it is told, and nothing of it counts."""
        self.site = await self.plan.upstream.enter(self.site)
        await writing.show(self.context, self.site.session)
        exit = ExitReport(await self.site.session.workspace.tree())
        exit.require("starts_over", [why])
        exit.fact(starts_over=True)
        record(self.site, exit)

    async def _measured(self) -> ExitReport:
        """Measured now; what does not keep its contract is not looked at further."""
        run, handed = self.run, handed_in(self.run, self.stage, self.plan.contract)
        problems = check(handed, run.library.contracts[self.plan.contract], run.given())
        if problems:
            exit = ExitReport(await self.site.session.workspace.tree())
            exit.require("handed_in", [f"{p.where}: {p.what}" for p in problems])
            return exit
        async with run.lock:
            return await run_until_aborted(
                run.record.journal, run.people.drain_inbox, self.plan.measure(self.site, handed)
            )

    async def _finish(self) -> Passed:
        known = self._exit()
        if known is None:
            raise Stop(StopReason.bug, f"{self.stage.name} passed without an exit")
        report = self.run.record.artifact(known.report or "") or {}
        exit = ExitReport(known.tree, list(known.criteria), dict(known.facts), report)
        handed = handed_in(self.run, self.stage, self.plan.contract)
        return Passed(handed, exit, await self._commit(handed))

    async def _commit(self, handed: JsonObject) -> str:
        """One commit for the stage, on top of what it builds on; none when nothing was changed."""
        workspace, run = self.site.session.workspace, self.run
        tree = await workspace.tree()
        known = run.record.stage(self.stage.name).commit
        if not await workspace.changes(self.site.before, tree) or (known and await workspace.tree_of(known) == tree):
            return known
        run.record.journal.log.check_lease()
        commit = await self.plan.upstream.commit(self.site, tree=tree, message=self.plan.message(self.site, handed))
        await writing.put_commit(run, self.stage, self.site.session, commit)
        return commit


def record(site: StageBuild, exit: ExitReport) -> None:
    """Every condition with how it stands, and what was found in full."""
    run, stage = site.run, site.stage
    mine = run.record.stage(stage.name)
    whole = Measured(
        stage=stage.name,
        round=mine.round,
        step=run.record.journal.state.used.steps,
        what="exit",
        outcome=exit.outcome,
        summary=exit.summary(),
        criteria=tuple(exit.criteria),
        facts=exit.facts,
        tree=exit.tree,
        report=run.record.put(exit.report),
    )
    for refuted in (c for c in exit.failed if c.name == "held_back_cases"):
        short = {"what": "held_back", "outcome": "fail", "summary": refuted.detail, "criteria": (), "facts": {}}
        run.record.journal.append(whole.model_copy(update=short))
    run.record.journal.append(whole)
