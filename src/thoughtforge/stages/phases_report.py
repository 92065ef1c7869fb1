"""How a change plan was implemented, for people and programs; everything is from the record."""

from __future__ import annotations

from thoughtforge.agent.run import Run
from thoughtforge.forge.notes_view import deviations
from thoughtforge.forge.plan import PLAN, ChangePlan
from thoughtforge.kernel.model import Criterion, JsonObject
from thoughtforge.people.exchanges import EXCHANGES


def report(run: Run) -> JsonObject:
    """How the plan was implemented, from the record."""
    plan = run.record.journal.of(PLAN)
    rows = [
        {
            "id": one.id,
            "title": one.title,
            "status": one.status,
            "commit": one.git_commit,
            "files": list(one.modified_files or ()),
            "evidence": [f"{c.name}: {c.outcome}: {c.detail}" for c in _evidence(plan, one.id)],
        }
        for one in plan.phases
    ]
    last = plan.closing[-1].findings if plan.closing else ()
    return {
        "plan": run.record.task.id,
        "commit": plan.commits[-1] if plan.commits else "",
        "phases": rows,
        "deviations": deviations(plan).splitlines(),
        "findings": [f"{one.id} {one.severity}: {one.title or one.description}" for one in last],
    }


def _evidence(plan: ChangePlan, phase: str) -> tuple[Criterion, ...]:
    return plan.facts[phase].evidence if phase in plan.facts else ()


def answered(run: Run) -> str:
    """What people were asked in the phases of a plan, and what they answered."""
    rows = []
    for one in run.record.journal.of(EXCHANGES).questions.values():
        asked = "; ".join(question.text for question in one.asked.questions) or one.asked.summary
        said = "; ".join(one.answers.values()) or one.choice
        rows += [f"- {one.asked.id}: {asked}\n  {one.by or 'a person'}: {said}"] if said else []
    return "\n".join(rows)
