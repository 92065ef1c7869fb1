"""The documents a build goes by: as they were confirmed, or as a person left them before a halted build went on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from thoughtforge.agent.context import Block
from thoughtforge.agent.means import Means
from thoughtforge.intake.constraints_block import constraints_block
from thoughtforge.intake.documents import CONSTRAINTS, INTENT, SPEC, project, read
from thoughtforge.intake.rests import COURSES, EDITED, Course
from thoughtforge.intake.talking import answer, answered, conversation
from thoughtforge.kernel.events import Measured, WarningGiven
from thoughtforge.kernel.model import Stage

LOCKED = {SPEC: "spec", INTENT: "distill"}
"""Document → the stage whose commit has it as it was confirmed."""


class Documents(NamedTuple):
    """What does not change while the build runs, whatever happens to the files meanwhile."""

    spec: str
    intent: str
    """Only when a person has edited it: what was confirmed of it is in the specification."""
    constraints: str
    mark: str
    """The end of a call's key: what was answered to other texts is not used again."""

    def blocks(self, budget: int) -> list[Block]:
        """The constraints, and the intent where a person has changed it."""
        return [
            constraints_block("constraints and criteria", self.constraints, budget=budget // 4),
            Block("intent as the person edited it", self.intent, budget // 4, floor=budget // 8, untrusted=True),
        ]


async def documents(means: Means, stage: Stage) -> Documents:
    """Read once, when the build begins or goes on. After a crash they are the same: a crash is not a halt."""
    confirmed = {path: await _confirmed(means, path) for path in LOCKED}
    known = _edited(means, stage) or confirmed
    if _rested(means, stage):
        now = {path: read(means, path) for path in LOCKED}
        if means.put(now) != means.put(known):
            _record(means, stage, now, changed=[path for path in LOCKED if now[path] != known[path]])
            known = now
    edited = means.stage(stage.name).measured.get(EDITED)
    return Documents(
        spec=known[SPEC],
        intent=known[INTENT] if known[INTENT] != confirmed[INTENT] else "",
        constraints=read(means, CONSTRAINTS),
        mark=f"/{edited.report[:12]}" if edited and edited.report else "",
    )


async def _confirmed(means: Means, path: str) -> str:
    found = await project(means).at(means.stage(LOCKED[path]).commit, path)
    return read(means, path) if found is None else found.decode("utf-8", "replace")


def _edited(means: Means, stage: Stage) -> dict[str, str] | None:
    found = means.stage(stage.name).measured.get(EDITED)
    return means.artifact(found.report) if found and found.report else None


def _rested(means: Means, stage: Stage) -> bool:
    """Whether it came to rest since its texts were last looked at."""
    return means.journal.of(COURSES).get(stage.name, Course()).rested


def _record(means: Means, stage: Stage, texts: dict[str, str], *, changed: Sequence[str]) -> None:
    report = means.put(texts)
    told = f"Changed since: {', '.join(changed)}. From here the build goes by the text as it is now."
    if not answered(conversation(means), f"{EDITED}-{report[:12]}", 0):
        answer(means, told, code=f"{EDITED}-{report[:12]}")
        means.journal.append(WarningGiven(text=told, code=EDITED))
    mine, step = means.stage(stage.name), means.journal.state.used.steps
    means.journal.append(
        Measured(
            stage=stage.name,
            round=mine.round,
            step=step,
            what=EDITED,
            outcome="pass",
            summary=", ".join(changed),
            report=report,
        )
    )
