"""Before a stage works: what the specification adds is installed, and green begins with it declared."""

from __future__ import annotations

from thoughtforge.agent import writing
from thoughtforge.agent.means import Means
from thoughtforge.kernel.model import Stage
from thoughtforge.workshop.dependencies import added, declaring
from thoughtforge.workshop.desk import Edit
from thoughtforge.workshop.workshop import Workshop

DECLARING = "implementation"
"""The output contract of the stage whose commit declares what was added."""


async def supply(means: Means, stage: Stage, workshop: Workshop) -> None:
    """Install what the specification adds, from what a person allows; then declare it, on record like every edit."""
    if not workshop.tested:
        return
    new = await added(workshop, means.accepted().get("specification"))
    if new or means.journal.state.measured.get("dependencies"):  # an earlier specification may have added others
        await workshop.supply([one.line for one in new])
    if not new or stage.output_contract != DECLARING:
        return
    path, text = await declaring(workshop, new)
    if not await _differs(workshop, path):
        await writing.put(means, stage, workshop, [Edit(path, text.encode())])


async def _differs(workshop: Workshop, path: str) -> bool:
    """Whether a file is no longer as the base commit has it: then it was declared before, and is measured later."""
    changes = await workshop.workspace.changes(workshop.workspace.base, await workshop.workspace.tree())
    return path in {name for change in changes for name in (change.path, change.old_path)}
