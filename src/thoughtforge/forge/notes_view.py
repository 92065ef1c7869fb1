"""What the record says of a plan's phases, shown in its file below Implementation Notes; it is never read back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from thoughtforge.forge.layout import NOTES, layout_of
from thoughtforge.forge.phases_view import SHORT
from thoughtforge.forge.plan import ChangePlan, findings
from thoughtforge.forge.structure import key_of
from thoughtforge.kernel.model import Criterion

START, END = (
    "<!-- From the record; edits between these marks do not count -->",
    "<!-- End of what is from the record -->",
)
LONGEST = 300


def with_notes(text: str, plan: ChangePlan) -> str:
    """The plan with an entry for each phase that ended and for the closing audit; without the section, as it is."""
    rows = [f"> {' '.join(row.replace('-->', '-- >').split())}" for row in notes_of(plan)]
    own = next((one for one in layout_of(text).own if one.key == key_of(NOTES)), None)
    if not rows or own is None or text[own.text_start - 1] != "\n":
        return text
    told = "\n".join([START, "", *rows, "", END, ""])
    return text[: own.text_start] + told + text[own.text_start :]


def without_notes(text: str) -> str:
    """The plan without what the engine shows there."""
    own = next((one for one in layout_of(text).own if one.key == key_of(NOTES)), None)
    at = text.find(f"{START}\n", own.text_start, own.end) if own else -1
    end = text.find(f"{END}\n", at, own.end) if own and at >= 0 else -1
    return text if end < 0 else text[:at] + text[end + len(END) + 1 :]


def notes_of(plan: ChangePlan) -> Iterator[str]:
    """Each phase in a line, with what was measured; then the closing audits with what they found, and each fix."""
    for one in plan.phases:
        if one.status in ("pending", "in-progress"):
            continue
        commit = f", `{one.git_commit[:SHORT]}`" if one.git_commit else ""
        told = f": {(one.error or one.output)[:LONGEST]}" if one.error or one.output else ""
        facts = plan.facts.get(one.id)
        measured = rolled_up(facts.evidence) if facts else ""
        yield f"- **{one.id}** {one.status}{commit}: {one.title}{told}{f' — {measured}' if measured else ''}"
    fixes = {one.round: one for one in plan.fixes}
    for audit in plan.closing:
        yield f"- **closing audit {audit.round}** by {audit.auditor}: {audit.outcome}, worst finding {audit.severity}"
        yield from (f"- {point.line()}" for point in findings(audit.findings))
        if fix := fixes.get(audit.round):
            commit = f", `{fix.commit[:SHORT]}`" if fix.commit else ""
            told = f": {(fix.why or fix.summary)[:LONGEST]}" if fix.why or fix.summary else ""
            yield f"- **fix {fix.round}** {fix.outcome}{commit}{told}"


def rolled_up(evidence: Sequence[Criterion]) -> str:
    """What was run: the names of what passed, and why the rest did not."""
    passed = [f"{one.name} ({one.detail})" if one.detail else one.name for one in evidence if one.outcome == "pass"]
    rest = [f"{one.name} {one.outcome.replace('_', ' ')}: {one.detail}" for one in evidence if one.outcome != "pass"]
    told = [f"passed: {', '.join(passed)}"] if passed else []
    return "; ".join(one[:LONGEST] for one in [*told, *rest])


def deviations(plan: ChangePlan) -> str:
    """Files beside the plan and phases left out, and who allowed that."""
    return "\n".join(
        f"- {one.path} in {one.phase}, allowed by {one.by}: {one.reason}"
        if one.path
        else f"- {one.phase} was skipped by {one.by}: {one.reason}"
        for one in plan.deviations
    )
