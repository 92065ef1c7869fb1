"""The code of a thought: which files it has, what may be written, and which tests carry a criterion's id."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path, PurePosixPath

from thoughtforge.agent.means import Means
from thoughtforge.deliverables.operations import check, write_of
from thoughtforge.intake.bodies import body
from thoughtforge.intake.documents import allow, project, write
from thoughtforge.kernel.model import JsonObject

OURS = ("docs", "resources", ".git", ".thoughtforge")
"""Folders that are not part of the code."""
LARGEST = 512 * 1024
TYPE = "code"


def sources(root: Path) -> dict[str, str]:
    """Path → text of every file of the code."""
    found: dict[str, str] = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root)
        if path.is_file() and not path.is_symlink() and name.parts[0] not in OURS and path.stat().st_size <= LARGEST:
            found[str(name)] = path.read_text(encoding="utf-8", errors="replace")
    return found


def written(root: Path) -> dict[str, str]:
    """The source files among them: documents alone are no code."""
    return {path: text for path, text in sources(root).items() if write_of(path) == "file_create_source"}


def refused(change: JsonObject, root: Path) -> tuple[str, ...]:
    """Why nothing of a change is written: it reaches outside the code, or takes a folder for a file."""
    gone, files = change["removed"], [row["path"] for row in change["files"]]
    rulings = [check(write_of(path), path, deliverable=TYPE) for path in (*files, *gone)]
    found = [ruling.reason for ruling in rulings if not ruling.allowed]
    if found:
        return tuple(found)  # what is no path inside is not even looked for
    found = [f"{path} is not part of the code" for path in (*files, *gone) if not is_code(path)]
    found += [f"{path} leads out of the project" for path in (*files, *gone) if not _inside(root, path)]
    found += [f"{path} is a folder" for path in (*files, *gone) if (root / path).is_dir()]
    for path in files:
        above = [str(one) for one in PurePosixPath(path).parents if str(one) != "."]
        taken = [one for one in above if one in files or ((root / one).is_file() and one not in gone)]
        found += [f"{path} lies below {one}, which is a file" for one in taken]
    return tuple(found)


def is_code(path: str) -> bool:
    """Whether a file of the project is part of the code."""
    first = PurePosixPath(path).parts[:1]
    return bool(first) and first[0] not in OURS


def _inside(root: Path, path: str) -> bool:
    """A folder may be a link of the person's: what lies behind it is theirs."""
    return (root / path).parent.resolve().is_relative_to(root.resolve())


def apply(means: Means, change: JsonObject) -> None:
    """Write the files of a change; each was judged before the first is written."""
    for path in (*(row["path"] for row in change["files"]), *change["removed"]):
        allow(means, write_of(path), path, deliverable=TYPE)
    for path in change["removed"]:
        (project(means).root / path).unlink(missing_ok=True)
    for row in change["files"]:
        write(means, row["path"], row["content"], deliverable=TYPE)


def uncovered(criteria: Collection[str], collected: Collection[str], files: Mapping[str, str]) -> tuple[str, ...]:
    """Criteria no collected test carries, in its name or inside its text."""
    texts = [f"{test}\n{body(test, files.get(test.partition('::')[0], ''))}" for test in collected]
    return tuple(one for one in criteria if not any(_carries(text, one) for text in texts))


def _carries(text: str, criterion: str) -> bool:
    letters, _, number = criterion.partition("-")
    return re.search(rf"(?<![a-z0-9]){letters}[-_]?{number}(?!\d)", text, re.IGNORECASE) is not None
