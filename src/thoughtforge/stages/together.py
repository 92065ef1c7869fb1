"""In a quick run one answer holds what two stages hand in; each artifact still has its own stage, contract and role."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from thoughtforge.agent.context import MEASURED, WHOLE, Block
from thoughtforge.agent.run import Run
from thoughtforge.calls.events import DepthSet, HandedAlong
from thoughtforge.calls.spending import DEPTH, Depth
from thoughtforge.contracts.contract import Contract
from thoughtforge.contracts.validate import repaired
from thoughtforge.definitions.depth import along
from thoughtforge.kernel.model import Digest, JsonObject, Stage

HANDS_IN = {"clarify": "answers", "deliver": "delivery_notes"}
"""Driver → the contract of what its agent hands in, where the engine makes the artifact of it."""


class TwoStages(NamedTuple):
    """A stage, and the later one whose artifact comes in the same answer."""

    first: Stage
    second: Stage
    contract: str
    """Of what is handed in for the second."""

    def blocks(self, run: Run) -> list[Block]:
        """What the agent is told of the second artifact."""
        wanted = run.library.config.clarify.confidence
        prompt = run.library.catalog.render(f"with-{self.second.name}", confidence=f"{wanted:g}")
        return [Block(f"hand in with it: {self.contract}", prompt.text, WHOLE, floor=WHOLE, need=MEASURED)]


def pair(run: Run, stage: Stage) -> TwoStages | None:
    """The later stage that hands in with this one now; None in a full run or when the run ends before it."""
    task = run.record.task
    names = [one.name for one in task.pipeline.stages]
    partner = along(stage)
    if not _depth(run).quick or partner not in names or names.index(partner) > names.index(task.exit_stage):
        return None
    second = task.pipeline.stage(partner)
    return TwoStages(stage, second, HANDS_IN.get(second.driver, second.output_contract))


def _depth(run: Run) -> Depth:
    return run.record.journal.of(DEPTH)


def wider(contract: Contract, other: Contract) -> Contract:
    """A contract with one more field that holds another one; without the field the first is still kept."""
    properties = {**contract.schema.get("properties", {}), other.name: _held(other)}
    return contract._replace(
        name=f"{contract.name} with {other.name}", schema={**contract.schema, "properties": properties}
    )


def _held(other: Contract) -> JsonObject:
    """A contract that is a list under its own name is that list."""
    fields: JsonObject = other.schema.get("properties", {})
    held: JsonObject = fields[other.name] if list(fields) == [other.name] else other.schema
    return {**held, "description": "Hand it in here, in this same answer."}


def widened(run: Run, contract: str, two: TwoStages) -> tuple[Run, str]:
    """The run with a contract for both, and its name."""
    known = run.library.contracts
    both = wider(known[contract], known[two.contract])
    return replace(run, library=replace(run.library, contracts={**known, both.name: both})), both.name


def split(run: Run, two: TwoStages, artifact: JsonObject) -> tuple[JsonObject, JsonObject | None]:
    """The artifact of the first stage, and that of the second when the answer has one."""
    second = repaired(_held(run.library.contracts[two.contract]), artifact.get(two.contract))
    first = {key: value for key, value in artifact.items() if key != two.contract}
    if isinstance(second, list):
        second = {two.contract: second}
    return first, second if isinstance(second, dict) and second else None


def put_along(
    run: Run, two: TwoStages, second: JsonObject | None, *, beside: Digest, refused: Digest | None = None
) -> None:
    """What came for the later stage, on record under its own name.

    A corrected version that leaves it out keeps what came with the `refused` one: whoever corrects is told so.
    """
    known = _depth(run).along.get(two.second.name)
    if second is not None:
        artifact = run.record.put(second)
    elif known is not None and refused is not None and known.beside == refused:
        artifact = known.artifact
    else:
        return
    event = HandedAlong(
        stage=two.second.name,
        contract=two.contract,
        artifact=artifact,
        with_stage=two.first.name,
        beside=beside,
        role=two.first.role,
    )
    if known != event:  # after a crash just here it is on record already
        run.record.journal.append(event)


def handed_along(run: Run, stage: Stage) -> HandedAlong | None:
    """What was handed in for a stage before it began; what came with a version that was refused does not count."""
    found = _depth(run).along.get(stage.name)
    if found is None or run.record.stage(found.with_stage).artifact != found.beside:
        return None
    return found


def rise(run: Run, change: DepthSet | None) -> None:
    """Record a depth that was raised."""
    if change is not None:
        run.record.journal.append(change)
