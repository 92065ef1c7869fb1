"""The only way back: one fetch of one ref into the person's repository, and nothing else in it changes."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from thoughtforge.kernel.errors import UserError
from thoughtforge.sandbox import process
from thoughtforge.workspaces import changes as diffs
from thoughtforge.workspaces.git import WALL_SECONDS, Git, Person, decode_path, make_commit, own_environment, why
from thoughtforge.workspaces.linking import take_objects
from thoughtforge.workspaces.workspace import Workspace

FETCH = (
    "fetch",
    "--quiet",
    "--no-tags",
    "--no-prune",
    "--no-write-fetch-head",
    "--no-auto-maintenance",
    "--no-recurse-submodules",
    "--no-write-commit-graph",
    "--no-show-forced-updates",
)
OURS = {
    "GIT_ALLOW_PROTOCOL": "file",  # git reaches nothing anywhere else; here it needs the clone
    "GIT_REFLOG_ACTION": "thoughtforge",
}


def delivery_ref(task_id: str) -> str:
    """The branch a delivered task is taken from."""
    return f"refs/heads/thoughtforge/{task_id}"


def salvage_ref(task_id: str) -> str:
    """Where the work of a task that ended early is kept; no branch, so it is in nobody's way."""
    return f"refs/thoughtforge/salvage/{task_id}"


async def hand_over(user: Git, workspace: Workspace, *, commit: str, ref: str) -> None:
    """Put a commit of the workspace under a ref of the person's repository. Done already, nothing happens."""
    there = await user.resolve(ref)
    if there == commit:
        return
    await _check_way(user, ref)
    if there is not None and not await is_ancestor(workspace.git, there, of=commit):
        raise UserError(
            f"{_short(ref)} already exists in the repository, with commits of other work",
            do=f"Look at it, then rename it: git update-ref {ref}-kept {ref} && git update-ref -d {ref}",
        )
    await user.write(*FETCH, str(workspace.git_dir), f"{commit}:{ref}", env=OURS)


async def bring(user: Git, workspace: Workspace, *, commit: str) -> None:
    """Put a commit's objects into the person's repository, under no ref."""
    await user.write(*FETCH, str(workspace.git_dir), commit, env=OURS)


async def is_ancestor(git: Git, commit: str, *, of: str) -> bool:
    """Whether a commit is part of another's history; one git does not know is not."""
    return (await git.call("merge-base", "--is-ancestor", commit, of)).code == 0


async def _check_way(user: Git, ref: str) -> None:
    """A ref that is checked out, or whose place another one takes, is refused in words."""
    raw = await user.output("worktree", "list", "--porcelain", "-z")
    for tree in raw.decode("utf-8", "surrogateescape").split("\0\0"):
        facts = dict(line.partition(" ")[::2] for line in tree.split("\0") if line)
        if facts.get("branch") == ref:
            raise UserError(
                f"{_short(ref)} is checked out in {facts['worktree']}",
                do="Switch to another branch there, then try again: git switch -",
            )
    parts = ref.split("/")
    for depth in range(3, len(parts)):
        above = "/".join(parts[:depth])
        if (await user.call("show-ref", "--verify", "--quiet", above)).code == 0:
            raise UserError(
                f"{_short(above)} is in the way of {_short(ref)}",
                do=f"Give it another name: git branch --move {above.removeprefix('refs/heads/')} NEW",
            )


def _short(ref: str) -> str:
    return f"the branch {ref.removeprefix('refs/heads/')}" if ref.startswith("refs/heads/") else ref


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
    """Work out in the clone what the person's branch will be with the commit in it; a UserError lists conflicts."""
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
        raise UserError(f"{onto.branch} has moved in the meantime", do="Try again: the merge is computed again.")
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
        raise UserError(f"git did not apply the change: {why(ended)}", do="Fix what git reports, then try again.")
    return tuple(sorted(touched))


async def _current(user: Git) -> tuple[str, str]:
    """The branch and commit the person is at."""
    ended = await user.call("symbolic-ref", "--quiet", "HEAD")
    if ended.code != 0:
        raise UserError(
            "the repository is on no branch",
            do="Switch to the branch that should receive the change: git switch BRANCH",
        )
    return ended.stdout.decode("utf-8", "replace").strip().removeprefix("refs/heads/"), await user.head()


