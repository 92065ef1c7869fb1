"""Where a project is: its branch, its newest commit, its index. Git is asked only where its files do not say it.

A thought commits at every milestone and looks before and after it. This saves 20 of the 66 git processes of a plan.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from thoughtforge.workspaces.git import Git, IndexStamp, index_stamp

BRANCH = "refs/heads/main"
STEP = "ThoughtForge-Step: "
"""The trailer that says which milestone a commit is; a crash between commit and record makes no second one."""


class Staged(NamedTuple):
    """One file as an index or a tree lists it."""

    mode: str
    oid: str


class IndexSeen(NamedTuple):
    """A person's index as it was read last: which file it is, its entries, and whether a merge is open in it."""

    stamp: IndexStamp | None
    entries: dict[bytes, Staged]
    unmerged: bool


class Tip(NamedTuple):
    """The newest commit and the milestone it is, if it is one."""

    commit: str
    step: str


class ProjectPlace:
    """What was read of a project's git directory, each thing again once it has changed."""

    def __init__(self, git: Git) -> None:
        self.git = git
        self.folder = git.repository.git_dir
        self.seen: IndexSeen | None = None
        self.steps: dict[str, str] = {}
        """Commit → the milestone it is; a commit never becomes another one."""

    async def branch(self) -> str:
        """The branch HEAD is at; empty when it is at none. Git is asked where HEAD does not plainly lead to ours."""
        if _line(self.folder / "HEAD") == f"ref: {BRANCH}" and not _line(self.folder / BRANCH).startswith("ref:"):
            return BRANCH
        named = await self.git.call("symbolic-ref", "--quiet", "HEAD")
        return named.stdout.decode("utf-8", "replace").strip()

    async def index(self) -> IndexSeen:
        """The index. Git replaces its file whenever it changes it, so an index that was read is read once."""
        stamp = index_stamp(self.folder)
        if self.seen is None or self.seen.stamp != stamp:
            raw = await self.git.output("ls-files", "--stage", "-z", "--full-name", work_tree=True)
            unmerged = any(line.partition(b"\t")[0][-1:] != b"0" for line in raw.split(b"\0") if line)
            self.seen = IndexSeen(stamp, _entries(raw), unmerged)
        return self.seen

    async def tip(self) -> Tip:
        """The newest commit of HEAD."""
        known = _line(self.folder / BRANCH) if await self.branch() == BRANCH else ""
        if known in self.steps:
            return Tip(known, self.steps[known])
        raw = await self.git.output("log", "-1", "--format=%H%n%B", "HEAD", "--")
        commit, _, body = raw.decode("utf-8", "replace").partition("\n")
        steps = [line.removeprefix(STEP) for line in body.splitlines() if line.startswith(STEP)]
        self.steps[commit] = steps[-1] if steps else ""
        return Tip(commit, self.steps[commit])


def _entries(raw: bytes) -> dict[bytes, Staged]:
    """Path → its entry, from `ls-files --stage`."""
    found: dict[bytes, Staged] = {}
    for line in filter(None, raw.split(b"\0")):
        facts, _, path = line.partition(b"\t")
        mode, oid, _stage = facts.decode("ascii").split()
        found[path] = Staged(mode, oid)
    return found


def differing(raw: bytes) -> Iterator[tuple[bytes, Staged | None, Staged]]:
    """Path, old and new entry of `diff-tree --raw -z`; nothing at all is no old entry, and mode 0 as a new one."""
    tokens = iter(raw.split(b"\0")[:-1])
    for facts in tokens:
        old_mode, mode, old_oid, oid, _status = facts.decode("ascii").removeprefix(":").split()
        old = Staged(old_mode, old_oid) if old_mode.strip("0") else None
        yield next(tokens), old, Staged(mode if mode.strip("0") else "0", oid)


def _line(file: Path) -> str:
    """The one line of a small file of git; empty where there is none."""
    try:
        return file.read_text(encoding="utf-8", errors="replace").removesuffix("\n")
    except OSError:
        return ""
