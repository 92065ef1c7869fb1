"""The closing phase: the change is read against the plan, its commands run, what blocks is fixed; then it is done."""

from __future__ import annotations

import shlex

from thoughtforge.agent.asking import PromptRequest, answer
from thoughtforge.agent.context import CODE, MEASURED, NOTES, SPECIFICATION, WHOLE, Block
from thoughtforge.agent.run import Run
from thoughtforge.code.commands import run as run_command
from thoughtforge.code.commands import shown, text_of
from thoughtforge.code.exit import ExitReport
from thoughtforge.code.session import CodeSession
from thoughtforge.coding.building import CodeStage, Passed, StageBuild, open_build
from thoughtforge.coding.building import record as record_exit
from thoughtforge.forge.events import PhaseAudited, PhaseEnded, PhaseFixed, PlanStop
from thoughtforge.forge.feasibility import PlanCommand, testing_of
from thoughtforge.forge.findings import AuditFinding, identified
from thoughtforge.forge.notes_view import deviations
from thoughtforge.forge.phase import PlanPhase
from thoughtforge.forge.place import whole
from thoughtforge.forge.plan import PLAN, ChangePlan, findings, points
from thoughtforge.forge.status import PlanStatus
from thoughtforge.forge.verdict import parse_verdict
from thoughtforge.kernel.errors import Stop, UserError
from thoughtforge.kernel.model import Criterion, JsonObject, Stage
from thoughtforge.kernel.ports import NeedsPerson
from thoughtforge.stages.closing_material import (
    commands_told,
    fix_at_hand,
    fixes_told,
    phases_told,
    raised_block,
    suite_told,
)
from thoughtforge.stages.forge_material import asked_block, plan_block
from thoughtforge.stages.forge_turns import UNREADABLE
from thoughtforge.stages.phases_begin import take_back
from thoughtforge.stages.phases_build import (
    PersonAsked,
    PhaseBranch,
    message,
    only,
    open_session,
    unfinished,
)
from thoughtforge.stages.phases_exit import elsewhere, owed
from thoughtforge.stages.phases_moves import lead
from thoughtforge.stages.phases_report import answered

OF_SUITE = ("no_test_owed", "tests")
"""What the tests of the repository are called among the rows of a closing audit."""
TRIES = 3
"""Hand-ins of a fix that may fail before it is refused."""


async def audit(run: Run, stage: Stage, phase: PlanPhase) -> None:
    """Run the commands of the plan and ask the auditor; what fails blocks like a finding."""
    lead(run, PlanStatus.auditing, why="the change is audited")
    await take_back(run, stage, phase)  # a fix that was refused is no part of the change
    session, plan = await open_session(run), run.record.journal.of(PLAN)
    number = len(plan.closing) + 1
    suite = ExitReport(await session.workspace.tree())
    await owed(suite, StageBuild(run, stage, session, ""), last=True)
    tested = (*await tests(session, whole(run.record.blobs, plan)), *suite.criteria)
    engine = suite_told(run, suite)
    said = await _asked(run, stage, plan, session, tested=tested, engine=engine, attempt=1)
    verdict = parse_verdict(said)
    if verdict.unparsed:
        said = await _asked(run, stage, plan, session, tested=tested, engine=engine, attempt=2)
        verdict = parse_verdict(said)
    ours = [_failed(one) for one in tested if one.outcome == "fail"]
    rounds = [findings(one.findings) for one in plan.closing]
    found = identified([*rounds, [*verdict.findings, *ours]], after=plan.known)[-1]
    agent = run.library.agent("auditor")
    blocks = verdict.should_loop or bool(ours)
    left = len(plan.fixes) < run.library.config.plan.fix_rounds
    run.record.journal.append(
        PhaseAudited(
            stage=stage.name,
            phase=phase.id,
            round=number,
            answer=run.record.put(said),
            severity="blocking" if ours else verdict.max_severity,
            source=verdict.source,
            findings=points(found),
            tested=tested,
            owed=tuple(suite.report["owed"]),
            outcome="failed" if verdict.unparsed or (blocks and not left) else "fix" if blocks else "pass",
            auditor=f"{agent.provider}/{agent.model.model}",
        )
    )


