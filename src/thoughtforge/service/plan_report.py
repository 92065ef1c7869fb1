"""The report of an implemented change plan for people: phases, audits, what was allowed beside it, what it cost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from thoughtforge.forge.findings import AuditFinding
from thoughtforge.forge.notes_view import deviations, notes_of
from thoughtforge.forge.plan import ChangePlan, findings
from thoughtforge.kernel.state import State
from thoughtforge.views.tasks import cost


def plan_markdown(plan: ChangePlan, state: State) -> str:
    """The whole report."""
    task = state.the_task()
    at = f" at `{plan.commits[-1][:12]}`" if plan.commits else ""
    facts = [f"- {task.id}: {plan.status}", f"- branch `{state.branch}`{at}, from `{task.base_commit[:12]}`"]
    if task.labels:
        facts.append(f"- replies were {', '.join(task.labels)}: no model made them")
    parts = [
        f"# {_flat(plan.title)}",
        "\n".join(facts),
        *_section("Phases", notes_of(plan)),
        *_section("Audits of the plan", _audits(plan)),
        *_section("Beside the plan", deviations(plan).splitlines()),
        *_section("Tests owed", (f"- {one}" for one in plan.owed)),
        *_section("Cost", [f"{cost(state).told()}."]),
    ]
    return "\n\n".join(parts) + "\n"


def _audits(plan: ChangePlan) -> Iterable[str]:
    for audit in plan.audits:
        outcome = audit.outcome.replace("_", " ")
        yield f"- audit {audit.round} by {audit.auditor}: {outcome}, worst finding {audit.severity}"
        found: Sequence[AuditFinding] = findings(audit.findings)
        yield from (f"- {one.line()}" for one in found)


def _section(head: str, lines: Iterable[str]) -> Sequence[str]:
    """Lines under their heading; that there are none is said."""
    return f"## {head}", "\n".join(map(_flat, lines)) or "None."


def _flat(text: str) -> str:
    """One line that begins no markup of its own."""
    return " ".join(text.split()).replace("<", "&lt;")
