"""One review of an artifact by another role. An answer that cannot be read is asked for again, never taken as clean."""

from __future__ import annotations

from thoughtforge.agent.answer import json_object
from thoughtforge.agent.calls import Order, call
from thoughtforge.agent.context import Block
from thoughtforge.agent.frame import as_yaml, context_for, hint_blocks, input_blocks, system_for
from thoughtforge.agent.means import Agent, Means
from thoughtforge.agent.outline import outline
from thoughtforge.contracts.severity import Severity, severity_of
from thoughtforge.contracts.validate import check
from thoughtforge.kernel.errors import Stop
from thoughtforge.kernel.model import Digest, Issue, JsonObject, Problem, Stage
from thoughtforge.kernel.ports import Reviewed
from thoughtforge.kernel.stops import StopReason


async def review(means: Means, stage: Stage, reviewer: str, artifact: Digest) -> Reviewed:
    """Ask the reviewer until its answer keeps the contract, as often as repairs are allowed."""
    agent = means.agent(reviewer)
    contract = means.contracts[agent.role.output_contract]
    problems: tuple[Problem, ...] = ()
    change = await _change(means)
    for attempt in range(means.task.rules.repairs + 1):
        order = _order(means, agent, stage, artifact=artifact, problems=problems, attempt=attempt, change=change)
        reply = await call(means, order)
        answer = json_object(reply)
        problems = check(answer, contract, means.given())
        if answer is not None and not problems:
            return _reviewed(means, answer)
    told = "; ".join(f"{p.where}: {p.what}" for p in problems)[:400]
    raise Stop(StopReason.check_broken, f"the review of {stage.name} by {reviewer} could not be read: {told}")


async def _change(means: Means) -> str:
    """What was changed in the files so far; nothing where nothing is written."""
    if means.workshop is None:
        return ""
    workspace = means.workshop.workspace
    return await workspace.diff(workspace.base, await workspace.tree())


def _order(
    means: Means,
    agent: Agent,
    stage: Stage,
    *,
    artifact: Digest,
    problems: tuple[Problem, ...],
    attempt: int,
    change: str,
) -> Order:
    system = system_for(means, agent, stage, {})
    prompt = means.catalog.render("review", contract=stage.output_contract)
    contract = means.contracts[agent.role.output_contract]
    mine = means.stage(stage.name)
    blocks = [
        Block("what to do now", prompt.text, 420, floor=420),
        Block(f"form of {contract.name}", outline(contract.schema), 600, floor=600),
        *hint_blocks(means),
        Block(
            "your last answer could not be used", "\n".join(f"- {p.where}: {p.what}" for p in problems), 400, floor=200
        ),
        Block(
            f"the {stage.output_contract} to review",
            as_yaml(means.artifact(artifact)),
            2_600,
            floor=1_500,
            untrusted=True,
        ),
        Block("the change itself", change, 2_000, floor=900, untrusted=True),
        *input_blocks(means),
    ]
    actions = f"Answer with one JSON object, the {contract.name}, and nothing else."
    context = context_for(means, agent, stage, system=system, blocks=blocks, actions=actions)
    key = f"{stage.name}/{mine.round}/review-{agent.role.name}-{attempt}"
    prompts = {**system.prompts, "review": prompt.digest}
    return Order(key, stage, agent, system, context, prompts, schema=contract.schema, mode="review")


def _reviewed(means: Means, answer: JsonObject) -> Reviewed:
    """Strictest reading: an issue listed as advisory whose severity says critical blocks."""
    blocking = [Issue.model_validate(_fields(row)) for row in answer.get("blocking_issues", [])]
    advisory = [Issue.model_validate(_fields(row)) for row in answer.get("advisory_issues", [])]
    worse = [issue for issue in advisory if severity_of(issue.severity) is Severity.critical]
    kept = [issue for issue in advisory if issue not in worse]
    return Reviewed(means.put(answer), (*blocking, *worse), tuple(kept))


def _fields(row: JsonObject) -> JsonObject:
    return {key: row[key] for key in Issue.model_fields if key in row}
