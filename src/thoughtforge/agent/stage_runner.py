"""What the loop calls to get a stage done: its driver by name, the gate on its artifact, reviews and questions.

`run_agent` is the work of an agent with tools in a stage, whichever kind of agent it is.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from thoughtforge.agent import questions
from thoughtforge.agent.bridge import Bridge
from thoughtforge.agent.calls import fallback_for, no_object
from thoughtforge.agent.run import Agent, Run
from thoughtforge.agent.steps import Brief, End, take_steps
from thoughtforge.catalog import extension, extension_names
from thoughtforge.contracts.measures import MEASURES, facts
from thoughtforge.contracts.validate import check
from thoughtforge.definitions.drivers import CODE, driver
from thoughtforge.kernel.errors import Stop, UserError
from thoughtforge.kernel.model import Digest, Escalation, JsonObject, Problem, Stage, Verdict
from thoughtforge.kernel.ports import NeedsPerson, Produced, Reviewed
from thoughtforge.kernel.stops import StopReason

Facts = dict[str, bool | int | float | str]


class StageRunner:
    """Runs the stages of one task."""

    def __init__(self, run: Run) -> None:
        self.run = run

    def drain_inbox(self) -> None:
        """Turn waiting messages into events."""
        self.run.people.drain_inbox()

    def review(self, stage: Stage, reviewer: str, artifact: Digest) -> Coroutine[Any, Any, Reviewed]:
        """One reviewer's answer."""
        return questions.review(self.run, stage, reviewer, artifact)

    def has_driver(self, name: str) -> bool:
        """Whether this version can run such a stage."""
        return name in extension_names("drivers")

    def escalation(self, stage: Stage, reason: str) -> Escalation:
        """The question for a person."""
        return ESCALATIONS[reason](self.run, stage)

    def work(self, stage: Stage) -> Coroutine[Any, Any, Produced | NeedsPerson]:
        """One round, on inputs that are proved once more on the way in."""
        self._check_inputs(stage)
        work: Coroutine[Any, Any, Produced | NeedsPerson] = extension("drivers", stage.driver).work(self.run, stage)
        return work

    def _check_inputs(self, stage: Stage) -> None:
        for contract, artifact in self.run.record.accepted().items():
            given = self.run.given()
            if contract in self.run.record.journal.state.externals:
                given = given._replace(request="")  # what came from outside answered a request of its own
            problems = check(artifact, self.run.library.contracts[contract], given)
            if problems:
                told = "; ".join(f"{p.where}: {p.what}" for p in problems)[:400]
                detail = f"the {contract} that {stage.name} works from violates its contract: {told}"
                raise Stop(StopReason.check_broken, detail)

    async def judge(self, stage: Stage, artifact: Digest) -> Verdict:
        """Hold an artifact against its contract, its evidence against the files, its role's checks against facts."""
        data = self.run.record.artifact(artifact)
        if data is None:
            shown = self.run.record.blobs.get(artifact).decode("utf-8", "replace")
            why = no_object(self.run, self.run.library.agent(stage.role), shown)
            problem = Problem(where="", what=f"{why}; it began {shown[:120]!r}", rule="json")
            return Verdict(outcome="fail", problems=(problem,))
        problems = list(check(data, self.run.library.contracts[stage.output_contract], self.run.given()))
        problems += await self._evidence(data)
        exit, wrong = await self._exit(stage)
        measured, unmet = self._measure(stage, data, exit)
        unmet = [problem for problem in unmet if problem.where not in self._not_run(stage)]
        problems += [*wrong, *unmet]
        return Verdict(outcome="fail" if problems else "pass", problems=tuple(problems), measured=measured)

    async def _evidence(self, data: JsonObject) -> list[Problem]:
        pieces = data.get("evidence")
        if not isinstance(pieces, list):
            return []
        if not pieces and self.run.library.tree.paths():
            what = "it quotes nothing; a statement about a repository with files needs at least one piece of evidence"
            return [Problem(where="evidence", what=what, rule="evidence")]
        checked = await questions.check_evidence(self.run.library.tree, pieces)
        return [Problem(where="evidence", what=what, rule="evidence") for what in checked.wrong]

    async def _exit(self, stage: Stage) -> tuple[Facts, list[Problem]]:
        """What was measured at the exit of a stage that writes files; it counts only for the files as they are now."""
        session = await self.run.session() if CODE in driver(stage.driver).needs else None
        if session is None:
            return {}, []
        exit = self.run.record.stage(stage.name).measured.get("exit")
        now = await session.workspace.tree()
        if exit is None or exit.outcome != "pass" or exit.tree != now:
            return {}, [Problem(where="", what="the exit of this stage was not measured on these files", rule="exit")]
        held = {c.name: c.outcome == "pass" for c in exit.criteria if c.outcome != "not_run"}
        return {**held, **exit.facts}, []

    def _not_run(self, stage: Stage) -> frozenset[str]:
        """What cannot be run before a new project is set up, as its exit says: that is held against nobody."""
        exit = self.run.record.stage(stage.name).measured.get("exit")
        if self.run.project is None or exit is None:
            return frozenset()
        return frozenset(c.name for c in exit.criteria if c.outcome == "not_run")

    def _measure(self, stage: Stage, data: JsonObject, exit: Facts) -> tuple[Facts, list[Problem]]:
        """The engine's own figures. A role's must_verify keys count only for the contract they were written for."""
        measured: Facts = {**facts(stage.output_contract, data), **exit}
        role = self.run.library.agent(stage.role).role
        unmet: list[Problem] = []
        for key, wanted in role.must_verify.items() if role.output_contract == stage.output_contract else ():
            measure = MEASURES[key]
            if measure.of is not None:
                measured[key] = measure.of(data, self.run.given())
            if measured.get(key) != wanted:
                found = measured.get(key, "nothing")
                unmet.append(Problem(where=key, what=f"{measure.text} Measured: {found}", rule="must_verify"))
        return measured, unmet

    async def passed(self, stage: Stage) -> None:
        """Let the driver make what follows from the end of its stage, such as the documents people read."""
        follow = driver(stage.driver).passed
        if follow is not None:
            await follow(self.run, stage)


ESCALATIONS: dict[str, Callable[[Run, Stage], Escalation]] = {
    "contract_violations": questions.contract_violations,
    "review_unresolved": questions.review_unresolved,
    "step_limit": questions.step_limit,
}


def run_agent(run: Run, agent: Agent, stage: Stage, *, brief: Brief, bridge: Bridge) -> Coroutine[Any, Any, End]:
    """Run until the agent completes or asks, uses up its steps, or repeats itself.

    A command-line agent works in turns, every other model in steps; so does an agent whose next call a person answers.
    """
    work = _work_in_turns if agent.model.capabilities.worker and run.by_hand.who is None else take_steps
    return work(run, agent, stage, brief=brief, bridge=bridge)


async def _work_in_turns(run: Run, agent: Agent, stage: Stage, *, brief: Brief, bridge: Bridge) -> End:
    from thoughtforge.agent.turns import take_turns

    try:
        return await take_turns(run, agent, stage, brief=brief, bridge=bridge)
    except (Stop, UserError) as failed:
        after = fallback_for(run, agent, failed)
    return await run_agent(run, after, stage, brief=brief, bridge=bridge)
