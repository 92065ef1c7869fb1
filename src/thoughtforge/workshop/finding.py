"""A finding as the goal of a task: it is gone when the gate, run once more, does not have it."""

from __future__ import annotations

import re

from thoughtforge.workshop.exit import Exit
from thoughtforge.workshop.workshop import Workshop

ID = re.compile(r"\bV-[0-9a-f]{12}\b")


def named(request: str) -> str | None:
    """The finding a request is about."""
    found = ID.search(request)
    return found.group() if found else None


async def measure(exit: Exit, workshop: Workshop, wanted: str) -> None:
    """Look for the finding in every file that was changed and everywhere else."""
    verdict = await workshop.gate.whole(await workshop.workspace.paths(exit.tree))
    if verdict.broken:
        exit.broken("finding_gone", "; ".join(f"{one.check}: {one.broken}" for one in verdict.broken))
        return
    left = [f for f in (*verdict.new, *verdict.existing) if f.id == wanted]
    exit.hold("finding_gone", [f"{f.id} is still at {f.path}:{f.line}: {f.message}" for f in left], good=wanted)