async def _merged(git: Git, here: str, *, commit: str, branch: str) -> str:
    """The tree of a merge."""
    ended = await git.call("merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", here, commit)
    tree, *paths = [part for part in ended.stdout.split(b"\0") if part] or [b""]
    if ended.code == 0:
        return tree.decode("ascii")
    if ended.code != 1 or not paths:
        raise UserError(
            f"git could not merge the change into {branch}: {why(ended)}", do="Merge the task's branch by hand."
        )
    names = tuple(sorted({decode_path(path) for path in paths}))
    raise UserError(
        f"{branch} has other changes in the same places: {', '.join(names)}",
        do="Merge the task's branch by hand, or revert your changes first.",
        details=names,
    )


CONFLICTED = (b"DD", b"AU", b"UD", b"UA", b"DU", b"AA", b"UU")
"""How git's status begins a line about a path of a merge that is not resolved."""


async def _check_files(user: Git, home: Path, *, touched: set[str], new: set[str]) -> None:
    """Nothing under way, and nothing of the person's where something will be written.

    What is staged elsewhere stays: git moves only the entries between the two commits. It would drop a staged file
    where the change has a folder, or a folder where it has a file, so those count as in the way.
    """
    under_way = [name for name in UNDER_WAY if (user.repository.git_dir / name).exists()]
    flags = ("--porcelain=v1", "-z", "--no-renames", "--untracked-files=no", "--ignore-submodules=dirty")
    ended = await _as_person(user, home, args=("status", *flags))
    if ended.code != 0:
        raise UserError(f"git could not read the state of your files: {why(ended)}", do="See the problem: git status")
    state = {decode_path(line[3:]): line[:2] for line in ended.stdout.split(b"\0") if line}
    under_way += [path for path, how in state.items() if how in CONFLICTED]
    mine = {path: how for path, how in state.items() if how not in CONFLICTED and _meets(path, touched, how)}
    new_there = _in_the_way(user, new, touched=touched)
    if under_way or mine or new_there:
        raise UserError(
            "your working copy is not clean",
            do=_way_out(under_way, mine, new_there),
            details=tuple(
                sorted(
                    [
                        *(f"{name}: finish or abort it first" for name in under_way),
                        *(f"{path}: {_told(how)}" for path, how in mine.items()),
                        *(f"{path}: your file is where the change adds a new one" for path in new_there),
                    ]
                )
            ),
        )


def _meets(path: str, touched: set[str], how: bytes) -> bool:
    """Whether a change of the person's is where something will be written; a staged one also above it or below."""
    if path in touched or how[:1] == b" ":
        return path in touched
    return any(other.startswith(f"{path}/") or path.startswith(f"{other}/") for other in touched)


def _told(how: bytes) -> str:
    return "changed and not committed" if how[:1] == b" " else "staged"


def _way_out(under_way: Sequence[str], mine: Mapping[str, bytes], new_there: Collection[str]) -> str:
    """What to do, by name: a stash of everything would take along what is in nobody's way, such as the home."""
    gone = sorted(path for path, how in mine.items() if how[:1] == b"D")  # git stashes no path that it cannot find
    stash = sorted(mine.keys() - {*gone, *new_there})
    steps = (
        (under_way, "Finish or abort what is under way: git status"),
        (stash, f"Commit your changes or stash these alone: git stash push -- {shlex.join(stash)}"),
        (gone, f"Commit the deletion or take it back: git restore --staged -- {shlex.join(gone)}"),
        (new_there, f"Move away or rename your own: {', '.join(sorted(new_there))}"),
    )
    return "; ".join(step for wanted, step in steps if wanted)


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


async def _as_person(user: Git, home: Path, *, args: tuple[str, ...]) -> process.ProcessResult:
    """A command on the person's checkout with the person's own settings, still without hooks and monitors."""
    env = {**own_environment(user, home), "GIT_REFLOG_ACTION": "thoughtforge"}
    return await process.run(
        user.argv(*args, work_tree=True), cwd=user.repository.root, env=env, wall_seconds=WALL_SECONDS
    )
