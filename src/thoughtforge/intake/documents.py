"""The documents of a thought: written and committed once their stage is confirmed, and never touched again."""

from __future__ import annotations

from pathlib import Path

from thoughtforge.agent.means import Means
from thoughtforge.calls.events import ActionTaken
from thoughtforge.deliverables.operations import check, write_of
from thoughtforge.intake.intent_text import intent_text
from thoughtforge.intake.phases import deliverable_type
from thoughtforge.intake.scorecards import known_scorecards
from thoughtforge.intake.spec_text import constraints_text, spec_text
from thoughtforge.kernel.errors import Stop
from thoughtforge.kernel.model import JsonObject
from thoughtforge.kernel.stops import StopReason
from thoughtforge.workspaces.events import CommitMade
from thoughtforge.workspaces.project import Project

INTENT, SPEC, CONSTRAINTS, PLAN = "docs/intent.md", "docs/spec.md", "docs/constraints.md", "docs/plan.md"
POLISH_LOG = "docs/polish_log.md"
LOCKED = {
    "distill": "Phase 1 complete. Intent locked.",
    "spec": "Phase 2 complete. Specification and constraints locked. The build starts.",
}


def project(means: Means) -> Project:
    """The repository of the thought."""
    if means.project is None:
        raise Stop(StopReason.bug, "this task has no project")
    return means.project


def allow(means: Means, operation: str, target: str = "", *, deliverable: str) -> None:
    """Let an operation pass or halt."""
    reason = refusal(means, operation, target, deliverable=deliverable)
    if reason:
        raise Stop(StopReason.check_broken, reason)


def refusal(means: Means, operation: str, target: str = "", *, deliverable: str) -> str:
    """Why an operation may not happen, empty when it may; a refusal is on record.

    Once a person has confirmed a plan it is judged as one, whatever the caller takes it for.
    """
    confirmed = deliverable_type(means.journal.state) == "plan"
    ruling = check(operation, target, deliverable="plan" if confirmed else deliverable)
    if not ruling.allowed:
        refused = ActionTaken(
            stage=_stage(means),
            round=0,
            step=means.journal.state.used.steps,
            role="engine",
            tool=operation,
            params={"target": target},
            outcome="refused",
            summary=ruling.reason,
        )
        means.journal.append(refused)
    return ruling.reason


def _stage(means: Means) -> str:
    state = means.journal.state
    begun = [s.name for s in means.task.pipeline.stages if state.stage(s.name).status != "pending"]
    return begun[-1] if begun else ""


def write(means: Means, path: str, text: str, *, deliverable: str = "plan") -> None:
    """Put a document in its place: the old one or the new one is there, never half of one."""
    allow(means, write_of(path), path, deliverable=deliverable)
    file = project(means).root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_name(f".{file.name}.new")
    fresh.write_text(text, encoding="utf-8", errors="replace")
    fresh.replace(file)


def read(means: Means, path: str) -> str:
    """A document as it lies there now; one that is gone or no text halts the task with its path."""
    file = project(means).root / path
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise Stop(StopReason.file_system_error, f"{file}: {why}; it is needed to go on") from error


async def settle(means: Means) -> None:
    """Write and commit what was confirmed and is not committed yet."""
    accepted = means.accepted()
    if "intent" in accepted and not means.stage("distill").commit:
        await _lock(means, "distill", {INTENT: intent_text(accepted["intent"])}, "Intent")
    if "proposal" in accepted and not means.stage("spec").commit:
        await _lock(means, "spec", _specified(means, accepted), "Specification and constraints")


def _specified(means: Means, accepted: dict[str, JsonObject]) -> dict[str, str]:
    intent, proposal = accepted["intent"], accepted["proposal"]
    return {
        SPEC: spec_text(intent, proposal, scorecards=known_scorecards(means)),
        CONSTRAINTS: constraints_text(intent, proposal),
    }


async def _lock(means: Means, stage: str, texts: dict[str, str], message: str) -> None:
    here = project(means)
    if (await here.tip()).step != stage:
        for path, text in texts.items():
            write(means, path, text)
    await commit(means, stage, message=message, step=stage)
    if means.notify is not None:
        await means.notify(LOCKED[stage])


async def commit(means: Means, stage: str, *, message: str, step: str) -> str:
    """Commit the project as it is and put that on record."""
    here = project(means)
    allow(means, "git_commit", step, deliverable="plan")
    means.journal.log.check_lease()
    made = await here.commit(message, step=step, when=means.journal.state.time)
    if means.stage(stage).commit != made:
        tree = await here.git.resolve(made, kind="tree")
        raw = means.blobs.put(await here.git.output("cat-file", "commit", made), exact=True)
        means.journal.append(CommitMade(stage=stage, commit=made, tree=tree or "", raw=raw))
    return made


def plan_path(means: Means) -> Path:
    """Where the plan lies."""
    return project(means).root / PLAN
