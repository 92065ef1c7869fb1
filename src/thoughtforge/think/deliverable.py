"""What a type of deliverable offers, and what the engine may do for it: every action has a class.

The folder of a type lists what may be done for it; what is not listed is refused.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple, Protocol, cast

from thoughtforge.agent.asking import by_rules
from thoughtforge.agent.context import MEASURED, Block
from thoughtforge.agent.run import Run
from thoughtforge.catalog import extension, extension_names
from thoughtforge.contracts.rules_files import path_problem
from thoughtforge.kernel.errors import Stop
from thoughtforge.kernel.events import WarningGiven
from thoughtforge.kernel.model import Stage
from thoughtforge.kernel.ports import NeedsPerson, Produced
from thoughtforge.polish.finding import Ran, ReviewFinding
from thoughtforge.think.stops import ThoughtStop

OPERATIONS = {
    "shell_exec": "starts a program",
    "file_create_source": "writes a file that is neither a document nor state",
    "file_write_doc": "writes a Markdown document",
    "file_write_state": "writes a file of the task's own state, or keeps material for it",
    "package_install": "installs a package",
    "test_exec": "runs tests",
    "git_commit": "makes a commit",
    "agent_text": "asks an agent for text",
    "agent_code": "lets an agent change files",
}
STATE_FILES = frozenset(
    {"status.json", "chat_history.json", "polish_state.json", "polish_log.md", "thoughtforge.log", "state.yaml"}
)
MATERIAL = re.compile(r"resources/[^/]+\.(?:csv|docx|gif|jpe?g|pdf|png|txt|webp)", re.IGNORECASE)
"""What a connector brings besides Markdown; it is kept with the task and never run."""
BLANK_LINES = re.compile(r"\n{3,}")
WRITES = frozenset({"file_create_source", "file_write_doc", "file_write_state"})


class Ruling(NamedTuple):
    """Whether an operation may happen and, if not, why."""

    allowed: bool
    reason: str


def write_of(path: str) -> str:
    """The class of writing a file at a path inside the project."""
    name = PurePosixPath(path).name
    if name in STATE_FILES or MATERIAL.fullmatch(path):
        return "file_write_state"
    return "file_write_doc" if name.lower().endswith(".md") else "file_create_source"


def check(operation: str, target: str = "", *, deliverable: str) -> Ruling:
    """Judge one operation before it happens; `target` is the file written, or what is started or installed."""
    if operation not in OPERATIONS:
        return Ruling(False, f"{operation[:60]!r} is no operation the engine knows")
    known = extension_names("deliverables")
    if deliverable not in known:
        return Ruling(False, f"{deliverable[:60]!r} is no type of deliverable; known: {', '.join(known)}")
    shown = f" ({target[:80]})" if target else ""
    if operation not in extension("deliverables", deliverable).OPERATIONS:
        return Ruling(False, f"{operation}{shown} {OPERATIONS[operation]}; work on a {deliverable} never does that")
    problem = _misplaced(operation, target) if operation in WRITES else ""
    return Ruling(not problem, f"{operation}{shown}: {problem}" if problem else "")


def _misplaced(operation: str, target: str) -> str:
    """Why a file may not be written as this operation; a source file does not become a document by its class."""
    problem = path_problem(target)
    if problem:
        return f"the path {problem}"
    if operation != "file_create_source" and write_of(target) != operation:
        return f"this file is {write_of(target)}, not {operation}"
    return ""


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
    text: str = ""
    """All of it: what a quotation must stand in."""
    failing: Sequence[str] = ()
    """The lines of `gate` that name tests which do not pass, with their messages."""
    gate: Sequence[str] = ()
    """What was measured against it, a line each: tests, criteria, the gate. Only without any is it finished."""
    findings: Sequence[ReviewFinding] = ()
    """What the engine itself reports, besides the reviewer: they count like every other finding."""

    def results(self) -> list[Block]:
        """What was measured, as a reviewer is shown it: the tests, then everything else."""
        ran = self.tests
        tests = f"{ran.total} total, {ran.passed} passed, {ran.failed} failed" if ran else ""
        others = "\n".join(line for line in self.gate if line not in self.failing)
        return [
            Block("test results", "\n".join([tests, *self.failing]), 1_500, floor=500, untrusted=True),
            Block("what the gate found", others, 2_000, floor=500, untrusted=True),
        ]


class Fix(NamedTuple):
    """What came of a fix: its commit, or why it is refused."""

    refused: str
    summary: str
    commit: str = ""
    declined: Mapping[str, str] = {}
    """Points it would not change, by id, with its reason and the words that speak for it."""


class FixOrder(NamedTuple):
    """What a fix has to put right."""

    number: int
    """The iteration whose review it answers."""
    findings: Sequence[ReviewFinding]
    measured: Sequence[str]
    """What the engine itself has against the deliverable, a line each."""
    constraints: str
    attempt: int
    refused: str = ""
    """Why the fix before this one was refused; empty when it was taken, or there was none."""

    def refusal(self) -> Block:
        """That, for the fixer."""
        return Block("why your last fix was refused", self.refused, 800, floor=400, untrusted=True, need=MEASURED)


class Deliverable(Protocol):
    """One task's deliverable under review."""

    type: str
    path: str
    review_prompt: str
    review_contract: str

    async def look(self, since: str) -> Seen:
        """How it stands; `since` is the commit of the review before."""
        ...

    async def fix(self, order: FixOrder) -> Fix:
        """Let it be put right, judge that, and commit what holds; a crash in between is made up for."""
        ...

    async def hash(self) -> str:
        """Which version lies there now; the same text has the same."""
        ...


