"""What came of each answer of a code builder so far, and when that means that a person has to help."""

from __future__ import annotations

from typing import NamedTuple

from thoughtforge.agent.context import Block
from thoughtforge.agent.means import Means
from thoughtforge.calls.events import DraftMade
from thoughtforge.intake.stops import ThoughtStop
from thoughtforge.kernel.errors import Stop
from thoughtforge.kernel.model import Stage

SHOWN = 300
"""Characters of the failures a person is told."""
UNUSABLE = "an answer nobody can use"
NOT_RUN = "the tests cannot be run"


class Cycle(NamedTuple):
    """What one answer came to, and after how many answers of a person."""

    failing: tuple[str, ...]
    """Names of what fails; none when all is well."""
    given: int
    told: str
    broken: bool = False
    """The build itself failed: there is no usable answer, no code, or no test that can be run."""


def read_cycles(means: Means, stage: Stage) -> tuple[Cycle, ...]:
    """The cycles on record."""
    draft = means.stage(stage.name).draft
    data = means.artifact(draft) if draft else None
    rows = data["cycles"] if data else []
    return tuple(Cycle(tuple(row["failing"]), row["given"], row["told"], row.get("broken", False)) for row in rows)


def keep(means: Means, stage: Stage, cycles: tuple[Cycle, ...]) -> None:
    """Put them on record; what comes next is a new question, never an old answer."""
    draft = means.put({"cycles": [one._asdict() for one in cycles]})
    means.journal.append(DraftMade(stage=stage.name, round=means.stage(stage.name).round, draft=draft))


def check_stuck(means: Means, cycles: tuple[Cycle, ...], given: int) -> None:
    """Since a person last helped: the build failed so often running, or the same names did."""
    most = means.think.build_failures
    recent = [one for one in cycles if one.given == given][-most:]
    if len(recent) < most:
        return
    if all(one.broken for one in recent):
        raise Stop(ThoughtStop.stuck, f"the build failed {most} times running: {recent[-1].told[:SHOWN]}")
    if len({one.failing for one in recent}) == 1:
        names = recent[0].failing
        raise Stop(ThoughtStop.stuck, f"the same {len(names)} failures in {most} cycles: {', '.join(names)[:SHOWN]}")


def last_block(cycles: tuple[Cycle, ...]) -> Block:
    """What the builder is told of its last answer."""
    last = cycles[-1] if cycles else Cycle((), 0, "")
    title = "last test run" if not last.broken or last.failing == (NOT_RUN,) else "what was wrong with your last answer"
    return Block(title, last.told, 3_000, floor=1_500, untrusted=True)
