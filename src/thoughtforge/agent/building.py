"""The loop of every stage that writes files: an agent steps, the engine measures until the exit holds, and commits."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from thoughtforge.agent import questions, writing
from thoughtforge.agent.acting import Brief, circles, finished
from thoughtforge.agent.context import Block
from thoughtforge.agent.frame import input_blocks
from thoughtforge.agent.means import Means
from thoughtforge.agent.supplying import supply
from thoughtforge.agent.territory import behind, refusal
from thoughtforge.agent.watching import watched
from thoughtforge.agent.work import work as take_up
from thoughtforge.contracts.validate import check
from thoughtforge.kernel.errors import Stop
from thoughtforge.kernel.events import Measured
from thoughtforge.kernel.model import JsonObject, Stage
from thoughtforge.kernel.ports import Asked, Made
from thoughtforge.kernel.stops import StopReason
from thoughtforge.workshop.desk import Desk
from thoughtforge.workshop.exit import Exit
from thoughtforge.workshop.workshop import Workshop
from thoughtforge.workspaces.events import CommitMade
from thoughtforge.workspaces.past import built_on, untouched

REFUTED = 2
"""Times held-back cases may fail before a person is asked."""


class Site(NamedTuple):
    """Where one stage builds."""

    means: Means
    stage: Stage
    workshop: Workshop
    before: str
    """The commit the stage builds on."""


class Plan(NamedTuple):
    """What differs from stage to stage."""

    contract: str
    """Of what the agent hands in."""
    measure: Callable[[Site, JsonObject], Awaitable[Exit]]
    artifact: Callable[[Site, JsonObject, Exit], Awaitable[JsonObject]]
    message: Callable[[Site, Exit], str]
    """The commit's."""
    told: Callable[[Site], Awaitable[Sequence[Block]]]
    """What the agent is shown besides the inputs."""


async def build(means: Means, stage: Stage, plan: Plan) -> Made | Asked:
    """One round."""
    if means.workshop is None:
        raise Stop(StopReason.bug, f"{stage.name} has no workshop to build in")
    site = Site(means, stage, means.workshop, built_on(means.journal.state, stage.name))
    await _begin(site)
    await supply(means, stage, site.workshop)
    desk = await _desk(site)
    try:
        return await _until_it_holds(site, plan, desk)
    finally:
        await desk.tree.close()


async def _begin(site: Site) -> None:
    """A stage that starts afresh starts from what was committed, whatever an earlier attempt left."""
    if untouched(site.means.journal.state, site.stage.name):
        await site.workshop.workspace.reset(site.before)


async def _desk(site: Site) -> Desk:
    workshop = site.workshop
    known = frozenset(await workshop.workspace.paths(site.before))
    desk = Desk(await workshop.view(), workshop, own=lambda path: path not in known)
    desk.edit = lambda edits: writing.write(site.means, site.stage, desk, edits)
    return desk


async def _until_it_holds(site: Site, plan: Plan, desk: Desk) -> Made | Asked:
    means, stage = site.means, site.stage
    agent = means.agent(stage.role)
    is_test = site.workshop.is_test
    named, linked = specified(means), behind(await desk.tree.links())
    bridge = means.bridge(
        agent.role,
        desk,
        is_test=is_test,
        refusal=lambda path: refusal(path, stage, is_test, named=named, linked=linked),
    )
    blocks = [*await plan.told(site), *input_blocks(means)]
    brief = Brief(means.catalog.render(stage.name), blocks, plan.contract)
    while True:
        handed = _unmeasured(means, stage)
        if handed is None:
            end = await take_up(means, agent, stage, brief=brief, bridge=bridge)
            if end.artifact is None:
                return Asked(questions.unfinished(means, stage, end))
            handed = end.artifact
        outcome = await _measure(site, plan, handed)
        if outcome is not None:
            return outcome
        if round_about := circles(means, stage):
            return Asked(questions.no_progress(means, stage, round_about))


def specified(means: Means) -> frozenset[str]:
    """The files the specification names."""
    specification = means.accepted().get("specification", {})
    return frozenset([*specification.get("files_to_modify", []), *specification.get("files_to_create", [])])


