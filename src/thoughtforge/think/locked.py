"""The documents a build goes by: as they were confirmed, or as a person left them before a halted build went on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from thoughtforge.agent.context import Block
from thoughtforge.agent.run import Run
from thoughtforge.kernel.events import Measured, WarningGiven
from thoughtforge.kernel.model import Stage
from thoughtforge.think.documents import CONSTRAINTS, INTENT, SPEC, project, read
from thoughtforge.think.rests import COURSES, EDITED, StageCourse
from thoughtforge.think.talking import answer, answered, conversation
from thoughtforge.think.texts import constraints_block, decided_text, said_once

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
            constraints_block("constraints and criteria", said_once(self.constraints, self.spec), budget=budget // 4),
            Block("intent as the person edited it", self.intent, budget // 4, floor=budget // 8, untrusted=True),
        ]


def decided_block(run: Run, *, budget: int) -> Block:
    """What was confirmed as decided."""
    accepted = run.record.accepted()
    text = decided_text(accepted["intent"], accepted["proposal"])
    return Block("decisions that stand", text, budget, floor=budget // 2, untrusted=True)


async def documents(run: Run, stage: Stage) -> Documents:
    """Read once, when the build begins or goes on. After a crash they are the same: a crash is not a halt."""
    confirmed = {path: await _confirmed(run, path) for path in LOCKED}
    known = _edited(run, stage) or confirmed
    if _rested(run, stage):
        now = {path: read(run, path) for path in LOCKED}
        if run.record.put(now) != run.record.put(known):
            _record(run, stage, now, changed=[path for path in LOCKED if now[path] != known[path]])
            known = now
    edited = run.record.stage(stage.name).measured.get(EDITED)
    return Documents(
        spec=known[SPEC],
        intent=known[INTENT] if known[INTENT] != confirmed[INTENT] else "",
        constraints=read(run, CONSTRAINTS),
        mark=f"/{edited.report[:12]}" if edited and edited.report else "",
    )


async def _confirmed(run: Run, path: str) -> str:
    found = await project(run).at(run.record.stage(LOCKED[path]).commit, path)
    return read(run, path) if found is None else found.decode("utf-8", "replace")


def _edited(run: Run, stage: Stage) -> dict[str, str] | None:
    """The texts as a person left them in this stage, or in one before it."""
    names = [one.name for one in run.record.task.pipeline.stages]
    for name in reversed(names[: names.index(stage.name) + 1] if stage.name in names else [stage.name]):
        found = run.record.stage(name).measured.get(EDITED)
        if found and found.report:
            return run.record.artifact(found.report)
    return None


def _rested(run: Run, stage: Stage) -> bool:
    """Whether it came to rest since its texts were last looked at."""
    return run.record.journal.of(COURSES).get(stage.name, StageCourse()).rested


def _record(run: Run, stage: Stage, texts: dict[str, str], *, changed: Sequence[str]) -> None:
    report = run.record.put(texts)
    told = f"Changed since: {', '.join(changed)}. From here the build goes by the text as it is now."
    if not answered(conversation(run), f"{EDITED}-{report[:12]}", 0):
        answer(run, told, code=f"{EDITED}-{report[:12]}")
        run.record.journal.append(WarningGiven(text=told, code=EDITED))
    mine, step = run.record.stage(stage.name), run.record.journal.state.used.steps
    run.record.journal.append(
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
