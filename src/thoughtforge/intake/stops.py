"""The reasons only a thought rests for."""

from __future__ import annotations

from enum import StrEnum

from thoughtforge.kernel.stops import HALTED, HALTED_AND_ASKS, PERSON, register


class ThoughtStop(StrEnum):
    """Why a thought rests."""

    brain_dump = "brain_dump"
    agent_needed = "agent_needed"
    criteria_missing = "criteria_missing"
    stuck = "stuck"
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
