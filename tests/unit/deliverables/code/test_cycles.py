"""When failed cycles mean that a person has to help."""

import pytest

from thoughtforge.agent.memory import Cycle, Memory
from thoughtforge.deliverables.code.composing import probing, stuck

A, B, BROKEN = Cycle("a, b", False), Cycle("b", False), Cycle("project_set_up", True)


@pytest.mark.parametrize(
    ("cycles", "why"),
    [
        ((), ""),
        ((A, A), ""),
        ((A, A, A), "the same 2 failures in 3 cycles: no code"),
        ((A, A, B), ""),
        ((B, A, A, A), "the same 2 failures in 3 cycles: no code"),
        ((BROKEN, Cycle("output missing", True), BROKEN), "the build failed 3 times running: no code"),
        ((BROKEN, BROKEN, A), ""),
    ],
)
def test_three_cycles_running_are_stuck(cycles: tuple[Cycle, ...], why: str) -> None:
    assert stuck(cycles, 3, told="no code") == why


def test_what_nobody_can_see_may_fail_alone_once() -> None:
    alone = Cycle("held_back_cases", False)
    assert [probing(Memory(cycles=found)) for found in ((A, alone), (alone, A, alone))] == [False, True]
