"""The system's git, hardened: every call names its repository, runs no hook, reaches no network.

Nothing is written but by `Git.write`; reading changes no byte of a repository.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from thoughtforge.kernel.errors import UserError
from thoughtforge.sandbox import process

logger = logging.getLogger(__name__)

WALL_SECONDS = 120.0
MAX_OUTPUT = 64 * 1024 * 1024
OBJECT_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
TREES_KEPT = 4
"""Trees whose entries stay known: an edit looks at the one before it and the one after it."""

SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",  # it names a program, and `status` would run it
    "core.alternateRefsCommand=true",  # a program too, run by `fetch` where objects are borrowed; this one says nothing
    "core.untrackedCache=false",
    "core.quotePath=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "protocol.allow=never",
    "safe.directory=*",  # the person named this repository; who owns its files decides nothing here
    "submodule.recurse=false",
)


class Repository(NamedTuple):
    """Where a repository is: its working folder and its git directory."""

    root: Path
    git_dir: Path


class TreeEntry(NamedTuple):
    """One path of a commit. `size` is in bytes, None for a submodule; `oid` names the object."""

    path: str
    size: int | None
    mode: str
    kind: Literal["file", "symlink", "submodule"]
    oid: str


KINDS: dict[str, Literal["symlink", "submodule"]] = {"120000": "symlink", "160000": "submodule"}


class Git:
    """One repository, reached through its git directory."""

    def __init__(self, repository: Repository, *, path: str) -> None:
        self.repository = repository
        self.env = environment(path)
        self._trees: dict[str, tuple[TreeEntry, ...]] = {}
        """Object id → what it holds; an id never means anything else."""

    def argv(self, *args: str, work_tree: bool = False) -> list[str]:
        """The whole command line of a call."""
        where = [f"--git-dir={self.repository.git_dir}"]
        if work_tree:
            where.append(f"--work-tree={self.repository.root}")
        return [*_hardened(), *where, *args]

    async def call(
        self,
        *args: str,
        work_tree: bool = False,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        wall_seconds: float = WALL_SECONDS,
        max_output: int = MAX_OUTPUT,
    ) -> process.ProcessResult:
        """One git command, however it ends; `env` adds to the environment."""
        cwd = self.repository.root if work_tree else self.repository.git_dir
        argv = self.argv(*args, work_tree=work_tree)
        logger.info("git %s", args[0])
        env = {**self.env, **(env or {})}
        return await process.run(argv, cwd=cwd, env=env, stdin=stdin, wall_seconds=wall_seconds, max_output=max_output)

    async def output(
        self, *args: str, work_tree: bool = False, stdin: bytes = b"", env: Mapping[str, str] | None = None
    ) -> bytes:
        """What a git command prints; a command that fails, is cut or takes too long is a UserError with git's words."""
        ended = await self.call(*args, work_tree=work_tree, stdin=stdin, env=env)
        if ended.code == 0 and not ended.timed_out and not ended.cut:
            return ended.stdout
        raise UserError(
            f"git {args[0]} failed in {self.repository.root}: {why(ended)}",
            do="Check the repository: git fsck; a partial clone needs its objects: git fetch --refetch --no-filter",
        )

    async def write(
        self, *args: str, work_tree: bool = False, stdin: bytes = b"", env: Mapping[str, str] | None = None
    ) -> str:
        """A command that changes the repository, and the line it answers; one that fails is a UserError."""
        raw = await self.output(*args, work_tree=work_tree, stdin=stdin, env={"GIT_OPTIONAL_LOCKS": "1", **(env or {})})
        return raw.decode("utf-8", "surrogateescape").removesuffix("\n")

    async def resolve(self, name: str, *, kind: Literal["commit", "tree"] = "commit") -> str | None:
        """The id of the commit or tree a name stands for; None when there is none."""
        ended = await self.call("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{{kind}}}")
        return ended.stdout.decode().strip() if ended.code == 0 else None

    async def common_dir(self) -> Path:
        """The git directory that holds objects and refs; a linked worktree has only its own index and HEAD."""
        raw = await self.output("rev-parse", "--path-format=absolute", "--git-common-dir")
        return Path(raw.decode("utf-8", "surrogateescape").removesuffix("\n"))

    async def head(self) -> str:
        """The commit the repository is at."""
        ended = await self.call("rev-parse", "--verify", "--quiet", "--end-of-options", "HEAD^{commit}")
        if ended.code == 0:
            return ended.stdout.decode().strip()
        raise UserError(
            f"the repository {self.repository.root} has no commit to start from",
            do="Commit something first: git add --all && git commit",
            details=(why(ended),) if ended.stderr.strip() else (),
        )

    async def dirty(self) -> tuple[str, ...]:
        """Paths that differ from the last commit: staged, changed or new; a new folder counts as one path."""
        raw = await self.output(
            "status",
            "--porcelain=v1",
            "-z",
            "--no-renames",
            "--untracked-files=normal",
            "--ignore-submodules=dirty",  # looking into a submodule would start git there, with that one's settings
            work_tree=True,
            env=await self._without_filters(),
        )
        return tuple(sorted(decode_path(line[3:]) for line in raw.split(b"\0") if line))

    async def _without_filters(self) -> dict[str, str]:
        """Settings that turn off every filter program of the repository; looking must run none of them."""
        ended = await self.call("config", "-z", "--name-only", "--get-regexp", r"^filter\..*\.")
        keys = [key for key in ended.stdout.decode("utf-8", "surrogateescape").split("\0") if key]
        # as variables, not as -c: a filter's name may hold a `=`
        off = {"clean": "", "smudge": "", "process": "", "required": "false"}
        pairs = [(f"{name}.{part}", off[part]) for name in {key.rpartition(".")[0] for key in keys} for part in off]
        env = {"GIT_CONFIG_COUNT": str(len(pairs))}
        for number, (key, value) in enumerate(pairs):
            env |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
        return env

    async def entries(self, commit: str) -> tuple[TreeEntry, ...]:
        """Every path of a tree or commit, in git's order; what an object id holds is read once."""
        if commit in self._trees:
            return self._trees[commit]
        raw = await self.output("ls-tree", "-r", "-l", "-z", "--full-tree", commit)
        found = tuple(_entry(line) for line in raw.split(b"\0") if line)
        if OBJECT_ID.fullmatch(commit):
            self._trees = {**dict(list(self._trees.items())[1 - TREES_KEPT :]), commit: found}
        return found

    async def submodules(self, commit: str) -> tuple[str, ...]:
        """Paths whose content is another repository's."""
        return tuple(entry.path for entry in await self.entries(commit) if entry.kind == "submodule")

    async def blob(self, commit: str, path: str) -> bytes | None:
        """The bytes of one file of a commit, None when the commit has no such file; a link counts as no file."""
        found = self._trees.get(commit)
        if found is None:
            raw = await self.output("ls-tree", "-l", "-z", "--full-tree", commit, "--", path)
            found = tuple(_entry(line) for line in raw.split(b"\0") if line and b" blob " in line.split(b"\t")[0])
        plain = [entry for entry in found if entry.kind == "file" and entry.path == path]
        return await self.output("cat-file", "blob", plain[0].oid) if plain else None


