"""A finished task's commit onto the branch a person is on: first worked out in the clone, then done, or not at all.

Between the two the caller can measure the outcome. No hook runs. The person's own filters and line endings do apply:
these are their files.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple

from thoughtforge.kernel.errors import Mistake
from thoughtforge.sandbox import process
from thoughtforge.workspaces import diffs
from thoughtforge.workspaces.clone import Workspace
from thoughtforge.workspaces.git import WALL_SECONDS, Git, decode_path, why
from thoughtforge.workspaces.handover import bring, is_ancestor
from thoughtforge.workspaces.linking import take_objects
from thoughtforge.workspaces.person import Person, make_commit, own_environment

UNDER_WAY = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply")


class Onto(NamedTuple):
    """What applying comes to: the branch, where it is, where it will be."""

    branch: str
    before: str
    after: str
    how: Literal["nothing", "fast_forward", "merge"]


async def onto_current(
    user: Git, workspace: Workspace, *, commit: str, message: str, author: Person, when: str
) -> Onto:
    """Work out in the clone what the person's branch will be with the commit in it; a Mistake lists conflicts."""
    branch, here = await _current(user)
    await take_objects(user, workspace.git)
    if await is_ancestor(workspace.git, commit, of=here):
        return Onto(branch, here, here, "nothing")
    if await is_ancestor(workspace.git, here, of=commit):
        return Onto(branch, here, commit, "fast_forward")
    tree = await _merged(workspace.git, here, commit=commit, branch=branch)
    after = await make_commit(workspace.git, tree, message=message, parents=(here, commit), author=author, when=when)
    return Onto(branch, here, after, "merge")


async def apply_to_current(user: Git, workspace: Workspace, *, onto: Onto, home: Path) -> tuple[str, ...]:
    """Move the person's branch and files; answers the paths that changed. Anything of theirs in the way stops it."""
    if await _current(user) != (onto.branch, onto.before):
        raise Mistake(f"{onto.branch} moved meanwhile", do="Try again: it is worked out anew.")
    if onto.how == "nothing":
        return ()
    changes = await diffs.changes(workspace.git, onto.before, b=onto.after)
    new = {change.path for change in changes if change.change in ("created", "moved")}
    touched = {path for change in changes for path in (change.path, change.old_path) if path}
    await _check_files(user, home, touched=touched, new=new)
    await bring(user, workspace, commit=onto.after)
    flags = ("--ff-only", "--quiet", "--no-verify-signatures", "--no-autostash", "--no-edit")
    ended = await _as_person(user, home, args=("-c", "core.untrackedCache=keep", "merge", *flags, onto.after))
    if ended.code != 0 or await user.head() != onto.after:
        raise Mistake(f"git did not apply it: {why(ended)}", do="Put right what it names, then try again.")
    return tuple(sorted(touched))


async def _current(user: Git) -> tuple[str, str]:
    """The branch and commit the person is at."""
    ended = await user.call("symbolic-ref", "--quiet", "HEAD")
    if ended.code != 0:
        raise Mistake("the repository is on no branch", do="Go to the branch that is to have it: git switch BRANCH")
    return ended.stdout.decode("utf-8", "replace").strip().removeprefix("refs/heads/"), await user.head()


async def _merged(git: Git, here: str, *, commit: str, branch: str) -> str:
    """The tree of a merge."""
    ended = await git.call("merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", here, commit)
    tree, *paths = [part for part in ended.stdout.split(b"\0") if part] or [b""]
    if ended.code == 0:
        return tree.decode("ascii")
    if ended.code != 1 or not paths:
        raise Mistake(f"git could not merge it into {branch}: {why(ended)}", do="Merge the task's branch by hand.")
    names = tuple(sorted({decode_path(path) for path in paths}))
    raise Mistake(
        f"{branch} has other changes in the same places: {', '.join(names)}",
        do="Merge the task's branch by hand, or take your changes back first.",
        details=names,
    )


async def _check_files(user: Git, home: Path, *, touched: set[str], new: set[str]) -> None:
    """Nothing under way or staged, and nothing of the person's where something will be written."""
    wrong = [f"{name}: finish or abort it first" for name in UNDER_WAY if (user.repository.git_dir / name).exists()]
    flags = ("--porcelain=v1", "-z", "--no-renames", "--untracked-files=no", "--ignore-submodules=dirty")
    ended = await _as_person(user, home, args=("status", *flags))
    if ended.code != 0:
        raise Mistake(f"git could not look at your files: {why(ended)}", do="See what it says: git status")
    for line in (line for line in ended.stdout.split(b"\0") if line):
        path = decode_path(line[3:])
        if line[:1] != b" ":
            wrong.append(f"{path}: staged")
        elif path in touched:
            wrong.append(f"{path}: changed and not committed")
    wrong += [f"{path}: a file of yours is where a new one goes" for path in _in_the_way(user, new, touched=touched)]
    if wrong:
        raise Mistake(
            "your files are not ready for this",
            do="Commit or stash them first: git stash --include-untracked",
            details=tuple(sorted(wrong)),
        )


def _in_the_way(user: Git, new: set[str], *, touched: set[str]) -> set[str]:
    """Files where a new path goes. git itself would overwrite those a .gitignore names."""
    found = set()
    for path in new:
        parts = path.split("/")
        above = ["/".join(parts[:depth]) for depth in range(1, len(parts))]
        blocked = [name for name in above if name not in touched and _is_no_folder(user.repository.root / name)]
        here = user.repository.root / path
        found.update([*blocked, path] if here.exists() or here.is_symlink() else blocked)
    return found


def _is_no_folder(place: Path) -> bool:
    return place.is_symlink() or (place.exists() and not place.is_dir())


async def _as_person(user: Git, home: Path, *, args: tuple[str, ...]) -> process.Ended:
    """A command on the person's checkout with the person's own settings, still without hooks and monitors."""
    env = {**own_environment(user, home), "GIT_REFLOG_ACTION": "thoughtforge"}
    return await process.run(
        user.argv(*args, work_tree=True), cwd=user.repository.root, env=env, wall_seconds=WALL_SECONDS
    )
