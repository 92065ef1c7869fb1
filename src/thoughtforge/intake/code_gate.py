"""The gate on a thought's code: what it found, as lines an agent can work with."""

from __future__ import annotations

from thoughtforge.agent.means import Means
from thoughtforge.intake.code_files import OURS
from thoughtforge.intake.documents import project
from thoughtforge.kernel.errors import Stop
from thoughtforge.kernel.stops import StopReason


async def gate_findings(means: Means) -> list[tuple[str, str]]:
    """Each new finding by its id, with place, words and hint; a check that cannot run is never passed over."""
    if means.check is None:
        raise Stop(StopReason.bug, "this task has nothing to run the gate with")
    verdict = await means.check(project(means).root)
    if verdict.broken:
        told = "; ".join(f"{one.check}: {one.broken}" for one in verdict.broken)[:400]
        raise Stop(StopReason.check_broken, f"the gate could not run: {told}")
    new = [one for one in verdict.new if one.path.partition("/")[0] not in OURS]
    return [(one.id, f"{one.path}:{one.line} {one.check}: {one.message} {one.hint}".strip()) for one in new]
