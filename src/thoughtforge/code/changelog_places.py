"""Where a repository tells its changes, and what is written there; what cannot be continued is left alone."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from thoughtforge.code.changelog import CHANGELOG, NEW, ChangelogEntry
from thoughtforge.code.changelog_forms import KNOWN, continued
from thoughtforge.code.changelog_fragments import SETTINGS, fragments, written
from thoughtforge.workspaces.git import Git, TreeEntry

NAMES = ("changelog", "changes", "history", "news", "releasenotes", "releases", "whatsnew", "relnotes")
ENDINGS = (*KNOWN, ".rdoc", ".adoc", ".asciidoc", ".org", ".yml", ".yaml", ".json", ".html")
FOLDERS = (
    "",
    "docs",
    "doc",
    "docs/source",
    "doc/source",
    "docs/src",
    "doc/src",
    "docs/about",
    "docs/project",
    "documentation",
)
DEBIAN = "debian/changelog"
BY_VERSION = re.compile(r"docs?/(source/)?(releases|release[_-]?notes|whatsnew)/v?\d+(\.\d+)*\.(txt|rst|md)")
"""Notes for each version in a file of its own."""
MOST_LINKS = 8
Read = Callable[[str], Awaitable[bytes]]
"""What reads a path; of a link, its target."""


def read_objects(git: Git, entries: Mapping[str, TreeEntry]) -> Read:
    """What reads paths of a tree from git's objects."""

    async def read(path: str) -> bytes:
        return await git.output("cat-file", "blob", entries[path].oid)

    return read


class Told(NamedTuple):
    """Path → text of every file that changes; `note` says why what is there was left alone."""

    files: Mapping[str, str] = {}
    note: str = ""
    begun: bool = False
    """There was no changelog before."""


async def entries_told(
    kinds: Mapping[str, str], read: Read, entries: Sequence[ChangelogEntry], *, slug: str, begin: bool = False
) -> Told:
    """What tells these entries; `kinds` are the paths of the repository, each a file, a symlink or a submodule.

    Nothing where the repository keeps no changelog, unless one is to be begun.
    """
    settings = {path: (await read(path)).decode("utf-8", "replace") for path in SETTINGS if kinds.get(path) == "file"}
    place = fragments(kinds, settings)
    if place is not None and place.form:
        above = [place.folder[:at] for at, sign in enumerate(place.folder + "/") if sign == "/"]
        if taken := next((path for path in above if path in kinds), ""):
            return Told(note=f"{taken} is a {kinds[taken]} and no folder")
        return Told(written(place, entries, slug=slug, taken=kinds))
    if place is not None:
        return Told(note=place.note)
    notes = []
    for path in places(kinds):
        found = await _continued(kinds, read, path, entries)
        if not found.note:
            return found
        notes.append(found.note)
    if not notes and (named := next((path for path in kinds if BY_VERSION.fullmatch(path.lower())), "")):
        notes = [f"{PurePosixPath(named).parent} has a file for each version, and nothing says which one comes next"]
    if begin and not notes:
        return Told({CHANGELOG: continued(CHANGELOG, NEW, entries).text}, begun=True)
    return Told(note="; ".join(notes))


def places(paths: Mapping[str, str]) -> list[str]:
    """Files that may be the changelog, the likeliest first."""
    return [path for _, path in sorted((rank, path) for path in paths for rank in _rank(path))]


def _rank(path: str) -> Iterator[tuple[int, int]]:
    folder, _, name = path.lower().rpartition("/")
    ending = next((ending for ending in ENDINGS[1:] if name.endswith(ending)), "")
    stem = re.sub(r"[-_ ']", "", name.removesuffix(ending))
    if path == DEBIAN:
        yield len(FOLDERS), 0
    elif folder in FOLDERS and stem in NAMES:
        yield FOLDERS.index(folder), NAMES.index(stem)


async def _continued(kinds: Mapping[str, str], read: Read, path: str, entries: Sequence[ChangelogEntry]) -> Told:
    """The file with the entries, or why it is left alone."""
    file = await _followed(kinds, read, path)
    if not file:
        return Told(note=f"{path} is a {kinds[path]} to no file of the repository")
    try:
        text = (await read(file)).decode("utf-8")
    except UnicodeDecodeError:
        return Told(note=f"{file} is not UTF-8")
    made = continued(file, text, entries)
    return Told(note=f"{file}: {made.why}") if made.why else Told({file: made.text})


async def _followed(kinds: Mapping[str, str], read: Read, path: str) -> str:
    """The file a path leads to; empty when that is none of this repository."""
    for _ in range(MOST_LINKS):
        if kinds.get(path) != "symlink":
            break
        target = (await read(path)).decode("utf-8", "replace")
        path = _joined(PurePosixPath(path).parent, target)
    return path if kinds.get(path) == "file" else ""


def _joined(folder: PurePosixPath, target: str) -> str:
    """Where a link leads, as far as names tell; empty for a place outside."""
    parts: list[str] = []
    for part in (folder / target).parts:
        if part == "/" or (part == ".." and not parts):
            return ""
        parts = parts[:-1] if part == ".." else [*parts, part]
    return "/".join(parts)