class DeliverableType(Protocol):
    """What the folder of a type offers."""

    OPERATIONS: frozenset[str]
    """What the engine may do for it; see `operations.py`."""
    TESTED: bool
    """Whether tests are written before it is built."""
    PATH: str
    """Where it lies in the project."""

    def belongs(self, path: str) -> bool:
        """Whether a file is part of it: what is put back when an earlier iteration is restored."""
        ...

    async def compose(self, run: Run, stage: Stage) -> Produced | NeedsPerson:
        """Build it from what was confirmed."""
        ...

    def polished(self, run: Run, stage: Stage) -> Deliverable:
        """It under review."""
        ...


def deliverable_named(name: str) -> DeliverableType:
    """The type of that name; a wrong name lists what exists."""
    return cast(DeliverableType, extension("deliverables", name))


def confirmed(run: Run) -> DeliverableType:
    """The type a person confirmed."""
    return deliverable_named(str(run.record.accepted()["intent"]["deliverable_type"]))


def require_agent(run: Run, stage: Stage) -> None:
    """Halt when no agent is connected that can write code."""
    if by_rules(run.library.agent(stage.role)):
        raise Stop(ThoughtStop.agent_needed, "code is written by an agent, and none is connected")


def digest(text: str) -> str:
    """The hash by which two versions are the same; blanks at the ends of lines and further blank lines do not count."""
    plain = "\n".join(line.rstrip() for line in text.strip().splitlines())
    return hashlib.sha256(BLANK_LINES.sub("\n\n", plain).encode("utf-8", "replace")).hexdigest()


def warn_of_cut(run: Run, what: str, cut: Sequence[str]) -> None:
    """Warn when a reviewer or fixer saw only part of something."""
    if cut:
        run.record.journal.append(WarningGiven(text=f"the {what} saw only part of: {', '.join(cut)}", code="cut"))


def listed(findings: Sequence[ReviewFinding]) -> str:
    """The findings as a fixer reads them."""
    return "\n".join(map(_line, findings))


def _line(one: ReviewFinding) -> str:
    place, test = f" {one.location}" if one.location else "", f" Test: {one.test}" if one.test else ""
    return f"- {one.id} ({one.severity}){place}: {one.told()} → {one.recommendation}{test}"
