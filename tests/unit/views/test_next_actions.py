"""The table of stops, cell by cell: what may be done, what comes of it, what begins anew, what is asked."""

from __future__ import annotations

import pytest

from thoughtforge.kernel import events as e
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.stops import STOPS, StopReason, TaskStatus
from thoughtforge.polish.events import PolishStop
from thoughtforge.views.next_actions import ACTIONS, Cell, cell, row, table
from thoughtforge.views.phases import halt_reason, phase
from unit.kernel.making import story

RESUME, TERMINATE = Cell("same", (), False), Cell("halted", (), True)
ACCEPT = Cell("done", (), True)
PLAIN = {"resume": RESUME, "terminate": TERMINATE}
TABLE = {
    "agent_failed": PLAIN,
    "criteria_missing": PLAIN,
    "file_system_error": PLAIN,
    "project_busy": PLAIN,
    "phase3_output_missing": PLAIN,
    "phase3_output_incomplete": PLAIN,
    "server_restart": PLAIN,
    "budget": PLAIN,
    "stuck": {"provide": Cell("same", ("stuck",), False), "terminate": TERMINATE},
    "held_back": {"provide": Cell("same", ("stuck",), False), "terminate": TERMINATE},
    "section_unfilled": PLAIN,
    "plan_incomplete": {"override": Cell("building", (), True), "terminate": TERMINATE},
    "fix_rejected": {
        "resume": Cell("polishing", ("rejected_fixes",), False),
        "override": ACCEPT,
        "terminate": TERMINATE,
    },
    "guard": {"resume": Cell("polishing", ("reviews",), False), "override": ACCEPT, "terminate": TERMINATE},
    "human_terminated": {},
    "other": PLAIN,
}
BUDGET = 4
HALTS = [one for one in STOPS if STOPS[one].status is TaskStatus.halted or STOPS[one].exit_code == BUDGET]
WORDS: dict[str, str] = {
    StopReason.provider_failed: "agent_failed",
    StopReason.aborted: "human_terminated",
    StopReason.budget_usd: "budget",
    StopReason.budget_tokens: "budget",
    StopReason.budget_steps: "budget",
    StopReason.budget_wall: "budget",
}


def test_the_table_is_exactly_this() -> None:
    assert table() == TABLE


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("reason", HALTS)
def test_every_reason_allows_what_its_row_says_and_nothing_else(reason: str, action: str) -> None:
    detail = "plateau: no new low" if reason is PolishStop.guard else "because"
    state = story(e.RunnerStopped(reason=reason, detail=detail))
    word = WORDS.get(reason, str(reason))
    expected = TABLE.get("guard" if reason is PolishStop.guard else word, TABLE["other"])
    assert row(state) == expected
    if action in expected:
        assert cell(state, action) == expected[action]
    else:
        with pytest.raises(UserError, match=f"{action} does not fit here"):
            cell(state, action)


def test_a_guard_s_halt_is_known_by_the_guard_s_name() -> None:
    state = story(e.RunnerStopped(reason=PolishStop.guard, detail="survivor: F-001 in 5 reviews"))
    assert (halt_reason(state), phase(state).name) == ("survivor", "halted")


def test_every_stop_but_termination_offers_a_way_on() -> None:
    ways = {reason: set(cells) - {"terminate"} for reason, cells in TABLE.items()}
    assert [reason for reason, way in ways.items() if not way] == ["human_terminated"]


def test_what_has_not_stopped_has_no_row() -> None:
    assert row(story()) == {}
