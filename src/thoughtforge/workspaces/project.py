"""The repository of a thought: made with the task, committed to at every milestone, never pushed anywhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from thoughtforge.kernel.errors import Mistake, Stop
from thoughtforge.kernel.stops import StopReason
from thoughtforge.sandbox import process
from thoughtforge.workspaces.git import WALL_SECONDS, Git, Repository, environment, why
from thoughtforge.workspaces.person import NOBODY, Person

STEP = "ThoughtForge-Step: "
"""The trailer that says which milestone a commit is; a crash between commit and record makes no second one."""
FOLDERS = ("docs", "resources")
FIRST = "project"


class Tip(NamedTuple):
    """The newest commit and the milestone it is, if it is one."""

    commit: str
    step: str


class Project:
    """One repository with its files, at a place of its own."""

    def __init__(self, root: Path, *, path: str) -> None:
        self.root = root
        self.git = Git(Repository(root, root / ".git"), path=path)

    async def commit(
        self, message: str, *, step: str, when: str, author: Person = NOBODY, only: tuple[str, ...] = ()
    ) -> str:
        """Commit every file as it is, or only these; the commit there is when this milestone was already committed."""
        tip = await self.tip()
        if tip.step == step:
            return tip.commit
        some = ("--", *only) if only else ()
        try:
            await self.git.write("add", "--all", *some, work_tree=True)
            people = _people(author, when)
            text = f"{message}\n\n{STEP}{step}"
            await self.git.write(
                "commit",
                "--quiet",
                "--allow-empty",
                "--no-verify",
                "-F",
                "-",
                *some,
                work_tree=True,
                stdin=text.encode(),
                env=people,
            )
        except Mistake as mistake:
            raise Stop(StopReason.file_system_error, mistake.what) from mistake
        return (await self.tip()).commit

    async def check_whole(self, commits: Sequence[str]) -> None:
        """A project that was lost is refused: the record has its commits' names, not the files in them."""
        ended = await self.git.call("rev-list", "--objects", "--no-walk", "--quiet", *commits)
        if ended.code:
            raise lost(f"commits of it are missing: {ended.stderr.decode('utf-8', 'replace').strip()}")

    async def tip(self) -> Tip:
        """The newest commit."""
        raw = await self.git.output("log", "-1", "--format=%H%n%B", "HEAD")
        commit, _, body = raw.decode("utf-8", "replace").partition("\n")
        steps = [line.removeprefix(STEP) for line in body.splitlines() if line.startswith(STEP)]
        return Tip(commit, steps[-1] if steps else "")

    async def changed(self) -> tuple[str, ...]:
        """Paths that differ from the newest commit."""
        return await self.git.dirty()

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
        for path in now - then:
            (self.root / path).unlink(missing_ok=True)
        if then:
            await self.git.write("checkout", "--quiet", commit, "--", *sorted(then), work_tree=True)

    async def _names(self, commit: str) -> tuple[str, ...]:
        raw = await self.git.output("ls-tree", "-r", "-z", "--name-only", commit)
        return tuple(name for name in raw.decode("utf-8", "replace").split("\0") if name)


def lost(why: str) -> Mistake:
    """What a person is told of a project that is not there, or not whole."""
    return Mistake(
        "the project of this thought is lost, and its record cannot give it back",
        do="Put the folder back from a copy, or begin a new thought; what was said is kept: thoughtforge inspect",
        details=(why,),
    )


async def make_project(root: Path, *, path: str, when: str) -> str:
    """Make the repository with its folders; its first commit."""
    root.mkdir(parents=True)
    for name in FOLDERS:
        (root / name).mkdir()
        (root / name / ".gitkeep").touch()
    argv = ["git", "init", "--quiet", "--initial-branch=main", "--template=", str(root)]
    ended = await process.run(argv, cwd=root, env=environment(path), wall_seconds=WALL_SECONDS)
    if ended.code:
        raise Mistake(f"git init did not work in {root}: {why(ended)}", do="Check git and that folder, then try again.")
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
