"""The gate before code is built from a plan that was brought along: complete enough, or a person decides."""

from __future__ import annotations

import re
from pathlib import Path

from thoughtforge.agent.asking import Job, ask
from thoughtforge.agent.context import Block
from thoughtforge.agent.means import Means
from thoughtforge.intake.documents import project
from thoughtforge.intake.resources import names
from thoughtforge.intake.stops import ThoughtStop
from thoughtforge.intake.talking import answer, conversation
from thoughtforge.kernel.errors import Stop
from thoughtforge.kernel.events import Measured
from thoughtforge.kernel.model import Stage

OPA = re.compile(r"^\|\s*Objective\s*\|\s*Plan\s*\|\s*Assessment\s*\|", re.MULTILINE | re.IGNORECASE)
HEADINGS = re.compile(
    r"^##\s+(aim|scope|steps|risks|objectives?|milestones?|architecture|timeline|budget)\b", re.M | re.I
)
LIKE_A_PLAN = 3
"""Headings of the kind plans have before a document counts as one; a lone note has none."""
GATE = "completeness"


def find_plan(folder: Path) -> Path | None:
    """The first Markdown document in resources/, or a folder below it, that is built like a plan."""
    for path in (folder / name for name in names(folder) if name.lower().endswith(".md")):
        if not path.is_file() or not path.resolve().is_relative_to(folder.resolve()):
            continue  # nothing outside the folder was brought along
        text = path.read_text(encoding="utf-8", errors="replace")
        if OPA.search(text) or len(HEADINGS.findall(text)) >= LIKE_A_PLAN:
            return path
    return None


async def check_plan(means: Means, stage: Stage) -> str:
    """The plan to build from, empty when none was brought along; one that is not complete halts for a person."""
    folder = project(means).root / "resources"
    path = find_plan(folder)
    if path is None:
        return ""
    name = path.relative_to(folder)
    text = path.read_text(encoding="utf-8", errors="replace")
    if conversation(means).asked("override", stage.name) or GATE in means.stage(stage.name).measured:
        return text
    budget = means.think.context_tokens
    job = Job(
        name="completeness",
        prompt="completeness-gate",
        contract="completeness",
        key=f"{stage.name}/{means.stage(stage.name).round}/completeness",
        blocks=[Block(f"plan {name}", text, budget, floor=budget // 2, untrusted=True)],
        material={"document": text},
    )
    found = (await ask(means, stage, job)).data
    if not found["pass"]:
        told = f"{name} is not complete enough to build from: {' '.join(found['reasons'])}"
        answer(means, told, code=GATE)
        raise Stop(ThoughtStop.plan_incomplete, told)
    mine, steps = means.stage(stage.name), means.journal.state.used.steps
    means.journal.append(
        Measured(stage=stage.name, round=mine.round, step=steps, what=GATE, outcome="pass", summary=str(name))
    )
    return text
