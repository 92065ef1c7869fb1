"""The reasons only a thought stops for."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from thoughtforge.catalog import extension
from thoughtforge.kernel.route import SKIPS
from thoughtforge.kernel.state import State
from thoughtforge.kernel.stops import HALTED, HALTED_AND_ASKS, PERSON, register
from thoughtforge.views.phases import deliverable_type


class ThoughtStop(StrEnum):
    """Why a thought stopped."""

    brain_dump = "brain_dump"
    agent_needed = "agent_needed"
    criteria_missing = "criteria_missing"
    stuck = "stuck"
    section_unfilled = "section_unfilled"
    held_back = "held_back"
    plan_incomplete = "plan_incomplete"
    phase3_output_missing = "phase3_output_missing"
    phase3_output_incomplete = "phase3_output_incomplete"
    server_restart = "server_restart"


register(
    {
        **dict.fromkeys(ThoughtStop, HALTED),
        ThoughtStop.brain_dump: PERSON,
        ThoughtStop.agent_needed: PERSON,
        ThoughtStop.criteria_missing: HALTED_AND_ASKS,
    }
)


class Condition(NamedTuple):
    """An artifact came from outside, or the first passed stage that measured this found it so."""

    external: str = ""
    measured: str = ""
    equals: bool | int = 0

    def holds(self, state: State) -> bool:
        """Whether it is so now."""
        if self.external:
            return self.external in state.externals
        stages = state.stages.values()  # in the order in which they began
        passed = [stage.verdict.measured for stage in stages if stage.status == "passed" and stage.verdict]
        found = next((measured[self.measured] for measured in passed if self.measured in measured), None)
        return found is not None and found == self.equals and isinstance(found, bool) == isinstance(self.equals, bool)


class Untested(NamedTuple):
    """The type a person confirmed is one that is built without tests."""

    def holds(self, state: State) -> bool:
        """Whether it is so now."""
        found = deliverable_type(state)
        return found is not None and not extension("deliverables", found).TESTED


CONDITIONS: dict[str, Condition | Untested] = {
    "untested_deliverable": Untested(),
    "spec_provided": Condition(external="specification"),
    "tests_provided": Condition(external="test_suite"),
    "no_ambiguities": Condition(measured="ambiguities", equals=0),
    "trivial_change": Condition(measured="trivial_change", equals=True),
}
"""Word in a pipeline file → its condition. Tasks on record name these words: none may go."""

SKIPS.update({name: condition.holds for name, condition in CONDITIONS.items()})
