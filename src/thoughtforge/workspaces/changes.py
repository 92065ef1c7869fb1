"""Changes of files: what differs between two trees, and an edit made so that a crash shows on which side it fell."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Literal, NamedTuple

from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.model import Digest
from thoughtforge.kernel.ports import Blobs
from thoughtforge.workspaces.events import EditPlanned
from thoughtforge.workspaces.git import Git, decode_path

PLAIN = ("-r", "-M", "--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none")
HUNK = re.compile(rb"@@ -\S+ \+(\d+)(?:,(\d+))? @@")
KINDS: dict[str, Literal["created", "deleted", "moved"]] = {"A": "created", "D": "deleted", "R": "moved"}


class FileChange(NamedTuple):
    """One path that differs. Lines are counted unless the file is binary."""

    path: str
    change: Literal["created", "modified", "deleted", "moved"]
    added: int | None
    removed: int | None
    old_path: str = ""
    """Where a moved file came from."""


async def changes(git: Git, a: str, *, b: str) -> tuple[FileChange, ...]:
    """Every path that differs from a to b, in git's order."""
    raw = await git.output("diff-tree", *PLAIN, "-z", "--raw", "--numstat", "--end-of-options", a, b)
    tokens = iter(raw.split(b"\0")[:-1])
    found: list[tuple[str, str, str]] = []
    counts: list[tuple[int | None, int | None]] = []
    for token in tokens:
        if token.startswith(b":"):
            status = token.rsplit(b" ", 1)[1].decode("ascii")[0]
            old = decode_path(next(tokens))
            found.append((status, old, decode_path(next(tokens)) if status == "R" else old))
        else:
            added, removed, path = token.split(b"\t", 2)
            counts.append((_count(added), _count(removed)))
            if not path:  # a move names both of its paths after the numbers
                next(tokens)
                next(tokens)
    return tuple(
        FileChange(new, KINDS.get(status, "modified"), *count, old_path=old if status == "R" else "")
        for (status, old, new), count in zip(found, counts, strict=True)
    )


class FileContents(NamedTuple):
    """One file that differs: what it was and what it becomes; None where there is no plain file."""

    path: str
    old: bytes | None
    new: bytes | None
    mode: str


async def contents(git: Git, a: str, *, b: str) -> list[FileContents]:
    """Every file that differs from a to b; a moved one is a file that goes and one that comes."""
    found = await changes(git, a, b=b)
    modes = {entry.path: entry.mode for entry in await git.entries(b)}
    return [
        FileContents(path, await git.blob(a, path), await git.blob(b, path), modes.get(path, ""))
        for path in dict.fromkeys(path for change in found for path in (change.path, change.old_path) if path)
    ]


def crossing(paths: Iterable[str], others: Iterable[str]) -> set[str]:
    """Those of some paths that cannot be files beside others: what is a file here has the name of a folder there."""
    files = {*others}
    folders = {str(parent) for path in files for parent in PurePosixPath(path).parents}
    return {path for path in paths if path in folders or not files.isdisjoint(map(str, PurePosixPath(path).parents))}


async def changed_lines(git: Git, a: str, *, b: str) -> dict[str, frozenset[int]]:
    """The lines of b, by path, that a does not have; a moved file counts only what changed in it."""
    # content begins with > or <, so that no line of a file can pass for a header
    marks = ("--output-indicator-new=>", "--output-indicator-old=<")
    raw = await git.output("diff-tree", *PLAIN, *marks, "-p", "-U0", "--end-of-options", a, b)
    lines: dict[str, set[int]] = {}
    path = ""
    for line in raw.split(b"\n"):
        if line.startswith(b"+++ "):
            path = _named(line[4:])
        elif (hunk := HUNK.match(line)) and path:
            first, count = int(hunk[1]), int(hunk[2] or 1)
            lines.setdefault(path, set()).update(range(first, first + count))
    return {path: frozenset(numbers) for path, numbers in lines.items() if numbers}


async def diff(git: Git, a: str, *, b: str, paths: Sequence[str] = ()) -> str:
    """The difference as people read it, of all paths or of some."""
    raw = await git.output("diff-tree", *PLAIN, "-p", "--end-of-options", a, b, "--", *paths)
    return raw.decode("utf-8", "replace")


def _count(raw: bytes) -> int | None:
    return None if raw == b"-" else int(raw)


def _named(raw: bytes) -> str:
    """The path of a `+++` line; empty for a file that is gone. Odd names come quoted, with spaces a tab follows."""
    if raw.startswith(b'"'):
        raw = raw.rstrip(b"\t")[1:-1].decode("unicode_escape").encode("latin-1")
    else:
        raw = raw.removesuffix(b"\t")
    return "" if raw == b"/dev/null" else decode_path(raw.removeprefix(b"b/"))


FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
NEW_FILE_MODE, EXECUTABLE = 0o644, 0o111
DRAFT = ".thoughtforge-edit"
"""The file an edit is prepared in. One fixed name, so that what a crash left behind is found and taken away."""
DRAFTS = ".git"
"""The folder drafts lie in, where files have one: what a crash leaves there is no file of a person's project."""


