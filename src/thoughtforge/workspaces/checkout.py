"""Files of a tree on disk: checked out, overlaid, compared; large files (LFS) come from beside the objects.

git-lfs itself is never run. Pointers stay pointers in every tree; where files are laid out, content that is here takes
their place.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import IO, NamedTuple

from thoughtforge.kernel.errors import UserError
from thoughtforge.workspaces.git import Git, Repository, TreeEntry, decode_path

FORM = re.compile(
    rb"version https://git-lfs\.github\.com/spec/v1\n(?:ext-.*\n)*oid sha256:([0-9a-f]{64})\nsize (\d+)\n"
)
SHORTEST, LONGEST = 100, 1023


class Pointer(NamedTuple):
    """A path whose content is elsewhere: the content's SHA-256 and size."""

    path: str
    content: str
    size: int


async def pointers(git: Git, treeish: str) -> tuple[Pointer, ...]:
    """Every path of a tree that is a pointer, where an attribute says that there are some."""
    entries = await git.entries(treeish)
    if not await _used(git, entries):
        return ()
    small = [entry for entry in entries if entry.kind == "file" and SHORTEST <= (entry.size or 0) <= LONGEST]
    texts = await _blobs(git, small)
    found = ((entry.path, FORM.fullmatch(texts[entry.oid])) for entry in small)
    return tuple(Pointer(path, match[1].decode(), int(match[2])) for path, match in found if match)


def content_of(store: Path, pointer: Pointer) -> Path:
    """Where the content of a pointer lies below a git directory's `lfs`, whether or not it is there."""
    return store / "objects" / pointer.content[:2] / pointer.content[2:4] / pointer.content


def missing(store: Path, wanted: Iterable[Pointer]) -> tuple[Pointer, ...]:
    """Pointers whose content is not here."""
    return tuple(pointer for pointer in wanted if not content_of(store, pointer).is_file())


async def keep(wanted: Iterable[Pointer], *, source: Path, store: Path) -> None:
    """Copy contents that are here, so that they stay when the person cleans up theirs."""
    for pointer in wanted:
        found, kept = content_of(source, pointer), content_of(store, pointer)
        if found.is_file() and not kept.exists():
            kept.parent.mkdir(parents=True, exist_ok=True)
            await asyncio.to_thread(shutil.copyfile, found, kept)


async def fill(wanted: Iterable[Pointer], *, store: Path, folder: Path) -> None:
    """Put contents that are here in the place of their pointers; one that does not fit its pointer is a UserError."""
    for pointer in wanted:
        content, target = content_of(store, pointer), folder / pointer.path
        if content.is_file() and target.is_file() and not target.is_symlink():
            await asyncio.to_thread(_fill_one, content, target, pointer=pointer)


def _fill_one(content: Path, target: Path, *, pointer: Pointer) -> None:
    with content.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != pointer.content:
            raise UserError(
                f"the stored content of {pointer.path} is damaged", do="Fetch it again: git lfs fetch --refetch"
            )
    shutil.copyfile(content, target)


async def _used(git: Git, entries: Iterable[TreeEntry]) -> bool:
    files = [entry for entry in entries if entry.kind == "file" and entry.path.split("/")[-1] == ".gitattributes"]
    return any(b"filter=lfs" in text for text in (await _blobs(git, files)).values())


async def _blobs(git: Git, entries: list[TreeEntry]) -> dict[str, bytes]:
    """The bytes of several objects by one process."""
    if not entries:
        return {}
    oids = list(dict.fromkeys(entry.oid for entry in entries))
    raw = await git.output("cat-file", "--batch", stdin="".join(f"{oid}\n" for oid in oids).encode("ascii"))
    texts, start = {}, 0
    for oid in oids:
        end = raw.index(b"\n", start)
        size = int(raw[start:end].split()[-1])
        texts[oid] = raw[end + 1 : end + 1 + size]
        start = end + size + 2
    return texts


SUBMODULE = "160000"
CHUNK = 1024 * 1024


class Recorded(NamedTuple):
    """What git has for a path. `content` is the SHA-256 of what stands in for a large file's pointer, else empty."""

    mode: str
    oid: str
    content: str = ""


def differences(folder: Path, recorded: Mapping[bytes, Recorded]) -> tuple[str, ...]:
    """Paths that differ in bytes, kind or presence; a folder nobody may look into ends with a /."""
    left = {path: entry for path, entry in recorded.items() if entry.mode != SUBMODULE}
    root = os.fsencode(folder) + b"/"
    differing = []
    for path, status in _files_below(root):
        entry = left.pop(path, None)
        if entry is None or status is None or not _equal(root + path, status, entry=entry):
            differing.append(path)
    return tuple(sorted(decode_path(path) for path in [*differing, *left]))


