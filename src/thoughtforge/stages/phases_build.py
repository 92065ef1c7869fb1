"""One phase that reads or writes: worked on by an agent, measured, committed, put on record."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from textwrap import fill
from typing import NoReturn

from thoughtforge.agent import questions
from thoughtforge.agent.context import Block
from thoughtforge.agent.run import Run
from thoughtforge.agent.stage_runner import run_agent
from thoughtforge.agent.steps import Brief, End, finished
from thoughtforge.code.session import CodeSession
from thoughtforge.code.tool_context import ToolContext
from thoughtforge.coding.building import CodeStage, Refused, StageBuild, open_build
from thoughtforge.forge.events import FileNeeded, PhaseEnded
from thoughtforge.forge.phase import PlanPhase
from thoughtforge.forge.plan import PLAN
from thoughtforge.kernel.errors import Stop, UserError
from thoughtforge.kernel.model import Digest, Escalation, JsonObject, Question, Stage
from thoughtforge.kernel.ports import NeedsPerson
from thoughtforge.kernel.stops import StopReason
from thoughtforge.stages.phases_exit import elsewhere, measure_phase
from thoughtforge.stages.phases_material import at_hand_now, changed_before, phase_blocks
from thoughtforge.workspaces.changes import digest_of

WIDTH = 72
"""Characters of a line in a commit's message."""
TRIES = 4
"""Hand-ins of a phase that may fail before it has failed."""
NEEDS = "hand in `needs`, if the plan itself causes it, with"
"""The way out of findings in files that a phase may not change."""


class PersonAsked(Exception):
    """A phase cannot go on without a person; the stage ends with the question."""

    def __init__(self, question: NeedsPerson) -> None:
        super().__init__(question.escalation.summary)
        self.question = question


class PhaseBranch:
    """What phases build on: the commit of the phase before, in the plan's own workspace. Files stay as they are."""

    async def enter(self, site: StageBuild) -> StageBuild:
        """On top of the last commit."""
        plan = site.run.record.journal.of(PLAN)
        return site._replace(before=plan.commits[-1] if plan.commits else site.run.record.task.base_commit)

    async def renew(self, site: StageBuild) -> StageBuild:
        """Nothing comes in while a phase works."""
        return site

    async def commit(self, site: StageBuild, *, tree: str, message: str) -> str:
        """A commit in the workspace alone."""
        workspace = site.session.workspace
        when = site.run.record.journal.state.time
        return await workspace.commit(
            tree, message=message, parents=(site.before,), author=site.session.person, when=when
        )


async def open_session(run: Run) -> CodeSession:
    """The workspace and its tools, opened at the first phase."""
    session = await run.session()
    if session is None:
        raise Stop(StopReason.bug, "this plan has no workspace")
    return session


async def read(run: Run, stage: Stage, phase: PlanPhase) -> None:
    """An agent with tools that only read; what it notes goes to the phases after it."""
    found = finished(run, stage)
    if found is None:
        session, agent = await open_session(run), run.library.agent("drafter")
        brief = Brief(run.library.catalog.render("phase-read"), list(phase_blocks(run, phase)), "phase_notes")
        tree = await session.view()
        try:
            bridge = run.bridge(agent.role, ToolContext(tree))
            ended = await run_agent(run, agent, stage, brief=brief, bridge=bridge)
        finally:
            await tree.close()
        if ended.artifact is None:
            raise PersonAsked(NeedsPerson(questions.unfinished(run, stage, ended)))
        found = ended.artifact
    run.record.journal.append(
        PhaseEnded(stage=stage.name, phase=phase.id, outcome="done", output=str(found.get("notes", "")))
    )


async def implement(run: Run, stage: Stage, phase: PlanPhase) -> None:
    """An agent changes the files of the phase until its exit holds; then one commit."""
    await open_session(run)
    async with open_build(run, stage, phase_plan(run, phase)) as work:
        done = await work.until_it_holds()
        if isinstance(done, NeedsPerson):
            raise PersonAsked(done)
        if isinstance(done, Refused):
            await fail(work.site, phase, done.why)
            return
    await end(run, stage, phase, handed=done.handed)


def phase_plan(run: Run, phase: PlanPhase) -> CodeStage:
    """How the engine runs such a phase."""
    return CodeStage(
        contract="phase_work",
        measure=lambda site, handed: measure_phase(site, handed, phase),
        artifact=_nothing,
        message=lambda site, handed: message(run, phase.id, phase.title, handed),
        told=lambda site: _told(site, phase),
        now=lambda site, tree: at_hand_now(site, tree, allowed_files(run, phase), spec=phase.change_spec),
        inputs=lambda run: (),
        upstream=PhaseBranch(),
        guarded=lambda site: only(allowed_files(run, phase), phase.id),
        given=lambda site: elsewhere(site.session, allowed_files(run, phase)),
        way_out=NEEDS,
        prompt="phase-implement",
        role="implementer",
        asks=unfinished,
        tries=TRIES,
        check=lambda run, stage: ask_for_files(run, stage, phase),
    )


async def _nothing(site: StageBuild, handed: JsonObject, exit: object) -> JsonObject:
    return {}


async def _told(site: StageBuild, phase: PlanPhase) -> Sequence[Block]:
    return [*phase_blocks(site.run, phase), *await changed_before(site, phase)]


