"""The turns of a forge: research, draft, audit and revision; each ends with one fact on record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Literal, NamedTuple

from thoughtforge.agent.asking import PromptRequest, answer, ask
from thoughtforge.agent.frame import listed_notes
from thoughtforge.agent.run import Run
from thoughtforge.agent.stage_runner import run_agent
from thoughtforge.agent.steps import Brief, finished
from thoughtforge.forge import events as f
from thoughtforge.forge.audit_log import with_review
from thoughtforge.forge.draft_text import drafted
from thoughtforge.forge.findings import AuditFinding, identified, surviving
from thoughtforge.forge.meaning import meaning_hash
from thoughtforge.forge.place import began, digest_of, settled, whole
from thoughtforge.forge.plan import PLAN, ChangePlan, findings, points
from thoughtforge.forge.plan_file import body_of, with_sections
from thoughtforge.forge.preflight import limits, preflight
from thoughtforge.forge.reading import PlanReading
from thoughtforge.forge.severity_words import worst
from thoughtforge.forge.structure import key_of, sections_of
from thoughtforge.forge.template import echoes, filled
from thoughtforge.forge.verdict import AuditVerdict, parse_verdict
from thoughtforge.kernel.events import WarningGiven
from thoughtforge.kernel.model import Criterion, Digest, JsonObject, Stage
from thoughtforge.stages.forge_material import (
    asked_block,
    commands_block,
    files_block,
    lessons_block,
    named_part,
    part_block,
    parts,
    plan_block,
    probes_block,
    quoted_block,
    raised_block,
    research_block,
    steps_block,
)
from thoughtforge.stages.forge_probes import probe, refuted

AuditOutcome = Literal["pass", "revise", "cap_reached", "unparsed", "surviving"]
UNREADABLE = "nothing in it could be read as a verdict; answer with the object alone, each finding with its severity"


async def research(run: Run, stage: Stage) -> None:
    """A bounded turn with tools that only read; what was noted counts when the steps end before the agent does."""
    found = finished(run, stage)
    if found is None:
        agent = run.library.agent("drafter")
        steps = run.library.config.plan.research_steps
        prompt = run.library.catalog.render("forge-research", steps=str(steps))
        now = partial(steps_block, run, stage, steps)
        brief = Brief(prompt, [asked_block(run)], "change_plan_research", steps=steps, now=now)
        end = await run_agent(run, agent, stage, brief=brief, bridge=run.bridge(agent.role))
        found = end.artifact
    notes = list(run.record.memory(stage.name).notes)
    found = ({**found, "notes": notes} if notes else found) if found else _noted(run, stage)
    run.record.journal.append(f.PlanResearched(stage=stage.name, notes=run.record.put(found)))


def _noted(run: Run, stage: Stage) -> JsonObject:
    memory = run.record.memory(stage.name)
    files = [{"path": path, "why": "it was read"} for path in memory.opened]
    return {"summary": listed_notes(memory.notes) or "The research ended without notes.", "files": files}


async def draft(run: Run, stage: Stage) -> None:
    """The plan in one answer without tools; one that says what the template says is refused."""
    plan = run.record.journal.of(PLAN)
    before, template = whole(run.record.blobs, plan), began(run.record.blobs, plan)
    own = filled(before, template)
    job = PromptRequest(
        name="forge-draft",
        prompt="forge-draft",
        contract="change_plan_draft",
        key=f"{stage.name}/draft-{len(plan.texts)}-{len(plan.refused)}",
        blocks=[
            asked_block(run),
            research_block(run, plan),
            await quoted_block(run, plan, role="drafter"),
            await lessons_block(run),
            commands_block(run),
            *([plan_block(run, plan)] if own else []),
            files_block(run),
        ],
        variables={"refused": plan.refused[-1] if plan.refused else "", "own": ", ".join(own)},
        conversation="drafter",
    )
    text = settled(drafted(before, (await ask(run, stage, job, role="drafter")).data, own=own))
    if why := _refused(text, template):
        run.record.journal.append(f.DraftRefused(why=why))
    else:
        write(run, text, by="drafter")


def _refused(text: str, template: str) -> str:
    """Why a draft is not taken; empty when it is."""
    body = body_of(text)
    if same := echoes(body, template):
        return f"it says what the template says in {', '.join(same)}"
    most = limits(text).body_lines
    if most is not None and len(body.splitlines()) > most:
        return f"it names at most two files and has {len(body.splitlines())} lines; such a plan has at most {most}"
    return ""


def write(run: Run, text: str, *, by: str, answers: Mapping[str, str] | None = None) -> None:
    """Put a new text of the plan on record."""
    kept = _keep(run, text)
    meaning = meaning_hash(run.record.blobs.get(kept).decode("utf-8", "replace"))
    written = {"text": kept, "meaning": meaning, "by": by, "answers": answers or {}}
    run.record.journal.append(f.PlanWritten.model_validate(written))


def _keep(run: Run, text: str) -> Digest:
    masked = run.library.masker.text(text)
    run.record.put(masked)
    return digest_of(masked)


async def audit(run: Run, stage: Stage) -> None:
    """First the structure, without a model; then the auditor, asked once more when its answer cannot be read."""
    plan = run.record.journal.of(PLAN)
    text = whole(run.record.blobs, plan)
    wrong = preflight(text, name=plan.file, template=began(run.record.blobs, plan))
    if any(one.severity == "blocking" for one in wrong):
        _record(run, stage, AuditVerdict("blocking", True, wrong, "marker"), said="", engine=True)
        return
    tried = await probe(run, stage, text)
    read = parts(run, plan)
    wrong = (*wrong, *refuted(tried), *_not_read(read))
    answers = [await _part_asked(run, stage, plan, tried, read=read, part=number) for number in range(len(read.parts))]
    verdict = _together([one.verdict for one in answers])
    _record(run, stage, _with_ours(verdict, wrong), said="\n\n".join(one.said for one in answers), tried=tried)


class PartAnswer(NamedTuple):
    """What the auditor said to one part of a plan."""

    said: str
    verdict: AuditVerdict


def _not_read(read: PlanReading) -> tuple[AuditFinding, ...]:
    """An audit that did not read everything says so."""
    told = "No auditor read this: the plan is too long for the calls of one audit. Split the plan, or read it yourself."
    return tuple(AuditFinding("medium", told, place, "A part of the plan was not audited") for place in read.unread)


def _together(verdicts: Sequence[AuditVerdict]) -> AuditVerdict:
    """One verdict of all parts: the strictest counts, a point that was made twice once; one unreadable is all."""
    found = worst(one.max_severity for one in verdicts)
    chosen = [one for one in verdicts if one.unparsed] or [one for one in verdicts if one.max_severity == found]
    points = dict.fromkeys(point for one in verdicts for point in one.findings)
    return chosen[0]._replace(findings=tuple(points))


async def _part_asked(
    run: Run, stage: Stage, plan: ChangePlan, tried: Sequence[Criterion], *, read: PlanReading, part: int
) -> PartAnswer:
    """Ask about a part of the plan, once more when the answer cannot be read."""
    said = await _asked(run, stage, plan, tried, read=read, part=part, attempt=1)
    verdict = parse_verdict(said)
    if verdict.unparsed:
        said = await _asked(run, stage, plan, tried, read=read, part=part, attempt=2)
        verdict = parse_verdict(said)
    return PartAnswer(said, verdict)


def _with_ours(verdict: AuditVerdict, ours: tuple[AuditFinding, ...]) -> AuditVerdict:
    """The verdict with what the engine found; an answer that cannot be read stays one."""
    if not verdict.unparsed:
        found = worst((verdict.max_severity, *(one.severity for one in ours)))
        verdict = verdict._replace(max_severity=found, should_loop=verdict.should_loop or found == "blocking")
    return verdict._replace(findings=(*verdict.findings, *ours))


async def _asked(
    run: Run,
    stage: Stage,
    plan: ChangePlan,
    tried: Sequence[Criterion],
    *,
    read: PlanReading,
    part: int,
    attempt: int,
) -> str:
    several = len(read.parts) > 1
    job = PromptRequest(
        name="forge-audit",
        prompt="forge-audit",
        contract="change_plan_audit",
        key=f"{stage.name}/audit-{plan.numbered}-{len(plan.texts)}" + f"-part-{part + 1}" * several,
        blocks=[
            part_block(read.parts[part].text),
            asked_block(run),
            raised_block(plan),
            probes_block(tried),
            await quoted_block(run, plan, role="auditor"),
            files_block(run),
        ],
        variables={"part": f"{part + 1} of {len(read.parts)}" if several else ""},
        mode="review",
        conversation="auditor",
    )
    return await answer(run, stage, job, role="auditor", attempt=attempt, wrong=UNREADABLE if attempt > 1 else "")


def _record(
    run: Run,
    stage: Stage,
    verdict: AuditVerdict,
    *,
    said: str,
    engine: bool = False,
    tried: Sequence[Criterion] = (),
) -> None:
    """The audit with the ids of its findings, what follows from it, and the file with one more review."""
    plan = run.record.journal.of(PLAN)
    found = identified([*(findings(one.findings) for one in plan.audits), verdict.findings])
    number = len(plan.audits) + 1
    outcome = _outcome(run, verdict, found, number)
    agent = run.library.agent("auditor")
    auditor = "the engine" if engine else f"{agent.provider}/{agent.model.model}"
    notes = "\n".join([*_probed(tried), _notes(found[-1], outcome, said)])
    text = with_review(whole(run.record.blobs, plan), notes, title=f"{outcome.replace('_', ' ')}, by {auditor}")
    run.record.journal.append(
        f.PlanAudited(
            stage=stage.name,
            round=number,
            answer=run.record.put(said) if said else None,
            severity=verdict.max_severity,
            source="engine" if engine else verdict.source,
            findings=points(found[-1]),
            text=_keep(run, settled(text)),
            outcome=outcome,
            auditor=auditor,
        )
    )


def _outcome(run: Run, verdict: AuditVerdict, found: tuple[tuple[AuditFinding, ...], ...], number: int) -> AuditOutcome:
    if verdict.unparsed:
        return "unparsed"
    if not verdict.should_loop:
        return "pass"
    if surviving(found):
        return "surviving"
    return "cap_reached" if number >= run.library.config.plan.audit_rounds else "revise"


def _probed(tried: Sequence[Criterion]) -> list[str]:
    """Each assumption with what trying it showed."""
    rows = [f"- {one.name}: {one.outcome.replace('_', ' ')}: {one.detail}" for one in tried]
    return ["Assumptions, as the engine tried them:", *rows, ""] if rows else []


def _notes(found: tuple[AuditFinding, ...], outcome: AuditOutcome, said: str) -> str:
    """What people read of an audit."""
    rows = [
        f"- {one.line()}\n  {one.description}" + (f"\n  → {one.recommendation}" * bool(one.recommendation))
        for one in found
    ]
    told = {
        "pass": "VERDICT: nothing blocks.",
        "revise": "VERDICT: revise.",
        "cap_reached": "VERDICT: CAP_REACHED",
        "surviving": "VERDICT: the same finding stood through two revisions.",
        "unparsed": f"VERDICT: none could be read. The answer was:\n\n{said.strip()[:4000]}",
    }[outcome]
    return "\n".join([*rows, *([""] if rows else []), told])


async def revise(run: Run, stage: Stage) -> None:
    """The sections that settle what blocks; every other section stays, and so does one that was not shown whole."""
    plan = run.record.journal.of(PLAN)
    text, shown = whole(run.record.blobs, plan), named_part(run, plan)
    job = PromptRequest(
        name="forge-revise",
        prompt="forge-revise",
        contract="change_plan_revision",
        key=f"{stage.name}/revise-{plan.numbered}-{len(plan.texts)}",
        blocks=[
            part_block(shown.text),
            raised_block(plan, why=True),
            asked_block(run),
            await quoted_block(run, plan, role="reviser"),
            commands_block(run),
            files_block(run),
        ],
        conversation="drafter",
    )
    found = await ask(run, stage, job, role="reviser")
    new = {str(one["heading"]).lstrip("# ").strip(): str(one["text"]) for one in found.data["sections"]}
    seen = {*map(key_of, shown.whole)}
    blind = [one.name for one in sections_of(text) if one.key not in seen and one.key in map(key_of, new)]
    if blind:
        told = f"the revision of {', '.join(blind)} does not count: it is too long to be shown whole; edit it yourself"
        run.record.journal.append(WarningGiven(text=told, code="plan_section"))
    kept = {name: below for name, below in new.items() if key_of(name) not in map(key_of, blind)}
    answers = {str(one["id"]): str(one["answer"]) for one in found.data.get("answers") or ()}
    write(run, settled(with_sections(text, kept)), by="reviser", answers=answers)
