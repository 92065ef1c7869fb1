"""The only way back: one fetch of one ref into the person's repository, and nothing else in it changes."""

from __future__ import annotations

from thoughtforge.kernel.errors import Mistake
from thoughtforge.workspaces.clone import Workspace
from thoughtforge.workspaces.git import Git

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
        raise Mistake(
            f"{_short(ref)} is in the repository already, with work that is not part of this",
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
            raise Mistake(
                f"{_short(ref)} is checked out in {facts['worktree']}",
                do="Go to another branch there, then try again: git switch -",
            )
    parts = ref.split("/")
    for depth in range(3, len(parts)):
        above = "/".join(parts[:depth])
        if (await user.call("show-ref", "--verify", "--quiet", above)).code == 0:
            raise Mistake(
                f"{_short(above)} stands where {_short(ref)} has to go",
                do=f"Give it another name: git branch --move {above.removeprefix('refs/heads/')} NEW",
            )


def _short(ref: str) -> str:
    return f"the branch {ref.removeprefix('refs/heads/')}" if ref.startswith("refs/heads/") else ref
