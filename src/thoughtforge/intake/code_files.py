"""The code of a thought: which files it has, what may be written, and which tests carry a criterion's id."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path

from thoughtforge.agent.means import Means
from thoughtforge.deliverables.operations import write_of
from thoughtforge.intake.documents import allow, project, write
from thoughtforge.kernel.errors import Stop
from thoughtforge.kernel.model import JsonObject
from thoughtforge.kernel.stops import StopReason

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


def apply(means: Means, change: JsonObject) -> None:
    """Write the files of a change; one that is not the code's own is refused and nothing of it is written."""
    for path in (*(row["path"] for row in change["files"]), *change["removed"]):
        if Path(path).parts[:1] and Path(path).parts[0] in OURS:
            raise Stop(StopReason.check_broken, f"{path} is not part of the code; nothing was written")
        allow(means, write_of(path), path, deliverable=TYPE)
    for row in change["files"]:
        write(means, row["path"], row["content"], deliverable=TYPE)
    for path in change["removed"]:
        (project(means).root / path).unlink(missing_ok=True)


def uncovered(criteria: Collection[str], collected: Collection[str], files: Mapping[str, str]) -> tuple[str, ...]:
    """Criteria no collected test carries, in its name or inside its text."""
    texts = [f"{test}\n{_body(test, files)}" for test in collected]
    return tuple(one for one in criteria if not any(_carries(text, one) for text in texts))


def _carries(text: str, criterion: str) -> bool:
    letters, _, number = criterion.partition("-")
    return re.search(rf"(?<![a-z0-9]){letters}[-_]?{number}(?!\d)", text, re.IGNORECASE) is not None


def _body(test: str, files: Mapping[str, str]) -> str:
    """The text of a test as far as its name finds it: from there to the next unindented line of code."""
    path, _, rest = test.partition("::")
    name = rest.rpartition("::")[2].partition("[")[0]
    text = files.get(path, "")
    at = text.find(f"{name}(") if name else -1
    if at == -1:
        return ""
    end = re.search(r"^(?=\S)(?![)\]}])", text[text.find("\n", at) + 1 :], re.MULTILINE)
    return text[at : text.find("\n", at) + 1 + end.start()] if end else text[at:]