async def find_repository(start: Path, *, path: str) -> Repository:
    """The repository a folder belongs to; the only place where git may look around for one."""
    bare, inside = (await _discover(start, "--is-bare-repository", "--is-inside-work-tree", path=path)).split()
    if bare == "true":
        raise UserError(
            f"{start} is a bare repository, without files to work on",
            do="Clone it and start in the clone: git clone REPOSITORY FOLDER",
        )
    if inside != "true":
        raise UserError(
            f"{start} is inside a git directory, not among the files of a repository",
            do="Start in the folder that holds the files.",
        )
    root = await _discover(start, "--show-toplevel", path=path)
    return Repository(Path(root), Path(await _discover(start, "--absolute-git-dir", path=path)))


def environment(path: str) -> dict[str, str]:
    """All that git gets to know of ours: where programs are. No home, no settings of person or machine."""
    return {
        "PATH": path,
        "LC_ALL": "C",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",  # else `status` refreshes the person's index
        "GIT_TERMINAL_PROMPT": "0",
    }


def decode_path(raw: bytes) -> str:
    """A path as text. One that is not UTF-8 is shown with escapes: it can be named to a person, not opened."""
    return raw.decode("utf-8", "backslashreplace")


def _hardened() -> list[str]:
    settings = [part for setting in SETTINGS for part in ("-c", setting)]
    return ["git", "--no-pager", "--no-replace-objects", "--literal-pathspecs", *settings]