def remove_folder(folder: Path) -> None:
    """Take a folder away, also one in which somebody shut folders; links are removed, not followed."""
    if not folder.is_dir() or folder.is_symlink():
        folder.unlink(missing_ok=True)
        return
    for here, names, _ in os.walk(folder):
        for below in (Path(here, name) for name in names):
            if not below.is_symlink():
                below.chmod(0o700)
    shutil.rmtree(folder)


def _files_below(root: bytes) -> Iterator[tuple[bytes, os.stat_result | None]]:
    """Everything below a folder that is not a folder itself, by its path from there."""
    waiting = [b""]
    while waiting:
        here = waiting.pop()
        try:
            with os.scandir(root + here) as listing:
                entries = list(listing)
        except PermissionError:
            yield here + b"/", None
            continue
        for entry in entries:
            path = here + b"/" + entry.name if here else entry.name
            if entry.is_dir(follow_symlinks=False):
                waiting.append(path)
            else:
                yield path, entry.stat(follow_symlinks=False)


def _equal(file: bytes, status: os.stat_result, *, entry: Recorded) -> bool:
    if stat.S_ISLNK(status.st_mode):
        target = os.readlink(file)  # noqa: PTH115 - a path in bytes
        return entry.mode == "120000" and _same_bytes(BytesIO(target), len(target), entry=entry)
    if not stat.S_ISREG(status.st_mode) or entry.mode not in ("100644", "100755"):
        return False
    if bool(status.st_mode & 0o100) != (entry.mode == "100755"):
        return False
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    with os.fdopen(descriptor, "rb") as opened:
        return _same_bytes(opened, status.st_size, entry=entry)


def _same_bytes(file: IO[bytes], size: int, *, entry: Recorded) -> bool:
    recorded, content = _object_id(size, like=entry.oid), hashlib.sha256()
    while chunk := file.read(CHUNK):
        recorded.update(chunk)
        if entry.content:
            content.update(chunk)
    return recorded.hexdigest() == entry.oid or content.hexdigest() == entry.content


def _object_id(size: int, *, like: str) -> hashlib._Hash:
    """The beginning of the id git gives to a file of this size, in the kind of id its repository uses."""
    make = hashlib.sha256 if len(like) == 64 else hashlib.sha1
    return make(b"blob %d\0" % size, usedforsecurity=False)


def large_files(git: Git) -> Path:
    """Where a clone keeps the content of large files; not there when it has none."""
    return git.repository.git_dir / "lfs"


async def check_out(git: Git, treeish: str, *, to: Path) -> None:
    """Lay out the files of a tree or commit in a folder that is empty or not there yet."""
    to.mkdir(parents=True, exist_ok=True)
    if any(to.iterdir()):
        raise UserError(f"the folder {to} is not empty", do="Name a new folder.")
    there = Git(Repository(to, git.repository.git_dir), path=git.env["PATH"])
    with own_index(git) as env:
        await there.write("read-tree", "--reset", "-u", "--no-recurse-submodules", treeish, work_tree=True, env=env)
    store = large_files(git)
    if store.is_dir():
        await fill(await pointers(git, treeish), store=store, folder=to)


async def overlay(git: Git, tree: str, *, source: str, paths: Sequence[str]) -> str:
    """A tree like `tree`, but with these paths as in `source`; where that has none, they are gone."""
    wanted = set(paths)
    gone = [index_line("0", "0" * len(tree), path=path) for _, _, path in await _entries(git, tree, wanted=wanted)]
    put = [index_line(mode, oid, path=path) for mode, oid, path in await _entries(git, source, wanted=wanted)]
    with own_index(git) as env:
        await git.write("read-tree", tree, env=env)
        await git.write("update-index", "-z", "--index-info", stdin=b"".join([*gone, *put]), env=env)
        return await git.write("write-tree", env=env)


def index_line(mode: str, oid: str, *, path: bytes) -> bytes:
    """One path as `update-index --index-info` takes it; mode 0 takes the path away."""
    return f"{mode} {oid}\t".encode("ascii") + path + b"\0"


async def _entries(git: Git, treeish: str, *, wanted: set[str]) -> list[tuple[str, str, bytes]]:
    """Mode, object and path, in its own bytes, of those paths of a tree that are wanted."""
    raw = await git.output("ls-tree", "-r", "-z", "--full-tree", treeish)
    found = []
    for facts, _, path in (line.partition(b"\t") for line in raw.split(b"\0") if line):
        if decode_path(path) in wanted:
            mode, _kind, oid = facts.decode("ascii").split()
            found.append((mode, oid, path))
    return found


@contextlib.contextmanager
def own_index(git: Git) -> Iterator[dict[str, str]]:
    """What makes git use an index that is gone afterwards."""
    with tempfile.TemporaryDirectory(dir=git.repository.git_dir, prefix="index-") as folder:
        yield {"GIT_INDEX_FILE": str(Path(folder, "index"))}