def apply(root: Path, planned: EditPlanned, blobs: Blobs) -> None:
    """Make a planned edit, all or nothing; made already, it stays as it is."""
    now = digest_of(root, planned.path)
    if now == planned.after:
        return
    if now != planned.before:
        raise UserError(
            f"{planned.path} has changed since its edit was planned",
            do="Look at the file: another program changed it. The task overwrote nothing.",
        )
    put_file(root, planned.path, _content(planned, blobs), mode=planned.mode)


def put_file(root: Path, path: str, data: bytes | None, *, mode: str = "") -> None:
    """Give a file this content in one move, or take it away; whoever calls has looked at what is there."""
    name = PurePosixPath(path).name
    with _folder(root, path, make=data is not None) as folder:
        if data is None:
            os.unlink(name, dir_fd=folder)
        else:
            with _drafts(root, folder) as drafts:
                _replace(folder, name, data, mode=mode, drafts=drafts)
        os.fsync(folder)
    if data is None:
        _remove_empty(root, path)


def _remove_empty(root: Path, path: str) -> None:
    """Remove the folders that held nothing but this file, as git does: then a file can have the name of one."""
    for parent in PurePosixPath(path).parents[:-1]:  # the last one is the root
        try:
            with _folder(root, str(parent)) as folder:
                os.rmdir(parent.name, dir_fd=folder)
        except OSError:  # something else is in it
            return


@contextlib.contextmanager
def _drafts(root: Path, folder: int) -> Iterator[int]:
    """The folder a file is prepared in: DRAFTS, or the file's own where there is none, as in a workspace."""
    place = root / DRAFTS
    if place.is_symlink() or not place.is_dir():
        yield folder
        return
    drafts = os.open(place, FOLDER)
    try:
        yield drafts
    finally:
        os.close(drafts)


@contextlib.contextmanager
def _folder(root: Path, path: str, *, make: bool = False) -> Iterator[int]:
    """The folder of a path, opened step by step; links on the way are refused."""
    parts = PurePosixPath(path).parts
    if path.startswith("/") or not parts or any(part == ".." or part.lower() == ".git" for part in parts):
        raise UserError(f"{path!r} is outside the workspace", do="Name a path inside the workspace.")
    with contextlib.ExitStack() as stack:
        here = os.open(root, FOLDER)
        stack.callback(os.close, here)
        for part in parts[:-1]:
            if make:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(part, dir_fd=here)
            here = _step(part, here, path)
            stack.callback(os.close, here)
        yield here


def _step(part: str, folder: int, path: str) -> int:
    if not stat.S_ISDIR(_mode(part, folder)):
        raise UserError(f"{path}: {part} is a link or a file, not a folder", do="Name the file by its real path.")
    return os.open(part, FOLDER, dir_fd=folder)


LIES = {stat.S_IFLNK: "a symbolic link", stat.S_IFDIR: "a folder", stat.S_IFREG: "a file"}


def in_the_way(root: Path, path: str) -> str:
    """What keeps a plain file from lying there, on the way or in its place; in words, empty when nothing does."""
    parts = PurePosixPath(path).parts
    for count in range(1, len(parts) + 1):
        place = root.joinpath(*parts[:count])
        try:
            kind = stat.S_IFMT(place.lstat().st_mode)
        except FileNotFoundError:
            return ""
        if kind != (stat.S_IFREG if count == len(parts) else stat.S_IFDIR):
            return f"{place} is {LIES.get(kind, 'no plain file')}"
    return ""


def digest_of(root: Path, path: str) -> Digest | None:
    """The digest of a plain file, None when there is nothing; a link or anything else is no file of ours."""
    name = PurePosixPath(path).name
    try:
        with _folder(root, path) as folder:
            if not stat.S_ISREG(_mode(name, folder)):
                raise UserError(f"{path} is not a plain file", do="Name a file; links and folders are not edited.")
            with os.fdopen(os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder), "rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return None


def mode_of(root: Path, path: str) -> Literal["100644", "100755"]:
    """The mode git has for a plain file; a file that is not there yet is not executable."""
    try:
        with _folder(root, path) as folder:
            return "100755" if _mode(PurePosixPath(path).name, folder) & 0o100 else "100644"
    except FileNotFoundError:
        return "100644"


def _mode(name: str, folder: int) -> int:
    return os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode


def _content(planned: EditPlanned, blobs: Blobs) -> bytes | None:
    if planned.after is None:
        return None
    data = blobs.get(planned.after)
    if hashlib.sha256(data).hexdigest() != planned.after:
        raise UserError(
            f"the stored content for {planned.path} differs from the planned content",
            do="Check the task: thoughtforge verify",
        )
    return data


def _replace(folder: int, name: str, data: bytes, *, mode: str, drafts: int) -> None:
    """Put new content in place in one move; readers see the old file or the new one."""
    bits = NEW_FILE_MODE
    with contextlib.suppress(FileNotFoundError):
        bits = stat.S_IMODE(_mode(name, folder))
    if mode:
        bits = bits | EXECUTABLE if mode == "100755" else bits & ~EXECUTABLE
    _discard_draft(drafts)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(DRAFT, flags, 0o600, dir_fd=drafts), "wb") as draft:
        draft.write(data)
        draft.flush()
        os.fchmod(draft.fileno(), bits)
        os.fsync(draft.fileno())
    os.replace(DRAFT, name, src_dir_fd=drafts, dst_dir_fd=folder)


def _discard_draft(folder: int) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(DRAFT, dir_fd=folder)
