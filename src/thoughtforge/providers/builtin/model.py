"""A model of rules: it has jobs it can do and says so when asked for anything else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from thoughtforge.calls.port import Capabilities, Model, OnDelta, ProviderError, Reply, Reservation, Schema, Usage
from thoughtforge.kernel.model import JsonObject, Value
from thoughtforge.providers.builtin.completeness import completeness
from thoughtforge.providers.builtin.distil import distil
from thoughtforge.providers.builtin.fill import fill
from thoughtforge.providers.builtin.propose import propose
from thoughtforge.providers.builtin.sentences import NOT_SAID
from thoughtforge.settings.environment import Machine

NOTHING = Usage(input_tokens=0, output_tokens=0)
"""Known to be none, not unknown: no model is asked."""
DO = "Connect one under `providers` in config.yaml (kind http, or a coding agent) and name it under `provider`."

JOBS: Mapping[str, Callable[[Mapping[str, Any]], JsonObject]] = {
    "distill": lambda given: distil(given.get("messages", ()), given.get("resources", ()), given.get("said", ())),
    "propose": lambda given: propose(
        given["intent"],
        given.get("answers", {}),
        said=given.get("said", ()),
        doubts=given.get("doubts", ()),
        templates=given.get("templates", {}),
        resources=given.get("resources", ()),
    ),
    "plan_section": lambda given: fill(
        given["section"], given["intent"], proposal=given["proposal"], resources=given.get("resources", ())
    ),
    "completeness": lambda given: completeness(given["document"]),
}

FILLS = frozenset({"distiller", "spec_builder", "builder"})
"""The roles it can take; to judge and to repair what others wrote needs more than rules."""


class Options(Value):
    """One entry of `providers:` with `kind: builtin`; there is nothing to set."""


def make(options: Options, machine: Machine) -> Model:
    """The model of one configuration entry."""
    return BuiltinModel()


class BuiltinModel:
    """Sorts what a person wrote. It costs nothing, and nothing leaves this machine."""

    def __init__(self) -> None:
        self.offsite = False
        self.label = "builtin"
        self.model = "builtin"
        self.capabilities = Capabilities(jobs=frozenset(JOBS), roles=FILLS, placeholder=NOT_SAID)

    def reserve(self, system: str, context: str, max_output: int, schema: Schema = None) -> Reservation:
        """Nothing: no model is asked."""
        return Reservation(tokens=0, usd=0)

    async def complete(
        self, system: str, context: str, schema: Schema = None, *, max_output: int, on_delta: OnDelta | None = None
    ) -> Reply:
        """Refuse: free text needs a model."""
        raise ProviderError(
            "unsupported", "the builtin provider only sorts notes by rules; this step needs a model", do=DO
        )

    def answer(self, job: str, material: Mapping[str, Any]) -> JsonObject:
        """Do a job by rules; the answer keeps the contract of that job."""
        work = JOBS.get(job)
        if work is None:
            known = ", ".join(sorted(JOBS))
            raise ProviderError("unsupported", f"the builtin provider has no job {job!r}; it has {known}", do=DO)
        return work(material)

    def reply(self, text: str) -> Reply:
        """An answer as it goes on record: nothing used, nothing paid."""
        return Reply(text=text, model=self.model, usage=NOTHING, usd=0)
