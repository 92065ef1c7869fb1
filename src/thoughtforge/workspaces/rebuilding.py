"""Open a workspace as its record says it is: what was lost or changed is made again from the record, or refused.

The clone and its files are only a view of the record: base commit, edits with their contents, commits as they were.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from thoughtforge.kernel.errors import LogCorrupt, UserError
from thoughtforge.kernel.ports import Blobs
from thoughtforge.workspaces.changes import DRAFT
from thoughtforge.workspaces.checkout import remove_folder
from thoughtforge.workspaces.events import CommitMade, EditPlanned
from thoughtforge.workspaces.git import Git
from thoughtforge.workspaces.linking import KEPT, has_all, keep_base, take_objects
from thoughtforge.workspaces.past import Edited, FreshStart, WorkspaceHistory
from thoughtforge.workspaces.workspace import ASIDE, GIT_DIR, MAKING, OLD, Workspace

SHOWN = 5
GIT_ASIDE = f"{GIT_DIR}.aside"


class Recovered(NamedTuple):
    """The workspace, and in words what was not as the record says; empty when everything was."""

    workspace: Workspace
    note: str = ""


async def as_recorded(
    source: Git, past: WorkspaceHistory, *, branch: str, at: Path, blobs: Blobs, files: bool = True
) -> Recovered:
    """The workspace of a task; without `files` only its clone is looked at."""
    base = past.base
    there = await _opened(source, at=at, base=base, branch=branch)
    lost = there is None
    workspace = there or await Workspace.make(source, base=base, branch=branch, at=at)
    workspace.unlock()
    if not past.branch:
        return Recovered(workspace)
    tip = past.tip or base
    if not await _has(workspace, past):
        lost = True
        await take_objects(source, workspace.git)  # a thought's project has what a person committed there
        if not await _has(workspace, past):
            await _rebuild(workspace, past, blobs)
    if await _tip(workspace) != tip:
        await workspace.git.write("update-ref", f"refs/heads/{branch}", tip)
    strays = await _index(workspace, past, past.tree or await workspace.tree_of(tip))
    aside = await _files(workspace, past) if files else ()
    strays = tuple(dict.fromkeys((*strays, *aside)))
    if lost:
        return Recovered(workspace, "the workspace was lost; the engine rebuilt it from the record")
    return Recovered(workspace, _told(strays, kept=bool(aside)))


async def _opened(source: Git, *, at: Path, base: str, branch: str) -> Workspace | None:
    """The workspace that is there; None when there is none. A clone that git cannot open is moved aside."""
    if not (at / GIT_DIR).is_dir():
        return None
    if (at / GIT_DIR / "objects" / "info" / "alternates").exists():
        await keep_base(source, at / KEPT, base=base)
    try:
        there = await Workspace.open(at, path=source.env["PATH"])
    except UserError:
        remove_folder(at / GIT_ASIDE)
        (at / GIT_DIR).rename(at / GIT_ASIDE)
        return None
    if (there.base, there.branch) != (base, branch):
        return await Workspace.make(source, base=base, branch=branch, at=at)  # it says what is wrong
    return there


async def _has(workspace: Workspace, past: WorkspaceHistory) -> bool:
    """Whether every object the record leads to is in the clone."""
    names = [name for name in (past.tip, past.tree) if name]
    if not await has_all(workspace.git, workspace.base):
        return False
    if not names:
        return True
    ended = await workspace.git.call("rev-list", "--objects", "--quiet", *names, "--not", workspace.base)
    return ended.code == 0


async def _tip(workspace: Workspace) -> str | None:
    return await workspace.git.resolve(f"refs/heads/{workspace.branch}")


async def _index(workspace: Workspace, past: WorkspaceHistory, tree: str) -> tuple[str, ...]:
    """Make what is on record in the clone what the record says; the paths that differed for no known reason."""
    try:
        now = await workspace.tree()
    except UserError:
        (workspace.git_dir / "index").unlink(missing_ok=True)
        now = ""
    if now == tree:
        return ()
    known = now == await workspace.git.resolve(past.begun[1], kind="tree") if past.begun[1] else False
    changes = await workspace.changes(now, tree) if now and not known else ()
    await workspace.load(tree)
    return _unexplained({path for change in changes for path in (change.path, change.old_path) if path}, past)


async def _files(workspace: Workspace, past: WorkspaceHistory) -> tuple[str, ...]:
    """Make the files what is on record; the paths that differed for no known reason. Those files are kept aside."""
    there = workspace.folder.is_dir()
    exchanged = not there and any(workspace.folder.with_name(name).is_dir() for name in (OLD, MAKING))
    differing = await workspace.matches()
    if not differing:
        return ()
    strays = () if exchanged else _unexplained(set(differing), past)
    await workspace.restore(aside=there and bool(strays))
    return strays


def _unexplained(paths: set[str], past: WorkspaceHistory) -> tuple[str, ...]:
    """Paths that no crash in the middle of an edit or of the start of a stage accounts for."""
    planned = {edit.path for edit in past.open}
    known = {path for path in paths if path in planned or path.rpartition("/")[2] == DRAFT}
    return () if past.begun[1] else tuple(sorted(paths - known))


def _told(strays: tuple[str, ...], *, kept: bool) -> str:
    if not strays:
        return ""
    more = f" and {len(strays) - SHOWN} more" if len(strays) > SHOWN else ""
    told = f"files of the workspace differed from the record and were restored: {', '.join(strays[:SHOWN])}{more}"
    return f"{told}; what was there is in {ASIDE}" if kept else told


async def _rebuild(workspace: Workspace, past: WorkspaceHistory, blobs: Blobs) -> None:
    """Make every tree and commit of the record again. What comes out must have the ids the record names."""
    await workspace.load(workspace.base)
    for deed in past.deeds:
        match deed:
            case FreshStart():
                await workspace.load(deed.commit)
            case Edited():
                await _edit_again(workspace, deed, blobs)
            case CommitMade():
                await _commit_again(workspace, deed, blobs)
    if not await _has(workspace, past):
        raise _refusal(f"tree {past.tree[:12]} cannot be rebuilt from it")


async def _edit_again(workspace: Workspace, deed: Edited, blobs: Blobs) -> None:
    before = await workspace.tree()
    for edits in _attempts(deed):
        tree = before
        await workspace.load(before)
        for edit in edits:
            data = None if edit.after is None else _blob(blobs, edit)
            executable = {"": None, "100755": True, "100644": False}[edit.mode]
            tree = await workspace.put(edit.path, data, executable=executable)
        if tree == deed.tree:
            return
    what = ", ".join(dict.fromkeys(edit.path for edit in deed.edits)) or "no edit"
    raise _refusal(f"the edits on record ({what}) do not lead to tree {deed.tree[:12]}")


def _attempts(deed: Edited) -> Iterator[tuple[EditPlanned, ...]]:
    """What may have been made of planned edits: all of the last runner's, fewer when one failed, all of all runners."""
    last = deed.edits[deed.fresh :]
    for count in range(len(last), -1, -1):
        yield last[:count]
    if deed.fresh:
        yield deed.edits


async def _commit_again(workspace: Workspace, made: CommitMade, blobs: Blobs) -> None:
    if await workspace.git.resolve(made.commit) is None:
        if made.raw is None:
            raise _refusal(f"commit {made.commit[:12]} was recorded by a version that did not store commits")
        try:
            raw = blobs.get(made.raw)
        except LogCorrupt as damage:
            raise _refusal(f"commit {made.commit[:12]}: {damage}") from damage
        again = await workspace.git.write("hash-object", "-t", "commit", "-w", "--stdin", stdin=raw)
        if again != made.commit:
            raise _refusal(f"commit {made.commit[:12]} comes out as {again[:12]}")
    await workspace.load(made.tree)


def _blob(blobs: Blobs, edit: EditPlanned) -> bytes:
    try:
        return blobs.get(edit.after or "")
    except LogCorrupt as damage:
        raise _refusal(f"{edit.path}, step {edit.step}: {damage}") from damage


def _refusal(why: str) -> UserError:
    return UserError(
        "the workspace of this task is lost and cannot be rebuilt from its record",
        do="Restore the task's folder from a backup, or start a new task. This task does not continue with other "
        "files.",
        details=(why,),
    )