def _unmeasured(means: Means, stage: Stage) -> JsonObject | None:
    """What was handed in and not measured, after a crash just there."""
    recent = means.memory(stage.name).recent
    exit = means.stage(stage.name).measured.get("exit")
    if exit is not None and recent and exit.step >= recent[-1].step and exit.outcome == "fail":
        return None
    return finished(means, stage)


async def _measure(site: Site, plan: Plan, handed: JsonObject) -> Made | Asked | None:
    """Measure the exit; None sends the agent back to work with what was found."""
    means, stage = site.means, site.stage
    exit = await _on_record(site)
    if exit is None:
        exit = await _exit(site, plan, handed)
        _record(site, exit)
    if exit.outcome == "broken":
        raise Stop(StopReason.check_broken, "; ".join(f"{c.name}: {c.detail}" for c in exit.failed)[:500])
    if exit.outcome == "pass":
        await _commit(site, plan, exit)
        artifact = await plan.artifact(site, handed, exit)
        return Made(means.put(artifact), _answered(means, stage))
    failed = [c.detail for c in exit.failed if c.name == "held_back_cases"]
    if failed and means.memory(stage.name).refuted >= REFUTED:
        return Asked(questions.held_back(means, stage, failed[0]))
    return None


async def _on_record(site: Site) -> Exit | None:
    """The passed exit of these very files, after a crash just there; measuring again would say the same."""
    recent = site.means.memory(site.stage.name).recent
    known = site.means.stage(site.stage.name).measured.get("exit")
    if known is None or known.outcome != "pass" or not recent or known.step < recent[-1].step:
        return None
    if known.tree != await site.workshop.workspace.tree():
        return None
    return Exit(known.tree, list(known.criteria), dict(known.facts), site.means.artifact(known.report or "") or {})


async def _exit(site: Site, plan: Plan, handed: JsonObject) -> Exit:
    """Measured now; what does not keep its contract is not looked at further."""
    means = site.means
    problems = check(handed, means.contracts[plan.contract], means.given())
    if problems:
        exit = Exit(await site.workshop.workspace.tree())
        exit.hold("handed_in", [f"{p.where}: {p.what}" for p in problems])
        return exit
    async with means.lock:
        return await watched(means.journal, means.absorb, plan.measure(site, handed))


def _answered(means: Means, stage: Stage) -> tuple[str, ...]:
    return tuple(issue for item in means.stage(stage.name).feedback for issue in item.ids)


def _record(site: Site, exit: Exit) -> None:
    """Every condition with how it stands, and what was found in full."""
    means, stage = site.means, site.stage
    mine = means.stage(stage.name)
    whole = Measured(
        stage=stage.name,
        round=mine.round,
        step=means.journal.state.used.steps,
        what="exit",
        outcome=exit.outcome,
        summary=exit.summary(),
        criteria=tuple(exit.criteria),
        facts=exit.facts,
        tree=exit.tree,
        report=means.put(exit.report),
    )
    for refuted in (c for c in exit.failed if c.name == "held_back_cases"):
        short = {"what": "held_back", "outcome": "fail", "summary": refuted.detail, "criteria": (), "facts": {}}
        means.journal.append(whole.model_copy(update=short))
    means.journal.append(whole)


async def _commit(site: Site, plan: Plan, exit: Exit) -> None:
    """One commit for the stage, on top of the stage before; none when nothing was changed."""
    workspace, means = site.workshop.workspace, site.means
    tree = await workspace.tree()
    known = means.stage(site.stage.name).commit
    if not await workspace.changes(site.before, tree) or (known and await workspace.tree_of(known) == tree):
        return
    means.journal.log.check_lease()
    commit = await workspace.commit(
        tree,
        message=plan.message(site, exit),
        parents=(site.before,),
        author=site.workshop.person,
        when=means.journal.state.time,
    )
    raw = means.blobs.put(await workspace.git.output("cat-file", "commit", commit), exact=True)
    means.journal.append(CommitMade(stage=site.stage.name, commit=commit, tree=tree, raw=raw))
