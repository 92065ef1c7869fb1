"""Large files kept outside git (LFS): a commit holds a pointer, fetched content lies beside the objects.

git-lfs itself is never run. Pointers stay pointers in every tree; where files are laid out, content that is here takes
their place.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from thoughtforge.kernel.errors import Mistake
from thoughtforge.workspaces.git import Entry, Git

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
    """Put contents that are here in the place of their pointers; one that is not what its pointer says is a Mistake."""
    for pointer in wanted:
        content, target = content_of(store, pointer), folder / pointer.path
        if content.is_file() and target.is_file() and not target.is_symlink():
            await asyncio.to_thread(_fill_one, content, target, pointer=pointer)


def _fill_one(content: Path, target: Path, *, pointer: Pointer) -> None:
    with content.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != pointer.content:
            raise Mistake(
                f"the stored content of {pointer.path} is damaged", do="Fetch it again: git lfs fetch --refetch"
            )
    shutil.copyfile(content, target)


async def _used(git: Git, entries: Iterable[Entry]) -> bool:
    files = [entry for entry in entries if entry.kind == "file" and entry.path.split("/")[-1] == ".gitattributes"]
    return any(b"filter=lfs" in text for text in (await _blobs(git, files)).values())


async def _blobs(git: Git, entries: list[Entry]) -> dict[str, bytes]:
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