def _failed(one: Criterion) -> AuditFinding:
    if one.name in OF_SUITE:
        what = f"The tests of the repository do not hold: {one.detail}"
        return AuditFinding("blocking", what, "Testing", one.name, "Make every test pass that passed before the plan.")
    what = f"The command {one.name} did not do what the plan expects: {one.detail}"
    return AuditFinding("blocking", what, "Testing", one.name, "Make the command do what the plan expects.")


async def tests(session: CodeSession, text: str) -> tuple[Criterion, ...]:
    """Each command of the Testing section with what came of it; prose is shown as not run."""
    section = testing_of(text)
    found = [await _tried(session, one) for one in section.commands]
    if section.prose.strip():
        found.append(Criterion(name="prose", outcome="not_run", detail=" ".join(section.prose.split())[:300]))
    return tuple(found)


async def _tried(session: CodeSession, one: PlanCommand) -> Criterion:
    try:
        ended = await run_command(session, shlex.split(one.command))
    except (UserError, ValueError) as mistake:
        what = mistake.what if isinstance(mistake, UserError) else str(mistake)
        return Criterion(name=one.command, outcome="not_run", detail=what[:300])
    output = text_of(ended.stdout + ended.stderr)
    how = f"ended by the limit {ended.stopped}" if ended.stopped else f"exit {ended.code}"
    wrong = bool(ended.stopped) or (one.exit_code is not None and ended.code != one.exit_code)
    if one.output and one.output not in output:
        wrong, how = True, f"{how}, without {one.output!r}"
    told = f"{how}; {' '.join(shown(output.encode(), 200).split())}" if wrong else how
    return Criterion(name=one.command, outcome="fail" if wrong else "pass", detail=told)


async def _asked(
    run: Run,
    stage: Stage,
    plan: ChangePlan,
    session: CodeSession,
    *,
    tested: tuple[Criterion, ...],
    engine: str,
    attempt: int,
) -> str:
    now = await session.workspace.tree()
    diff = await session.workspace.diff(run.record.task.base_commit, now)
    job = PromptRequest(
        name="phase-audit",
        prompt="phase-audit",
        contract="change_plan_audit",
        key=f"{stage.name}/audit-{len(plan.commits)}-{len(plan.closing)}-{now[:8]}",
        blocks=[
            plan_block(run, plan),
            asked_block(run),
            Block("the change", diff, 30_000, floor=4_000, untrusted=True, need=CODE),
            Block(
                "what the commands of the plan said",
                commands_told(tested),
                1_500,
                floor=400,
                untrusted=True,
                need=MEASURED,
            ),
            Block("what the engine measured of the tests", engine, 800, floor=300, untrusted=True, need=MEASURED),
            Block("what each phase did", phases_told(plan), 2_000, floor=400, untrusted=True, need=NOTES),
            Block("what a person allowed beside the plan", deviations(plan), 800, floor=200, untrusted=True),
            Block("what a person answered", answered(run), 1_000, floor=300, untrusted=True, need=MEASURED),
            Block(
                "what the fixes did, in the words of whoever made them",
                fixes_told(plan),
                800,
                floor=200,
                untrusted=True,
            ),
            raised_block(plan),
        ],
        mode="review",
    )
    return await answer(run, stage, job, role="auditor", attempt=attempt, wrong=UNREADABLE if attempt > 1 else "")


async def fix(run: Run, stage: Stage, phase: PlanPhase) -> None:
    """Settle what blocks, in the files of the plan; one commit."""
    lead(run, PlanStatus.implementing, why="what the audit found is fixed")
    await open_session(run)
    plan = run.record.journal.of(PLAN)
    number = len(plan.fixes) + 1
    files = plan_files(plan)
    build = CodeStage(
        contract="phase_work",
        measure=lambda site, handed: _measure_fix(site, files),
        artifact=_nothing,
        message=lambda site, handed: message(run, phase.id, f"settle the audit, round {number}", handed),
        told=lambda site: _told(run, files),
        now=lambda site, tree: fix_at_hand(site, tree, files),
        inputs=lambda run: (),
        upstream=PhaseBranch(),
        guarded=lambda site: only(files, "the plan"),
        given=lambda site: elsewhere(site.session, files),
        prompt="phase-fix",
        role="implementer",
        asks=unfinished,
        tries=TRIES,
    )
    async with open_build(run, stage, build) as work:
        done = await work.until_it_holds()
    if isinstance(done, NeedsPerson):
        raise PersonAsked(done)
    commit, why = (done.commit, "") if isinstance(done, Passed) else ("", done.why)
    summary = str(done.handed.get("summary", "")) if isinstance(done, Passed) else ""
    run.record.journal.append(
        PhaseFixed(
            stage=stage.name,
            phase=phase.id,
            round=number,
            outcome="refused" if why else "done",
            commit=commit,
            why=why[:500],
            summary=summary[:1000],
        )
    )


