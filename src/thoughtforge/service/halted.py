"""What a halted build or polishing tells the person: what failed in words, what lies there, the deliverable itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from thoughtforge.kernel.events import Measured
from thoughtforge.kernel.state import State
from thoughtforge.polish.rounds import ROUNDS, Rounds, resolved
from thoughtforge.store.port import Reader
from thoughtforge.think.stops import ThoughtStop
from thoughtforge.views.phases import deliverable_type, phase
from thoughtforge.views.values import HaltView

PLACES = ("building", "polishing")
"""Phases whose work is the deliverable; before them the conversation says everything."""
NOT_CODE = ("docs", "resources")
FRAME = re.compile(r"\|\s*Objective\s*\|\s*Plan\s*\|\s*Assessment\s*\|", re.I)
UNSEEN = " for inputs you have not seen"
"""What is told whoever writes the code; a person sees the cases."""
LISTED = 40
"""Files of code that are named."""


def halt_view(task: Reader, project: Path, *, workspace: Path) -> HaltView | None:
    """Nothing for a thought that has not halted in its build or polishing."""
    state = task.state
    at = phase(state)
    if at.halted_in not in PLACES:
        return None
    rounds = resolved(task.snapshot.of(ROUNDS), lambda digest: dict(json.loads(task.blobs.get(digest))))
    failed = [*(_reviewed(rounds) if at.halted_in == "polishing" else _measured(state))]
    if not failed and state.stop != ThoughtStop.stuck:  # then the agent's question says it
        failed = [state.stop_detail]
    plan = project / "docs" / "plan.md"
    is_plan = deliverable_type(state) == "plan"
    # code gets into the project once it is accepted; until then it lies in the workspace
    root = workspace if at.halted_in == "building" and workspace.is_dir() else project
    files = () if is_plan else tuple(_files(root))
    text = plan.read_text(encoding="utf-8", errors="replace") if is_plan and plan.is_file() else ""
    there = _plan(text) if is_plan else _code(files, _newest(state), root)
    return HaltView(tuple(filter(None, failed)), tuple(there), text or "\n".join(files[:LISTED]))


def _reviewed(rounds: Rounds) -> Iterator[str]:
    """The findings of the last review in their own words, what was measured, and why the last fix was refused."""
    if not rounds.rounds:
        return
    last = rounds.rounds[-1]
    for row in last.data["findings"]:
        said = ". ".join(text.strip().rstrip(".") for text in (row["title"], row["description"]) if text.strip())
        yield f"{row['severity']}: {said}. ({row['location'] or 'no place'}) → {row['recommendation']}".rstrip(" →")
    yield from (line.removeprefix("- ") for line in last.data["gate"])
    if last.fix is not None and last.fix.outcome == "rejected":
        yield f"the last fix was refused: {last.fix.reason}"


def _measured(state: State) -> Iterator[str]:
    """The conditions of the build that do not hold, tests with their errors."""
    found = _newest(state)
    for one in found.criteria if found else ():
        if one.outcome in ("fail", "broken"):
            detail = one.detail.replace(UNSEEN, "")
            yield f"“{one.name.replace('_', ' ')}” does not hold: {detail}"


def _newest(state: State) -> Measured | None:
    """The last measurement of the work."""
    stages = [state.stage(name) for name in ("polish", "build", "tests")]
    found = [stage.measured.get(what) for stage in stages for what in ("look", "exit")]
    return next((one for one in found if one is not None), None)


def _plan(text: str) -> Iterator[str]:
    sections = [part.partition("\n") for part in f"\n{text}".split("\n## ")[1:]]
    written = [heading.strip() for heading, _, body in sections if _says_something(body)]
    empty = [heading.strip() for heading, _, body in sections if not _says_something(body)]
    if not written:
        yield "no section of the plan is written yet"
        return
    yield f"docs/plan.md, {len(text):,} characters, with {', '.join(written)}"
    if empty:
        yield f"still empty: {', '.join(empty)}"


def _says_something(body: str) -> bool:
    """Whether there is more than the frame: a row of a table with words in it, or text below it."""
    rows = [line for line in body.splitlines() if line.strip() and not FRAME.fullmatch(line.strip())]
    return any(character.isalnum() for line in rows for character in line)


def _code(files: tuple[str, ...], measured: Measured | None, root: Path) -> Iterator[str]:
    yield f"{len(files)} file{'s' * (len(files) != 1)} in {root}" if files else "no file is written yet"
    total = measured.facts.get("tests_total") if measured else None
    if measured is not None and total is not None:
        yield f"{measured.facts.get('tests_passed', 0)} of {total} tests pass"


def _files(root: Path) -> Iterator[str]:
    """The files of the code with their lengths."""
    for path in sorted(root.rglob("*")):
        inside = path.relative_to(root)
        hidden = any(part.startswith((".", "__pycache__")) for part in inside.parts)
        if path.is_file() and not hidden and inside.parts[0] not in NOT_CODE:
            lines = path.read_text(encoding="utf-8", errors="replace").count("\n")
            yield f"{inside.as_posix()} ({lines} lines)"
