"""Everything of a person's repository that a task must leave as it was."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path
from typing import NamedTuple

from harness.place import Place

OURS = ".thoughtforge"


class Likeness(NamedTuple):
    """What is where: path → kind, permissions and a digest of the content."""

    files: dict[str, str]
    objects: frozenset[str]
    """Object files, by content; they are only ever added to."""

    def without(self, ref: str) -> Likeness:
        """As it is apart from one ref, its reflog and the objects it brought."""
        kept = {path: said for path, said in self.files.items() if not path.endswith(ref) and not _above(path, ref)}
        return Likeness(kept, frozenset())

    def __eq__(self, other: object) -> bool:
        """The same but for objects that were added."""
        if not isinstance(other, Likeness):
            return NotImplemented
        return self.files == other.files and (self.objects <= other.objects or other.objects <= self.objects)

    def __hash__(self) -> int:
        return hash(self.objects)


def _above(path: str, ref: str) -> bool:
    """Whether a folder is there only because the ref is."""
    return path.endswith("/") and any(f"/{above}/" in f"/{path}" for above in _folders(ref))


def _folders(ref: str) -> list[str]:
    parts = ref.split("/")
    return ["/".join(parts[:depth]) for depth in range(3, len(parts))]


def likeness(place: Place, *more: Path) -> Likeness:
    """The repository with its git directory, apart from the folder of the tasks; and further folders beside it."""
    files: dict[str, str] = {}
    objects: set[str] = set()
    for root in (place.repository, *more):
        for folder, names, contents in os.walk(root):
            if Path(folder) == place.repository:
                names.remove(OURS)
            for name in (*names, *contents):
                path = Path(folder) / name
                told = _told(path)
                if "/objects/" in f"{path}/":
                    objects.add(told)
                else:
                    key = f"{path.relative_to(root.parent)}{'/' if path.is_dir() else ''}"
                    files[key] = told
    return Likeness(files, frozenset(objects))


def _told(path: Path) -> str:
    facts = path.lstat()
    if stat.S_ISLNK(facts.st_mode):
        return f"link to {path.readlink()}"
    if stat.S_ISDIR(facts.st_mode):
        return f"folder {stat.S_IMODE(facts.st_mode):o}"
    return f"file {stat.S_IMODE(facts.st_mode):o} {hashlib.sha256(path.read_bytes()).hexdigest()}"
