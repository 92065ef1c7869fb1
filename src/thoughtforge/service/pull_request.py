"""Open a pull request for a delivered branch through `gh`, when the person asked for it: the only thing that leaves."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from thoughtforge.kernel.errors import Mistake
from thoughtforge.sandbox import process
from thoughtforge.service.app import App
from thoughtforge.service.handover import REPORT
from thoughtforge.service.own_repository import own_repository
from thoughtforge.workspaces.handover import delivery_ref

SECONDS = 120.0
REMOTE = "origin"


def require_gh(app: App) -> Path:
    """Where `gh` is; told before any work begins when it is not there."""
    found = shutil.which("gh", path=app.search_path)
    if found is None:
        raise Mistake("gh is not installed, so no pull request can be opened", do="Install GitHub's gh, or leave --pr.")
    return Path(found)


async def open_pull_request(app: App, task_id: str, env: Mapping[str, str]) -> str:
    """Push the branch and open the request with the delivery report as its text; answers what gh says."""
    state = app.store.peek(task_id).state
    ref = delivery_ref(task_id)
    if ref not in state.refs:
        raise Mistake(f"task {task_id} has delivered no branch", do=f"See: thoughtforge status {task_id}")
    task = state.the_task()
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
    raise Mistake(what, do="Put right what it says; the branch is in the repository.", details=tuple(said))