def why(ended: process.ProcessResult) -> str:
    """Why a command failed, in git's words."""
    if ended.timed_out:
        return "it ran out of time"
    if ended.cut:
        return "its output is too large"
    return ended.stderr.decode("utf-8", "replace").strip().removeprefix("fatal: ") or f"exit code {ended.code}"


def _entry(line: bytes) -> TreeEntry:
    facts, _, path = line.partition(b"\t")
    mode, _kind, oid, size = facts.decode("ascii").split()
    return TreeEntry(
        decode_path(path), None if size == "-" else int(size), mode=mode, kind=KINDS.get(mode, "file"), oid=oid
    )


async def _discover(start: Path, *questions: str, path: str) -> str:
    """What `git rev-parse` answers about the repository around a folder."""
    argv = [*_hardened(), "rev-parse", *questions]
    ended = await process.run(argv, cwd=start, env=environment(path), wall_seconds=WALL_SECONDS)
    if ended.code == 0:
        return ended.stdout.decode("utf-8", "surrogateescape").removesuffix("\n")
    if b"not a git repository" in ended.stderr:
        raise UserError(
            f"{start} is not inside a git repository",
            do="Go to the repository, or make one: git init && git add --all && git commit",
        )
    raise UserError(
        f"git cannot work with the repository at {start}: {why(ended)}", do="Repair it, then try again: git status"
    )


class Person(NamedTuple):
    """A name and an address, as in a commit."""

    name: str
    email: str


NOBODY = Person("ThoughtForge", "thoughtforge@localhost")
CRUD = " .,:;<>\"\\'\n\t"
"""What git takes off a name; one of nothing else is no name to it."""


def own_environment(git: Git, home: Path) -> dict[str, str]:
    """The environment in which git also reads the settings a person and the machine have."""
    kept = {key: value for key, value in git.env.items() if not key.startswith(("GIT_CONFIG", "GIT_ATTR"))}
    return {**kept, "HOME": str(home)}


async def person(git: Git, home: Path | None = None) -> Person:
    """The identity set for a repository or in a person's home; a stand-in when name or address is missing."""
    env = git.env if home is None else own_environment(git, home)
    found = Person(await _setting(git, "user.name", env=env), await _setting(git, "user.email", env=env))
    return found if all(part.strip(CRUD) for part in found) else NOBODY


async def _setting(git: Git, key: str, *, env: Mapping[str, str]) -> str:
    argv = git.argv("config", "--get", key)
    ended = await process.run(argv, cwd=git.repository.git_dir, env=env, wall_seconds=WALL_SECONDS)
    return ended.stdout.decode("utf-8", "replace").strip() if ended.code == 0 else ""


async def make_commit(git: Git, tree: str, *, message: str, parents: tuple[str, ...], author: Person, when: str) -> str:
    """A commit no branch leads to yet; the same values make the same commit."""
    people: dict[str, str] = {}
    for part in ("AUTHOR", "COMMITTER"):
        people |= {f"GIT_{part}_NAME": author.name, f"GIT_{part}_EMAIL": author.email, f"GIT_{part}_DATE": when}
    above = [part for parent in parents for part in ("-p", parent)]
    return await git.write("commit-tree", *above, "-F", "-", tree, stdin=f"{message.rstrip()}\n".encode(), env=people)


class IndexStamp(NamedTuple):
    """Which file an index is. Git replaces the file whenever it changes the index."""

    device: int
    number: int
    size: int
    modified: int
    changed: int
    """Unlike the time before it, nobody can set this one."""


def index_stamp(git_dir: Path) -> IndexStamp | None:
    """The index as it is now; None when there is none."""
    try:
        found = (git_dir / "index").stat()
    except FileNotFoundError:
        return None
    return IndexStamp(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