def allowed_files(run: Run, phase: PlanPhase) -> tuple[str, ...]:
    """The files a phase may change; none named means all of them."""
    plan = run.record.journal.of(PLAN)
    return (*phase.context_files, *plan.allowed(phase.id)) if phase.context_files else ()


def only(files: Sequence[str], phase: str) -> Callable[[str], str]:
    """Why a phase may not write a path; empty when it may."""
    named = frozenset(files)

    def refused(path: str) -> str:
        if not named or path in named:
            return ""
        return f"{path} is not among the files of {phase}; when the plan cannot do without it, hand in `needs`"

    return refused


def message(run: Run, phase: str, title: str, handed: JsonObject) -> str:
    """The message of a commit: the plan, the phase, what was done, who wrote it."""
    agent = run.library.agent("implementer")
    plan = run.record.task.id
    trailers = [
        f"Assisted-by: {agent.role.name}/{agent.provider}/{agent.model.model}",
        f"ThoughtForge-Task: {plan}",
    ]
    done = fill(" ".join(str(handed.get("summary", "")).split()), WIDTH)
    body = [done, ""] if done else []
    return "\n".join([f"{plan} {phase}: {' '.join(title.split())}", "", *body, *trailers, ""])


def unfinished(run: Run, stage: Stage, ended: End) -> NeedsPerson | Refused:
    """A question is a person's to answer; an agent that goes round or has no step left has failed the phase."""
    if ended.question:
        return NeedsPerson(questions.from_agent(run, stage, ended.question))
    exit = run.record.stage(stage.name).measured.get("exit")
    left = [f"{c.name}: {c.detail}" for c in exit.criteria if c.outcome == "fail"] if exit is not None else []
    return Refused("; ".join([*left, ended.circles or "the agent handed nothing in"]))


def ask_for_files(run: Run, stage: Stage, phase: PlanPhase) -> None:
    """A hand-in that names another file stops the phase until a person has said yes or no."""
    handed = run.record.memory(stage.name).handed
    wanted = (run.record.artifact(handed[-1]) or {}).get("needs") if handed else None
    allowed = allowed_files(run, phase)
    needs = [one for one in wanted or () if one["path"] not in allowed]
    asked = {one.path for one in run.record.journal.of(PLAN).needed.values() if one.phase == phase.id}
    fresh = [one for one in needs if one["path"] not in asked]
    if fresh:
        _ask(run, stage, phase, fresh[0])


def _ask(run: Run, stage: Stage, phase: PlanPhase, need: Mapping[str, str]) -> NoReturn:
    number = run.record.state.raised + 1
    path, reason = need["path"], need["reason"]
    summary = f"{phase.id} needs {path}, which is not among its files: {reason}"
    text = f"May {phase.id} change {path}? Accept, or answer what to do instead."
    escalation = Escalation(
        id=f"E-{number}",
        stage=stage.name,
        reason="agent_question",
        summary=summary[:400],
        questions=(Question(id=f"Q-{100 * number + 1:03}", text=text, proposal=f"--accept to allow {path}"),),
        choices=("answer", "accept", "abort"),
    )
    run.record.journal.append(
        FileNeeded(stage=stage.name, phase=phase.id, path=path, reason=reason, escalation=escalation.id)
    )
    raise PersonAsked(NeedsPerson(escalation))


async def end(run: Run, stage: Stage, phase: PlanPhase, *, handed: JsonObject | None = None) -> None:
    """Put a phase that holds on record, as its last measurement says."""
    plan = run.record.journal.of(PLAN)
    exit = run.record.stage(stage.name).measured.get("exit")
    report = run.record.artifact(exit.report or "") if exit is not None else None
    at_work = plan.phase(phase.id)
    run.record.journal.append(
        PhaseEnded(
            stage=stage.name,
            phase=phase.id,
            outcome="done",
            commit=at_work.git_commit if at_work is not None else "",
            files=tuple((report or {}).get("changed", ())),
            output=str((handed or _handed(run, stage)).get("summary", "")),
            evidence=exit.criteria if exit is not None else (),
            owed=tuple((report or {}).get("owed", ())),
        )
    )


def _handed(run: Run, stage: Stage) -> JsonObject:
    handed = run.record.memory(stage.name).handed
    return (run.record.artifact(handed[-1]) or {}) if handed else {}


async def fail(site: StageBuild, phase: PlanPhase, why: str) -> None:
    """Put a failed phase on record with what it left, so that a retry can take exactly that back."""
    workspace = site.session.workspace
    changes = await workspace.changes(site.before, await workspace.tree())
    paths = list(dict.fromkeys(path for change in changes for path in (change.path, change.old_path) if path))
    folder, allowed = workspace.folder, allowed_files(site.run, phase)
    exit = site.run.record.stage(site.stage.name).measured.get("exit")
    site.run.record.journal.append(
        PhaseEnded(
            stage=site.stage.name,
            phase=phase.id,
            outcome="failed",
            files=tuple(paths),
            hashes={path: digest_now(folder, path) or "" for path in paths},
            untouched={path: digest_now(folder, path) or "" for path in allowed if path not in paths},
            error=why[:1000],
            evidence=exit.criteria if exit is not None else (),
        )
    )


def digest_now(folder: Path, path: str) -> Digest | None:
    """The digest of a plain file; empty when there is none, None for what is no plain file."""
    try:
        return digest_of(folder, path) or ""
    except UserError:
        return None