def plan_files(plan: ChangePlan) -> tuple[str, ...]:
    """Every file the plan may change."""
    named = [path for one in plan.phases if one.kind == "implement" for path in one.context_files]
    return tuple(dict.fromkeys([*named, *plan.allowed()]))


async def _told(run: Run, files: tuple[str, ...]) -> list[Block]:
    plan = run.record.journal.of(PLAN)
    listed = "\n".join(f"- {path}" for path in files) or "- every file of the repository"
    return [
        raised_block(plan, blocking=True),
        Block("files you may change", listed, WHOLE, floor=WHOLE, need=MEASURED),
        Block("the plan", whole(run.record.blobs, plan), 2_000, floor=600, untrusted=True, need=SPECIFICATION),
    ]


async def _nothing(site: StageBuild, handed: JsonObject, exit: ExitReport) -> JsonObject:
    return {}


async def _measure_fix(site: StageBuild, files: tuple[str, ...]) -> ExitReport:
    from thoughtforge.code.green import gate, judged

    workspace = site.session.workspace
    exit = ExitReport(await workspace.tree())
    changes = await workspace.changes(site.before, exit.tree)
    exit.require("workspace_as_recorded", [f"{p} was changed past the tools" for p in await workspace.matches()])
    strange = [c.path for c in changes if files and c.path not in files]
    exit.require("only_its_files", [f"{path} is not among the files of the plan" for path in strange])
    found = site.session.judged(await site.session.gate.edit(judged(changes)))
    gate(exit, found, given=elsewhere(site.session, files))
    await owed(exit, site, last=True)
    return exit


async def end_audit(run: Run, stage: Stage, phase: PlanPhase) -> None:
    """Put the closing phase on record."""
    last = run.record.journal.of(PLAN).closing[-1]
    blocking = [f"{one.id} {one.title or one.description}" for one in last.findings if one.severity == "blocking"]
    why = "" if last.outcome == "pass" else "; ".join(blocking) or "the answer of the auditor could not be read"
    run.record.journal.append(
        PhaseEnded(
            stage=stage.name,
            phase=phase.id,
            outcome="failed" if why else "done",
            error=f"after {last.round} closing audits: {why}"[:1000] if why else "",
            output=f"worst finding: {last.severity}",
            evidence=last.tested,
            owed=last.owed,
        )
    )


async def finish(run: Run, stage: Stage) -> None:
    """Measure once more that the files are what was committed, and call the plan done."""
    session, plan = await open_session(run), run.record.journal.of(PLAN)
    workspace = session.workspace
    site = await PhaseBranch().enter(StageBuild(run, stage, session, ""))
    exit = ExitReport(await workspace.tree())
    moved = await workspace.changes(site.before, exit.tree)
    exit.require("everything_committed", [f"{change.path} is not in a commit" for change in moved])
    exit.require("workspace_as_recorded", [f"{p} was changed past the tools" for p in await workspace.matches()])
    if exit.outcome != "pass" and moved:  # what a skipped phase left is nobody's
        await workspace.reset(site.before)
        exit = ExitReport(await workspace.tree())
        exit.require("everything_committed", [], good="what a skipped phase left was put aside")
    if not plan.closing or plan.closing[-1].outcome != "pass":  # a person skipped the closing audit, which measures it
        await owed(exit, site, last=True)
    record_exit(site, exit)
    if exit.failed:
        why = "; ".join(one.detail for one in exit.failed)
        do = f"make its phases anew: thoughtforge plan phases {run.record.task.id} --regenerate"
        raise Stop(PlanStop.plan_failed, f"every phase is done or skipped, but {why}; {do}"[:1000])
    lead(run, PlanStatus.done, why="every phase is done or skipped")
