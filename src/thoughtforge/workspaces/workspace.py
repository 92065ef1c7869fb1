"""A task's workspace: a clone of the person's repository in the store, and the files an agent works on beside it.

The index of the clone is what the task's journal adds up to. The working files are written by `edits`; whoever looks at
both sees whether anything was written past the journal.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from thoughtforge.kernel.errors import UserError
from thoughtforge.workspaces import changes, checkout
from thoughtforge.workspaces.changes import FileChange as FileChange
from thoughtforge.workspaces.checkout import (
    Recorded,
    check_out,
    differences,
    index_line,
    large_files,
    overlay,
    remove_folder,
)
from thoughtforge.workspaces.git import (
    NOBODY,
    Git,
    IndexStamp,
    Person,
    Repository,
    decode_path,
    index_stamp,
    make_commit,
    person,
)
from thoughtforge.workspaces.linking import KEPT, linked_clone
from thoughtforge.workspaces.patterns import Ignore
from thoughtforge.workspaces.tree import FileTree

GIT_DIR, FOLDER, MAKING, OLD = "workspace.git", "workspace", "workspace.making", "workspace.old"
GIT_MAKING, ASIDE = "workspace.git.making", "workspace.aside"
BASE = "refs/thoughtforge/base"


def drop(at: Path) -> None:
    """Take the workspace in a folder away."""
    for name in (GIT_DIR, FOLDER, GIT_MAKING, MAKING, OLD, ASIDE):  # without the git directory there is none
        remove_folder(at / name)


class Workspace:
    """One task's clone and files. Whoever changes it holds the task's lease."""

    def __init__(self, git: Git, *, base: str, branch: str, author: Person) -> None:
        self.git = git
        self.git_dir = git.repository.git_dir
        self.folder = git.repository.root
        self.base = base
        self.branch = branch
        self.author = author
        self.indexing = asyncio.Lock()
        self._known: tuple[IndexStamp | None, str] = (None, "")
        """The index as it was last seen, and the tree it adds up to."""

    @classmethod
    async def make(cls, source: Git, *, base: str, branch: str, at: Path, author: Person = NOBODY) -> Workspace:
        """The workspace of a task at a commit of the source; one that is there is used, half of one redone."""
        path = source.env["PATH"]
        if (at / GIT_DIR).is_dir():
            there = await cls.open(at, path=path)
            if (there.base, there.branch) == (base, branch):
                if not there.folder.is_dir():  # the process ended between the two moves of `restore`
                    await there.restore()
                return there
            raise UserError(
                f"{at} holds a workspace for {there.branch} at {there.base[:12]}", do="Start another task for this."
            )
        for half in (at / GIT_MAKING, at / MAKING, at / FOLDER):
            await asyncio.to_thread(remove_folder, half)
        git = await linked_clone(source, at / GIT_MAKING, base=base, branch=branch)
        wanted = await checkout.pointers(git, base)
        await checkout.keep(wanted, source=await source.common_dir() / "lfs", store=large_files(git))
        await git.write("read-tree", base)
        await git.write("update-ref", BASE, base)
        await git.write("config", "user.name", author.name)
        await git.write("config", "user.email", author.email)
        await check_out(git, base, to=at / MAKING)
        # the git directory moves last: where it is, everything is
        (at / MAKING).rename(at / FOLDER)
        (at / GIT_MAKING).rename(at / GIT_DIR)
        return await cls.open(at, path=path)

    @classmethod
    async def open(cls, at: Path, *, path: str) -> Workspace:
        """The workspace made in a folder before."""
        if not (at / GIT_DIR).is_dir():
            raise UserError(f"there is no workspace in {at}", do="Continue the task: it makes its workspace again.")
        git = Git(Repository(at / FOLDER, at / GIT_DIR), path=path)
        base = (await git.output("rev-parse", "--verify", BASE)).decode().strip()
        branch = (await git.output("symbolic-ref", "HEAD")).decode("utf-8").strip().removeprefix("refs/heads/")
        return cls(git, base=base, branch=branch, author=await person(git))

    def unlock(self) -> None:
        """Take away the locks a killed git left behind; for the holder of the lease, before the first change."""
        for lock in (self.git_dir / "index.lock", self.git_dir / "HEAD.lock", *self.git_dir.glob("refs/**/*.lock")):
            lock.unlink(missing_ok=True)

    async def tree(self) -> str:
        """The id of the tree the journal adds up to. It takes git's lock; a mere reader asks for the tip."""
        async with self.indexing:
            seen, tree = self._known
            return tree if tree and index_stamp(self.git_dir) == seen else await self._write_tree()

    async def _write_tree(self) -> str:
        tree = await self.git.write("write-tree")
        self._known = (index_stamp(self.git_dir), tree)
        return tree

    async def tree_of(self, commit: str) -> str:
        """The id of the tree of a commit."""
        return (await self.git.output("rev-parse", "--verify", f"{commit}^{{tree}}")).decode().strip()

    async def tip(self) -> str:
        """The commit the branch is at."""
        return (await self.git.output("rev-parse", "--verify", f"refs/heads/{self.branch}")).decode().strip()

    async def put(self, path: str, data: bytes | None, *, executable: bool | None = None) -> str:
        """Record new content of a path, None for its removal; answers the new tree. Writes no working file.

        A file stays executable or not unless it is said.
        """
        async with self.indexing:
            before = None
            if executable is None or large_files(self.git).is_dir():
                before = (await self._recorded(path)).get(path.encode("utf-8", "surrogateescape"))
            if data is None:
                line = index_line("0", "0" * len(self.base), path=path.encode("utf-8", "surrogateescape"))
                await self.git.write("update-index", "-z", "--index-info", stdin=line)
            else:
                await self._check_large(path, before)
                if executable is None:
                    executable = before is not None and before.mode == "100755"
                oid = await self.git.write("hash-object", "-w", "--no-filters", "--stdin", stdin=data)
                # not --index-info: that passes over a path git must not hold without failing
                info = f"{'100755' if executable else '100644'},{oid},{path}"
                await self.git.write("update-index", "--add", "--replace", "--cacheinfo", info)
            return await self._write_tree()

    async def load(self, treeish: str) -> None:
        """Make a tree or commit what is on record; the working files stay as they are."""
        async with self.indexing:
            self._known = (None, "")
            await self.git.write("read-tree", treeish)

    async def reset(self, commit: str) -> None:
        """Make branch, record and working files what they are in a commit, whatever happened to them."""
        await self.load(commit)
        if await self.matches():
            await self.restore()
        await self.git.write("update-ref", f"refs/heads/{self.branch}", commit)

    async def restore(self, *, aside: bool = False) -> None:
        """Make the working files what is on record. The folder is exchanged: nobody may be in it.

        With `aside` what was there is kept, until the next time.
        """
        fresh, old = self.folder.with_name(MAKING), self.folder.with_name(ASIDE if aside else OLD)
        for half in (fresh, old):
            await asyncio.to_thread(remove_folder, half)
        await check_out(self.git, await self.tree(), to=fresh)
        await self._check_laid_out(fresh)
        if self.folder.exists():
            self.folder.rename(old)
        fresh.rename(self.folder)
        if not aside:
            await asyncio.to_thread(remove_folder, old)

    async def _check_laid_out(self, folder: Path) -> None:
        """git lays out an object without holding it against its name; one that was changed must not get into files."""
        spoiled = await asyncio.to_thread(differences, folder, await self._recorded())
        if spoiled:
            raise UserError(
                f"objects of git in {self.git_dir.parent} were changed, not as recorded: {', '.join(spoiled[:5])}",
                do=f"Move {GIT_DIR} and {KEPT} away from there, then continue: the task makes them again.",
            )

    async def matches(self) -> tuple[str, ...]:
        """Paths where the working files are not what is on record; empty when everything agrees."""
        recorded = await self._recorded()
        if not self.folder.is_dir():
            return tuple(sorted(decode_path(path) for path in recorded))
        return await asyncio.to_thread(differences, self.folder, recorded)

    async def paths(self, treeish: str) -> tuple[str, ...]:
        """Every path of a tree or commit, in git's order."""
        return tuple(entry.path for entry in await self.git.entries(treeish))

    async def read(self, treeish: str, path: str) -> bytes:
        """The bytes of a file of a tree or commit; a path without a plain file is a UserError."""
        data = await self.git.blob(treeish, path)
        if data is None:
            raise UserError(f"there is no file {path} in {treeish[:12]}", do="List the files to see what there is.")
        return data

    async def view(self, ignore: Ignore) -> FileTree:
        """What is on record now, for reading; close it afterwards."""
        return await FileTree.open(self.git, await self.tree(), ignore)

    async def commit(
        self,
        tree: str,
        *,
        message: str,
        parents: tuple[str, ...],
        when: str,
        author: Person | None = None,
        move: bool = True,
    ) -> str:
        """Make a commit and move the branch to it unless told not to; the same values make the same commit."""
        author = author or self.author
        commit = await make_commit(self.git, tree, message=message, parents=parents, author=author, when=when)
        if move:
            await self.git.write("update-ref", f"refs/heads/{self.branch}", commit)
        return commit

    async def checkout(self, treeish: str, to: Path) -> None:
        """Lay out the files of any tree or commit in an empty folder."""
        await check_out(self.git, treeish, to=to)

    async def overlay(self, tree: str, *, source: str, paths: Sequence[str]) -> str:
        """A tree like `tree`, but with these paths as in `source`; where that has none, they are gone."""
        return await overlay(self.git, tree, source=source, paths=paths)

    async def changes(self, a: str, b: str) -> tuple[FileChange, ...]:
        """Every path that differs from a to b."""
        return await changes.changes(self.git, a, b=b)

    async def changed_lines(self, a: str, b: str) -> dict[str, frozenset[int]]:
        """The lines of b, by path, that a does not have."""
        return await changes.changed_lines(self.git, a, b=b)

    async def diff(self, a: str, b: str, paths: Sequence[str] = ()) -> str:
        """The difference as people read it."""
        return await changes.diff(self.git, a, b=b, paths=paths)

    async def _recorded(self, *paths: str) -> dict[bytes, Recorded]:
        """What the index has, of all paths or of some."""
        raw = await self.git.output("ls-files", "--stage", "-z", "--full-name", "--", *paths)
        lines = (line.partition(b"\t") for line in raw.split(b"\0") if line)
        found = {path: Recorded(*facts.decode("ascii").split()[:2]) for facts, _, path in lines}
        if large_files(self.git).is_dir():
            for pointer in await checkout.pointers(self.git, await self.git.write("write-tree")):
                path = pointer.path.encode()
                if path in found:
                    found[path] = found[path]._replace(content=pointer.content)
        return found

    async def _check_large(self, path: str, before: Recorded | None) -> None:
        if before is not None and before.content:
            raise UserError(
                f"{path} is a large file kept outside git (LFS); the engine does not change such files",
                do="Change it by hand with git-lfs, or leave it.",
            )
