"""What a person does with a result: look at it, apply it to the branch they are on, or discard it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple

from thoughtforge.code.red import lost
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.events import WarningGiven
from thoughtforge.kernel.state import State
from thoughtforge.polish.finding import PERSON
from thoughtforge.polish.history import best_iteration
from thoughtforge.polish.rounds import ROUNDS, resolved
from thoughtforge.sandbox import process
from thoughtforge.service.app import App
from thoughtforge.service.code_session import open_code_session
from thoughtforge.service.handover import REPORT
from thoughtforge.service.library import open_library
from thoughtforge.service.open_task import open_task, own_repository, recorded_workspace
from thoughtforge.settings import environment
from thoughtforge.store.port import OpenTask
from thoughtforge.think.deliverable import deliverable_named
from thoughtforge.views.phases import deliverable_type
from thoughtforge.workspaces.events import RefWritten
from thoughtforge.workspaces.git import Git, person
from thoughtforge.workspaces.handover import Onto, apply_to_current, delivery_ref, onto_current
from thoughtforge.workspaces.linking import KEPT
from thoughtforge.workspaces.project import Project
from thoughtforge.workspaces.workspace import Workspace


class Applied(NamedTuple):
    """What applying did."""

    onto: Onto
    paths: tuple[str, ...]
    verified: str
    """How the outcome was measured, in words."""


async def difference(app: App, task_id: str) -> str:
    """The change a task has made so far, as people read it."""
    state, workspace = await _opened(app, task_id)
    # while it runs its index is the runner's; what is committed can always be read
    now = await workspace.tip() if app.store.peek(task_id).holder() else await workspace.tree()
    return await workspace.diff(state.the_task().base_commit, now)


async def apply(app: App, task_id: str) -> Applied:
    """Bring a delivered commit onto the current branch; a merge is measured before anything is touched."""
    with _held(app, task_id) as opened:
        journal = opened.journal
        commit = _delivered(journal.state)
        task = journal.state.the_task()
        user = await own_repository(app, task, command="apply")
        workspace = await recorded_workspace(opened, user=user, files=False)
        onto = await onto_current(
            user,
            workspace,
            commit=commit,
            message=f"Merge the result of {task.id}\n\nThoughtForge-Task: {task.id}",
            author=await person(user, app.user_home),
            when=app.clock(),
        )
        verified = "the delivered commit itself, measured at delivery"
        if onto.how == "merge":
            verified = await _verify(app, opened, onto=onto, user=user)
        opened.held()
        paths = await apply_to_current(user, workspace, onto=onto, home=app.user_home)
        if paths:
            journal.append(RefWritten(ref=f"refs/heads/{onto.branch}", commit=onto.after, why="applied"))
        return Applied(onto, paths, verified)


async def _verify(app: App, opened: OpenTask, *, onto: Onto, user: Git) -> str:
    """The base has moved: the whole suite runs on the merged files before the person's branch moves."""
    app.require_trust()  # the tests run with the settings they were measured with
    task = opened.journal.state.the_task()
    async with (
        open_library(app, commit=task.base_commit, git=user, kept=opened.local / KEPT) as library,
        open_code_session(app, opened, library=library) as session,
    ):
        if session is None:
            raise UserError(f"{task.id} wrote no code to apply", do="Look: thoughtforge inspect " + task.id)
        report = await session.test(onto.after)
        known = {*session.baseline.failing, *session.baseline.flaky}
        failing = [r for r in report.results.values() if r.outcome == "failed" and r.id not in known]
        problems = (*lost(session, report), *(f"{r.id} fails: {r.error}" for r in failing))
    if problems:
        raise UserError(
            f"{onto.branch} has new commits, and the tests fail on the merge",
            do=f"Merge by hand: git merge {delivery_ref(task.id).removeprefix('refs/heads/')}",
            details=tuple(dict.fromkeys(problems))[:20],
        )
    return f"merged with the current {onto.branch}; {len(report.results)} tests ran on the result"


async def discard(app: App, task_id: str) -> str:
    """Take the delivered branch out of the repository; the record and the workspace stay."""
    with _held(app, task_id) as opened:
        journal = opened.journal
        commit = _delivered(journal.state)
        user = await own_repository(app, journal.state.the_task(), command="discard")
        ref = delivery_ref(task_id)
        there = await user.resolve(ref)
        if there is None:
            return f"{ref.removeprefix('refs/heads/')} is no longer in the repository"
        if there != commit:
            raise UserError(
                f"{ref.removeprefix('refs/heads/')} has commits from outside the task",
                do=f"Look at them first. To delete the branch anyway: git branch -D {ref.removeprefix('refs/heads/')}",
            )
        journal.log.check_lease()
        await user.write("update-ref", "-d", ref, commit)
        journal.append(RefWritten(ref=ref, commit=commit, why="discarded"))
        return f"removed {ref.removeprefix('refs/heads/')} from the repository; the task keeps its work"


def _held(app: App, task_id: str) -> AbstractContextManager[OpenTask]:
    """The task, while nobody else runs it."""
    return open_task(app.store, task_id, who=f"{app.program} of {app.who}")


async def _opened(app: App, task_id: str) -> tuple[State, Workspace]:
    state = app.store.peek(task_id).state
    if not state.branch:
        raise UserError(f"task {task_id} has no workspace", do=f"See what it made: thoughtforge inspect {task_id}")
    return state, await Workspace.open(app.store.local(task_id), path=app.search_path)


