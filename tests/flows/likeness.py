"""Everything of a person's repository that a task must leave as it was, and what differs between two looks at it."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path
from typing import NamedTuple

OURS = ".thoughtforge"


class Likeness(NamedTuple):
    """What is where: path → kind, permissions and a digest of the content."""

    files: dict[str, str]
    objects: dict[str, str]
    """The same for git's objects: these may be added to, and no more."""


def likeness(*folders: Path) -> Likeness:
    """Working folders with their git directories, apart from the folder of the tasks."""
    files: dict[str, str] = {}
    objects: dict[str, str] = {}
    for root in folders:
        for folder, names, contents in os.walk(root):
            if OURS in names:
                names.remove(OURS)
            for path in (Path(folder) / name for name in (*names, *contents)):
                key = f"{path.relative_to(root.parent)}{'/' if path.is_dir() else ''}"
                (objects if "/.git/objects/" in f"/{key}" else files)[key] = _told(path)
    return Likeness(files, objects)


def changed(before: Likeness, now: Likeness) -> list[str]:
    """Paths that came, went or are something else; objects only when one is gone or altered."""
    files = {path for path in {*before.files, *now.files} if before.files.get(path) != now.files.get(path)}
    return sorted(files | {path for path, told in before.objects.items() if now.objects.get(path) != told})


def _told(path: Path) -> str:
    facts = path.lstat()
    if stat.S_ISLNK(facts.st_mode):
        return f"link to {path.readlink()}"
    if stat.S_ISDIR(facts.st_mode):
        return f"folder {stat.S_IMODE(facts.st_mode):o}"
    return f"file {stat.S_IMODE(facts.st_mode):o} {hashlib.sha256(path.read_bytes()).hexdigest()}"


def branch_of(task: str, *, git_dir: str) -> list[str]:
    """What a delivered branch adds to a repository without one: the ref, its reflog, and their folders."""
    places = [f"{git_dir}/{part}refs/heads/thoughtforge/" for part in ("logs/", "")]
    return sorted([*places, *(f"{place}{task}" for place in places)])


def salvage_of(task: str, *, git_dir: str) -> list[str]:
    """What saved work adds: one ref that is no branch."""
    place = f"{git_dir}/refs/thoughtforge/"
    return [place, f"{place}salvage/", f"{place}salvage/{task}"]
