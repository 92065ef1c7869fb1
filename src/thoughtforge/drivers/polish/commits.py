"""The commits of polishing: each allowed first, and what a person changed meanwhile never inside one of ours."""

from __future__ import annotations

from thoughtforge.agent.means import Means
from thoughtforge.intake.documents import POLISH_LOG, allow, project
from thoughtforge.workspaces.person import NOBODY, Person, person


async def commit(
    means: Means, message: str, *, step: str, when: str = "", author: Person = NOBODY, only: tuple[str, ...] = ()
) -> str:
    """Commit everything, or only these files."""
    allow(means, "git_commit", step, deliverable="plan")
    when = when or means.journal.state.time
    means.journal.log.check_lease()
    return await project(means).commit(message, step=step, when=when, author=author, only=only)


async def keep_edits(means: Means, number: int) -> bool:
    """What a person changed since the last commit gets a commit of its own, marked as theirs; whether there was any."""
    here = project(means)
    theirs = tuple(path for path in await here.changed() if path != POLISH_LOG)  # a crash may leave our own log there
    if not theirs:
        return False
    step = f"edits-{number}-{(await here.tip()).commit[:8]}"
    await commit(means, "Edits by a person", step=step, author=await person(here.git, means.home), only=theirs)
    return True