def _delivered(state: State) -> str:
    task = state.the_task()
    commit = state.refs.get(delivery_ref(task.id))
    if commit is None:
        raise UserError(
            f"task {task.id} has delivered nothing",
            do=f"See its status: thoughtforge status {task.id}; its change so far: thoughtforge diff {task.id}",
        )
    return commit


SECONDS = 120.0
REMOTE = "origin"


def require_gh(app: App) -> Path:
    """Where `gh` is; its absence is an error before any work begins."""
    found = shutil.which("gh", path=app.search_path)
    if found is None:
        raise UserError(
            "gh is not installed, so it cannot open a pull request", do="Install GitHub's gh, or drop --pr."
        )
    return Path(found)


async def open_pull_request(app: App, task_id: str) -> str:
    """Push the branch and open the request with the delivery report as its text; answers what gh says."""
    state = app.store.peek(task_id).state
    ref = delivery_ref(task_id)
    if ref not in state.refs:
        raise UserError(f"task {task_id} has delivered no branch", do=f"See: thoughtforge status {task_id}")
    task, env = state.the_task(), environment.for_person()
    root = (await own_repository(app, task, command="status")).repository.root
    report = app.store.local(task_id) / REPORT
    branch = ref.removeprefix("refs/heads/")
    # hooks of the repository are the person's own, but nobody asked for them here
    push = ("git", "-c", "core.hooksPath=/dev/null", "push", "--quiet", REMOTE, f"{ref}:{ref}")
    await _run(push, root, env, what=f"{branch} could not be pushed to {REMOTE}")
    title = _title(report, task.request)
    create = (str(require_gh(app)), "pr", "create", "--head", branch, "--title", title, "--body-file", str(report))
    return await _run(create, root, env, what="gh did not open the pull request")


def _title(report: Path, request: str) -> str:
    first = report.read_text(encoding="utf-8").partition("\n")[0] if report.is_file() else request
    return first.removeprefix("# ").strip()[:200]


async def _run(argv: tuple[str, ...], root: Path, env: Mapping[str, str], *, what: str) -> str:
    ended = await process.run(argv, cwd=root, env=env, wall_seconds=SECONDS)
    if ended.code == 0 and not ended.timed_out:
        return ended.stdout.decode("utf-8", "replace").strip()
    said = ended.stderr.decode("utf-8", "replace").strip().splitlines()[-5:]
    raise UserError(what, do="Fix what it says; the branch is in the repository.", details=tuple(said))


class Restored(NamedTuple):
    """Which iteration lies there now, and the commit that says so."""

    iteration: int
    commit: str


class TakenAway(NamedTuple):
    """What is lost when an iteration is put back."""

    iteration: int
    wishes: tuple[str, ...]
    """What a person asked for meanwhile."""
    fixes: tuple[str, ...]


def taken_away(app: App, task_id: str, iteration: int | None = None) -> TakenAway:
    """The fixes made since that iteration, and what a person asked for meanwhile."""
    task = app.store.peek(task_id)
    rounds = resolved(task.snapshot.of(ROUNDS), lambda digest: dict(json.loads(task.blobs.get(digest))))
    if not rounds.rounds:
        raise UserError(f"task {task_id} has no review yet", do=f"Look: thoughtforge status {task_id}")
    number = iteration or best_iteration(rounds.history())
    later = [one for one in rounds.rounds if one.review.iteration >= number]
    fixed = [one for one in later if one.fix is not None and one.fix.outcome == "accepted"]
    rows = {row["id"]: row for one in fixed for row in one.data["findings"]}
    wished = [f"what you asked for: {row['description']}" for row in rows.values() if row["source"] == PERSON]
    others = [f"the fix of {row['title'] or row['description']}" for row in rows.values() if row["source"] != PERSON]
    plain = [tuple(" ".join(line.split()) for line in lines) for lines in (wished, others)]
    return TakenAway(number, plain[0], plain[1])


async def restore(app: App, task_id: str, iteration: int | None = None) -> Restored:
    """The best iteration, or the one asked for; refused while somebody runs the task."""
    with open_task(app.store, task_id, who=app.who) as task:
        rounds = resolved(task.journal.of(ROUNDS), lambda digest: dict(json.loads(task.blobs.get(digest))))
        if not rounds.rounds:
            raise UserError(f"task {task_id} has no review yet", do=f"Look: thoughtforge status {task_id}")
        number = iteration or best_iteration(rounds.history())
        known = {one.review.iteration: one.review.commit for one in rounds.rounds}
        if number not in known:
            raise UserError(f"there is no iteration {number}", do=f"There are {', '.join(map(str, known))}.")
        project = Project(app.home.project(task_id), path=app.search_path)
        when, kind = app.clock(), deliverable_named(deliverable_type(task.journal.state) or "")
        task.held()
        if await project.changed():
            author = await person(project.git, app.user_home)
            await project.commit("Edits by a person", step=f"edits-{when}", when=when, author=author)
        await project.restore(known[number], kind.belongs)
        commit = await project.commit(f"Back to iteration {number}", step=f"restore-{when}", when=when)
        task.journal.append(WarningGiven(text=f"iteration {number} was put back by {app.who}", code="put_back"))
        return Restored(number, commit)
