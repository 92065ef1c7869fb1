"""The repository of a thought: made with the task, committed to at every milestone, never pushed anywhere."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from thoughtforge.kernel.errors import Stop, UserError
from thoughtforge.kernel.stops import HALTED, StopReason, register
from thoughtforge.sandbox import process
from thoughtforge.workspaces import changes
from thoughtforge.workspaces.changes import DRAFT, DRAFTS, FileContents, crossing, in_the_way, put_file
from thoughtforge.workspaces.git import (
    NOBODY,
    WALL_SECONDS,
    Git,
    Person,
    Repository,
    environment,
    make_commit,
    why,
)
from thoughtforge.workspaces.linking import take_objects
from thoughtforge.workspaces.project_place import BRANCH, STEP, ProjectPlace, Tip, differing

FOLDERS = ("docs", "resources")
FIRST = "project"
DIFF = ("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--ignore-submodules=none")
UNDER_WAY = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
}
"""What a git directory holds while a person is in the middle of something."""


class ProjectStop(StrEnum):
    """Why work on a project stopped."""

    project_busy = "project_busy"


register({ProjectStop.project_busy: HALTED})


class Project:
    """One repository with its files, at a place of its own."""

    def __init__(self, root: Path, *, path: str) -> None:
        self.root = root
        self.git = Git(Repository(root, root / ".git"), path=path)
        self.place = ProjectPlace(self.git)

    async def commit(
        self, message: str, *, step: str, when: str, author: Person = NOBODY, only: tuple[str, ...] = ()
    ) -> str:
        """Commit every file as it is, or only these; the commit there is when this milestone was already committed.

        An index of its own collects the files, so what a person has staged differently stays staged.
        """
        await self.check_ready()
        tip = await self.tip()
        if tip.step == step:
            return tip.commit
        with TemporaryDirectory(prefix="thoughtforge-index-") as folder, _told():
            own = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
            await self.git.write("read-tree", tip.commit, env=own)
            some = ("--pathspec-from-file=-", "--pathspec-file-nul") if only else ()
            names = b"\0".join(os.fsencode(path) for path in only)
            await self.git.write("add", "--all", *some, work_tree=True, stdin=names, env=own)
            tree = await self.git.write("write-tree", env=own)
            made = await make_commit(
                self.git, tree, message=f"{message}\n\n{STEP}{step}", parents=(tip.commit,), author=author, when=when
            )
            await self._go_on(tip.commit, made)
        self.place.steps[made] = step
        return made

    async def check_ready(self) -> None:
        """Stop before anything is written while a person is in the middle of something in the project."""
        at = await self.place.branch()
        if at != BRANCH:
            where = f"the branch {at.removeprefix('refs/heads/')}" if at else "no branch (a detached HEAD)"
            raise Stop(
                ProjectStop.project_busy,
                f"{self.root} is on {where}; the work is on main: git -C {self.root} checkout main",
            )
        begun = [name for name in UNDER_WAY if (self.root / ".git" / name).exists()]
        if begun or (await self.place.index()).unmerged:
            what = UNDER_WAY[begun[0]] if begun else "a merge"
            raise Stop(ProjectStop.project_busy, f"{what} is under way in {self.root}; finish it or abort it")

    async def _go_on(self, since: str, commit: str) -> None:
        """The branch at another commit; the index follows, except where a person has staged something else."""
        staged = (await self.place.index()).entries
        raw = await self.git.output(*DIFF, since, commit)
        lines = [
            " ".join(new).encode() + b"\t" + path + b"\0"
            for path, old, new in differing(raw)
            if staged.get(path) == old
        ]
        await self.git.write("update-index", "-z", "--index-info", stdin=b"".join(lines))
        await self.git.write("update-ref", BRANCH, commit, since)

    async def check_whole(self, commits: Sequence[str]) -> None:
        """A project that was lost is refused: the record has its commits' names, not the files in them."""
        ended = await self.git.call("rev-list", "--objects", "--no-walk", "--quiet", *commits)
        if ended.code:
            raise lost(f"commits of it are missing: {ended.stderr.decode('utf-8', 'replace').strip()}")

    async def tip(self) -> Tip:
        """The newest commit."""
        return await self.place.tip()

    async def changed(self) -> tuple[str, ...]:
        """Paths that differ from the newest commit."""
        return await self.git.dirty()

    async def edited(self) -> tuple[str, ...]:
        """Files that are not as the newest commit has them, whatever is staged; a name of any bytes can be opened.

        A draft that the engine left among them when it was killed is nobody's edit, and goes.
        """
        with TemporaryDirectory(prefix="thoughtforge-index-") as folder:
            own = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
            await self.git.write("read-tree", "HEAD", env=own)
            raw = await self.git.output(
                "status", "--porcelain=v1", "-z", "--no-renames", "-uall", work_tree=True, env=own
            )
        found = {os.fsdecode(line[3:]): line[:2] for line in raw.split(b"\0") if line}
        drafts = {path for path, state in found.items() if state == b"??" and PurePosixPath(path).name == DRAFT}
        for path in drafts:
            (self.root / path).unlink(missing_ok=True)
        return tuple(sorted(found.keys() - drafts))

    async def files(self) -> tuple[str, ...]:
        """Every file git knows or would take in; what it ignores is no part of the project."""
        raw = await self.git.output("ls-files", "-z", "--cached", "--others", "--exclude-standard", work_tree=True)
        return tuple(sorted({os.fsdecode(name) for name in raw.split(b"\0") if name}))

    def content(self, path: str) -> bytes | None:
        """A plain file as it lies there; None where there is none, whatever else is there or on the way."""
        file = self.root / path
        return file.read_bytes() if file.is_file() and not in_the_way(self.root, path) else None

    def put(self, path: str, data: bytes) -> None:
        """Give a document this content in one move: the old one or the new one is there, never half of one."""
        self._check_free([path], reason=StopReason.file_system_error)
        file, draft = self.root / path, self.root / DRAFTS / DRAFT
        file.parent.mkdir(parents=True, exist_ok=True)
        draft.unlink(missing_ok=True)
        draft.write_bytes(data)
        draft.replace(file)

    def _check_free(self, paths: Iterable[str], reason: str = ProjectStop.project_busy) -> None:
        """Stop before a file goes where a person has a link, a folder or a device: it is theirs, and stays."""
        words = [
            f"{there}, and the work puts {path} there"
            for path in sorted(paths)
            if (there := in_the_way(self.root, path))
        ]
        if words:
            raise Stop(reason, f"{'; '.join(words)}; move it away, then continue")

    async def advance(self, source: Git, commit: str, *, since: str) -> None:
        """Go on to a commit of a clone: files, then index, then branch, so that a crash can be told from an edit.

        A file that is neither what it was nor what it becomes is a person's, and stays.
        """
        await self.check_ready()
        if (await self.tip()).commit != since:
            raise Stop(ProjectStop.project_busy, f"{self.root} was committed to this very moment")
        await take_objects(source, self.git)
        with _told():
            self._follow(await changes.contents(self.git, since, b=commit))
            await self._go_on(since, commit)

    def _follow(self, found: Sequence[FileContents]) -> None:
        """Removals come first: a folder may get the name of a file that goes, and a file the name of a folder."""
        gone = {one.path: one.old for one in found if one.new is None and one.old is not None}
        written = {one.path: one for one in found if one.new is not None}
        later = crossing(written, gone)
        self._check_free(written.keys() - later)
        for path, old in gone.items():
            if self.content(path) == old:
                put_file(self.root, path, None)
        self._check_free(later)
        for path, one in written.items():
            if self.content(path) == one.old != one.new:
                put_file(self.root, path, one.new, mode=one.mode)

    async def at(self, commit: str, path: str) -> bytes | None:
        """A file as a commit has it."""
        return await self.git.blob(commit, path)

    async def changed_since(self, commit: str) -> tuple[str, ...]:
        """Paths that differ between a commit and the newest one."""
        raw = await self.git.output("diff", "--name-only", "-z", "--no-renames", commit, "HEAD")
        return tuple(name for name in raw.decode("utf-8", "replace").split("\0") if name)

    async def restore(self, commit: str, belongs: Callable[[str], bool]) -> None:
        """Make the files that belong to the deliverable those of a commit: no more, no fewer; all others stay."""
        then, now = [set(filter(belongs, await self._names(one))) for one in (commit, "HEAD")]
        files = then - {entry.path for entry in await self.git.entries("HEAD") if entry.kind != "file"}
        self._check_free(files - crossing(files, now - then))
        for path in now - then:
            if (self.root / path).is_symlink() or (self.root / path).is_file():
                put_file(self.root, path, None)
        self._check_free(files)
        if then:
            await self.git.write("checkout", "--quiet", commit, "--", *sorted(then), work_tree=True)

    async def _names(self, commit: str) -> tuple[str, ...]:
        raw = await self.git.output("ls-tree", "-r", "-z", "--name-only", commit)
        return tuple(name for name in raw.decode("utf-8", "replace").split("\0") if name)


