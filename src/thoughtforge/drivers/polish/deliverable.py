"""What is polished, as the loop needs it: how it stands, what a reviewer is shown, how a fix gets in."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from thoughtforge.agent.context import Block
from thoughtforge.agent.means import Means
from thoughtforge.kernel.events import WarningGiven
from thoughtforge.review.finding import Finding, Ran


class Seen(NamedTuple):
    """The deliverable as it lies there now."""

    hash: str
    size: int
    exists: Callable[[str], bool]
    """Whether a location a reviewer names is really there."""
    blocks: Sequence[Block]
    """What a reviewer is shown of it."""
    full: bool
    """Whether that is all of it."""
    tests: Ran | None = None
    gate: Sequence[str] = ()
    """What was measured against it, a line each: tests, criteria, the gate. Only without any is it finished."""


class Fix(NamedTuple):
    """What came of a fix: new contents by path, or why it is refused."""

    files: dict[str, str | None]
    refused: str
    summary: str


class Deliverable(Protocol):
    """A plan or code."""

    type: str
    path: str
    review_prompt: str
    review_contract: str

    async def look(self, since: str) -> Seen:
        """How it stands; `since` is the commit of the review before."""
        ...

    async def fix(self, findings: Sequence[Finding], *, constraints: str, measured: Sequence[str], key: str) -> Fix:
        """Ask for a fix and judge whether it is plausible; nothing is written here."""
        ...

    def hash(self) -> str:
        """Which version lies there now; the same text has the same."""
        ...

    def belongs(self, path: str) -> bool:
        """Whether a file is part of it: what is put back when an earlier iteration is restored."""
        ...


def digest(text: str) -> str:
    """The hash by which two versions are the same."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def warn_of_cut(means: Means, what: str, cut: Sequence[str]) -> None:
    """Whoever was shown only part of something is not said to have seen it."""
    if cut:
        means.journal.append(WarningGiven(text=f"the {what} saw only part of: {', '.join(cut)}", code="cut"))


def listed(findings: Sequence[Finding]) -> str:
    """The findings as a fixer reads them."""
    return "\n".join(
        f"- {one.id} ({one.severity}) {one.location}: {one.title} {one.description} → {one.recommendation}"
        for one in findings
    )
