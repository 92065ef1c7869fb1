"""What the loop calls: drivers by name, the contract gate, reviews, questions, the inbox."""

from __future__ import annotations

from collections.abc import Callable

from thoughtforge.agent import evidence, questions, reviewer
from thoughtforge.agent.means import Means
from thoughtforge.catalog import extension, extension_names
from thoughtforge.contracts.measures import MEASURES, facts
from thoughtforge.contracts.validate import check
from thoughtforge.kernel.errors import Stop
from thoughtforge.kernel.model import Digest, Escalation, JsonObject, Problem, Stage, Verdict
from thoughtforge.kernel.ports import Asked, Made, Reviewed
from thoughtforge.kernel.stops import StopReason
from thoughtforge.service.code_stages import BUILDING

Facts = dict[str, bool | int | float | str]


class TaskKit:
    """The kit of one run."""

    def __init__(self, means: Means) -> None:
        self.means = means

    def absorb(self) -> None:
        """Turn waiting inbox messages into events."""
        self.means.absorb()

    def has_driver(self, name: str) -> bool:
        """Whether this version can run such a stage."""
        return name in extension_names("drivers")

    def escalation(self, stage: Stage, reason: str) -> Escalation:
        """The question for a person."""
        return ESCALATIONS[reason](self.means, stage)

    async def work(self, stage: Stage) -> Made | Asked:
        """One round, on inputs that are proved once more on the way in."""
        self._check_inputs(stage)
        outcome: Made | Asked = await extension("drivers", stage.driver).work(self.means, stage)
        return outcome

    def _check_inputs(self, stage: Stage) -> None:
        for contract, artifact in self.means.accepted().items():
            given = self.means.given()
            if contract in self.means.journal.state.externals:
                given = given._replace(request="")  # what came from outside answered a request of its own
            problems = check(artifact, self.means.contracts[contract], given)
            if problems:
                told = "; ".join(f"{p.where}: {p.what}" for p in problems)[:400]
                detail = f"the {contract} that {stage.name} works from does not keep its contract: {told}"
                raise Stop(StopReason.check_broken, detail)

    async def judge(self, stage: Stage, artifact: Digest) -> Verdict:
        """Hold an artifact against its contract, its evidence against the files, its role's checks against facts."""
        data = self.means.artifact(artifact)
        if data is None:
            shown = self.means.blobs.get(artifact).decode("utf-8", "replace")[:120]
            problem = Problem(where="", what=f"not one JSON object but {shown!r}", rule="json")
            return Verdict(outcome="fail", problems=(problem,))
        problems = list(check(data, self.means.contracts[stage.output_contract], self.means.given()))
        problems += await self._evidence(data)
        exit, wrong = await self._exit(stage)
        measured, unmet = self._measure(stage, data, exit)
        problems += [*wrong, *unmet]
        return Verdict(outcome="fail" if problems else "pass", problems=tuple(problems), measured=measured)

    async def _evidence(self, data: JsonObject) -> list[Problem]:
        pieces = data.get("evidence")
        if not isinstance(pieces, list):
            return []
        if not pieces and self.means.tree.paths():
            what = "nothing is quoted; a statement about a repository with files needs at least one piece of evidence"
            return [Problem(where="evidence", what=what, rule="evidence")]
        checked = await evidence.check(self.means.tree, pieces)
        return [Problem(where="evidence", what=what, rule="evidence") for what in checked.wrong]

    async def _exit(self, stage: Stage) -> tuple[Facts, list[Problem]]:
        """What was measured at the exit of a stage that writes files; it counts only for the files as they are now."""
        if self.means.workshop is None or stage.driver not in BUILDING:
            return {}, []
        exit = self.means.stage(stage.name).measured.get("exit")
        now = await self.means.workshop.workspace.tree()
        if exit is None or exit.outcome != "pass" or exit.tree != now:
            return {}, [Problem(where="", what="the exit of this stage was not measured on these files", rule="exit")]
        held = {c.name: c.outcome == "pass" for c in exit.criteria if c.outcome != "not_run"}
        return {**held, **exit.facts}, []

    def _measure(self, stage: Stage, data: JsonObject, exit: Facts) -> tuple[Facts, list[Problem]]:
        """The engine's own figures. A role's must_verify keys count only for the contract they were written for."""
        measured: Facts = {**facts(stage.output_contract, data), **exit}
        role = self.means.agent(stage.role).role
        unmet: list[Problem] = []
        for key, wanted in role.must_verify.items() if role.output_contract == stage.output_contract else ():
            measure = MEASURES[key]
            if measure.of is not None:
                measured[key] = measure.of(data, self.means.given())
            if measured.get(key) != wanted:
                found = measured.get(key, "nothing")
                unmet.append(Problem(where=key, what=f"{measure.text} Measured: {found}", rule="must_verify"))
        return measured, unmet

    async def settle(self) -> None:
        """Put in its place what was confirmed when the work came to rest."""
        if self.means.project is not None:
            from thoughtforge.intake.documents import settle

            await settle(self.means)

    async def review(self, stage: Stage, reviewer_name: str, artifact: Digest) -> Reviewed:
        """One reviewer's answer."""
        return await reviewer.review(self.means, stage, reviewer_name, artifact)


ESCALATIONS: dict[str, Callable[[Means, Stage], Escalation]] = {
    "contract_violations": questions.contract_violations,
    "review_unresolved": questions.review_unresolved,
    "step_limit": questions.step_limit,
}