@contextmanager
def _told() -> Iterator[None]:
    """A failure of git is a stop with git's words."""
    try:
        yield
    except UserError as mistake:
        raise Stop(StopReason.file_system_error, mistake.what) from mistake


def lost(why: str) -> UserError:
    """What a person is told of a project that is not there, or not whole."""
    return UserError(
        "the project of this thought is lost, and its record cannot give it back",
        do="Put the folder back from a copy, or begin a new thought; what was said is kept: thoughtforge inspect",
        details=(why,),
    )


def ignore(root: Path, patterns: Sequence[str]) -> None:
    """Let git pass over what running code leaves behind; what is written there already stays."""
    file = root / ".git" / "info" / "exclude"
    known = file.read_text(encoding="utf-8", errors="replace").splitlines() if file.is_file() else []
    if new := [pattern for pattern in patterns if pattern not in known]:
        file.parent.mkdir(exist_ok=True)
        file.write_text("".join(f"{line}\n" for line in (*known, *new)), encoding="utf-8")


async def make_project(root: Path, *, path: str, when: str) -> str:
    """Make the repository with its folders; its first commit."""
    root.mkdir(parents=True)
    for name in FOLDERS:
        (root / name).mkdir()
        (root / name / ".gitkeep").touch()
    argv = ["git", "init", "--quiet", "--initial-branch=main", "--template=", str(root)]
    ended = await process.run(argv, cwd=root, env=environment(path), wall_seconds=WALL_SECONDS)
    if ended.code:
        raise UserError(
            f"git init did not work in {root}: {why(ended)}", do="Check git and that folder, then try again."
        )
    project = Project(root, path=path)
    await project.git.write("add", "--all", work_tree=True)
    text = f"Begin\n\n{STEP}{FIRST}"
    await project.git.write(
        "commit", "--quiet", "-F", "-", work_tree=True, stdin=text.encode(), env=_people(NOBODY, when)
    )
    return (await project.tip()).commit


def _people(author: Person, when: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in ("AUTHOR", "COMMITTER"):
        found |= {f"GIT_{part}_NAME": author.name, f"GIT_{part}_EMAIL": author.email, f"GIT_{part}_DATE": when}
    return found
