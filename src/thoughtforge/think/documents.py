"""The documents of a thought's project: written, committed at milestones, and judged before they are written."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import date
from pathlib import Path
from typing import Literal, NamedTuple

from thoughtforge.agent.run import Run
from thoughtforge.calls.events import ActionTaken
from thoughtforge.integrations.http import registry_fetch
from thoughtforge.kernel.errors import Stop
from thoughtforge.kernel.events import Measured
from thoughtforge.kernel.model import JsonObject, Stage
from thoughtforge.kernel.stops import StopReason
from thoughtforge.think.deliverable import check, write_of
from thoughtforge.think.discovery import Component, Scorecard, discover
from thoughtforge.think.texts import constraints_text, intent_text, spec_text
from thoughtforge.views.phases import deliverable_type
from thoughtforge.workspaces.events import CommitMade
from thoughtforge.workspaces.git import NOBODY, Person, person
from thoughtforge.workspaces.project import Project

WHAT = "scorecards"


async def scorecards(run: Run, stage: Stage, proposal: JsonObject) -> list[str]:
    """One line per signal and component, on record; what no registry answered is unknown, and unknown is no pass."""
    if not proposal["components"]:
        return []
    wanted = [Component(row["name"], row["ecosystem"]) for row in proposal["components"]]
    settings = run.library.config.discovery
    today = date.fromisoformat(run.record.journal.state.time[:10])
    fetch = registry_fetch(settings, run.library.machine.secret)
    lines = [_line(card) for card in await discover(wanted, settings, fetch=fetch, today=today)]
    mine = run.record.stage(stage.name)
    run.record.journal.append(
        Measured(
            stage=stage.name,
            round=mine.round,
            step=run.record.journal.state.used.steps,
            what=WHAT,
            outcome="pass",
            summary=f"{len(lines)} components looked up",
            report=run.record.put({"lines": lines}),
        )
    )
    return lines


def known_scorecards(run: Run) -> str:
    """The scorecards on record, as they stand in the specification."""
    found = run.record.stage("spec").measured.get(WHAT)
    data = run.record.artifact(found.report) if found and found.report else None
    return "\n".join(f"- {line}" for line in data["lines"]) if data else ""


def _line(card: Scorecard) -> str:
    signals = ", ".join(f"{signal.name} {signal.value} ({signal.outcome})" for signal in card.signals)
    verdict = "qualified" if card.qualified else f"not qualified: {card.why}"
    return f"{card.component.name} ({card.component.ecosystem}): {verdict}; {signals}"


INTENT, SPEC, CONSTRAINTS, PLAN = "docs/intent.md", "docs/spec.md", "docs/constraints.md", "docs/plan.md"
POLISH_LOG = "docs/polish_log.md"


def project(run: Run) -> Project:
    """The repository of the thought."""
    if run.project is None:
        raise Stop(StopReason.bug, "this task has no project")
    return run.project


def allow(run: Run, operation: str, target: str = "", *, deliverable: str) -> None:
    """Let an operation pass or halt."""
    reason = refusal(run, operation, target, deliverable=deliverable)
    if reason:
        raise Stop(StopReason.check_broken, reason)


def refusal(run: Run, operation: str, target: str = "", *, deliverable: str) -> str:
    """Why an operation may not happen, empty when it may; a refusal is on record.

    Once a person has confirmed a type it is judged as that, whatever the caller takes it for.
    """
    confirmed = deliverable_type(run.record.journal.state)
    ruling = check(operation, target, deliverable=confirmed or deliverable)
    if not ruling.allowed:
        refused = ActionTaken(
            stage=_stage(run),
            round=0,
            step=run.record.journal.state.used.steps,
            role="engine",
            tool=operation,
            params={"target": target},
            outcome="refused",
            summary=ruling.reason,
        )
        run.record.journal.append(refused)
    return ruling.reason


def _stage(run: Run) -> str:
    state = run.record.journal.state
    begun = [s.name for s in run.record.task.pipeline.stages if state.stage(s.name).status != "pending"]
    return begun[-1] if begun else ""


def write(run: Run, path: str, text: str, *, deliverable: str = "plan") -> None:
    """Put a document in its place: the old one or the new one is there, never half of one."""
    allow(run, write_of(path), path, deliverable=deliverable)
    project(run).put(path, text.encode("utf-8", "replace"))


def read(run: Run, path: str) -> str:
    """A document as it lies there now; one that is gone or no text halts the task with its path."""
    file = project(run).root / path
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise Stop(StopReason.file_system_error, f"{file}: {why}; it is needed to go on") from error


async def lock(run: Run, stage: Stage, agreed: Literal["intent", "proposal"]) -> None:
    """Write and commit what was agreed on in a stage, unless its commit is on record."""
    if run.record.stage(stage.name).commit:
        return
    locked = LOCKED[agreed]
    if (await project(run).tip()).step != stage.name:
        texts = locked.texts(run, run.record.accepted())

        async def ours(path: str) -> bool:
            """Resources come with the thought; a document of this very text was ours before the process ended."""
            lies = project(run).content(path)
            return path.startswith("resources/") or (path in texts and lies == texts[path].encode(errors="replace"))

        await keep_edits(run, stage.name, ours)
        for path, text in texts.items():
            write(run, path, text)
    await commit(run, stage.name, message=locked.message, step=stage.name)
    if run.people.notify is not None:
        await run.people.notify(locked.notice)


def _intended(run: Run, accepted: dict[str, JsonObject]) -> dict[str, str]:
    return {INTENT: intent_text(accepted["intent"])}


def _specified(run: Run, accepted: dict[str, JsonObject]) -> dict[str, str]:
    intent, proposal = accepted["intent"], accepted["proposal"]
    return {
        SPEC: spec_text(intent, proposal, scorecards=known_scorecards(run)),
        CONSTRAINTS: constraints_text(intent, proposal),
    }


class Locked(NamedTuple):
    """What is written when something is agreed on, and what people are told then."""

    texts: Callable[[Run, dict[str, JsonObject]], dict[str, str]]
    message: str
    notice: str


LOCKED = {
    "intent": Locked(_intended, "Intent", "Phase 1 complete. Intent locked."),
    "proposal": Locked(
        _specified,
        "Specification and constraints",
        "Phase 2 complete. Specification and constraints locked. The build starts.",
    ),
}
"""What was agreed on → its documents."""


async def commit(run: Run, stage: str, *, message: str, step: str) -> str:
    """Commit the project as it is and put that on record."""
    here = project(run)
    allow(run, "git_commit", step, deliverable="plan")
    run.record.journal.log.check_lease()
    made = await here.commit(message, step=step, when=run.record.journal.state.time)
    if run.record.stage(stage).commit != made:
        raw = await here.git.output("cat-file", "commit", made)
        tree = raw.partition(b"\n")[0].removeprefix(b"tree ").decode("ascii")
        kept = run.record.blobs.put(raw, exact=True)
        run.record.journal.append(CommitMade(stage=stage, commit=made, tree=tree, raw=kept))
    return made


def plan_path(run: Run) -> Path:
    """Where the plan lies."""
    return project(run).root / PLAN


async def commit_step(
    run: Run, message: str, *, step: str, when: str = "", author: Person = NOBODY, only: tuple[str, ...] = ()
) -> str:
    """Commit everything, or only these files."""
    allow(run, "git_commit", step, deliverable="plan")
    when = when or run.record.journal.state.time
    run.record.journal.log.check_lease()
    return await project(run).commit(message, step=step, when=when, author=author, only=only)


async def keep_edits(
    run: Run, mark: str | int, ours: Callable[[str], Awaitable[bool]] | None = None
) -> tuple[str, ...]:
    """What a person changed since the last commit gets a commit of its own, marked as theirs; the paths.

    A crash may leave files of ours uncommitted: the log of the reviews, and whatever `ours` knows.
    """
    here = project(run)
    await here.check_ready()
    theirs = tuple([path for path in await here.edited() if path != POLISH_LOG and not (ours and await ours(path))])
    if not theirs:
        return ()
    step = f"edits-{mark}-{(await here.tip()).commit[:8]}"
    await commit_step(
        run, "Edits by a person", step=step, author=await person(here.git, run.library.machine.person), only=theirs
    )
    return theirs
