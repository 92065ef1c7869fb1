"""What comes next in a stage that writes files, as a table; and when what was handed in counts as measured."""

import pytest

from thoughtforge.agent.memory import Memory
from thoughtforge.agent.run import Done
from thoughtforge.agent.steps import End
from thoughtforge.calls.events import ActionTaken
from thoughtforge.coding.building import ActTurn, BuildView, MeasureTurn, next_turn, seen
from thoughtforge.kernel.events import Measured

HANDED = ActionTaken(stage="s", round=1, step=4, role="r", tool="complete", outcome="ok", summary="", output="d" * 64)
READ = HANDED.model_copy(update={"tool": "read_file"})


@pytest.mark.parametrize(
    ("view", "turn"),
    [
        (BuildView(), ActTurn()),
        (BuildView(handed=True), MeasureTurn()),
        (BuildView(handed=True, outcome="pass"), Done("passed")),
        (BuildView(handed=True, outcome="fail"), ActTurn()),
        (BuildView(handed=True, outcome="fail", circles="round and round"), Done("circles")),
        (BuildView(handed=True, outcome="fail", refuted=True, circles="x"), Done("refuted")),
        (BuildView(handed=True, outcome="fail", refused=True), Done("refused")),
        (BuildView(handed=True, outcome="pass", refused=True), Done("passed")),
        (BuildView(end=End(question={"question": "?"})), Done("ended")),
        (BuildView(handed=True, outcome="fail", end=End()), Done("ended")),
    ],
)
def test_what_comes_next(view: BuildView, turn: object) -> None:
    assert next_turn(view) == turn


def exit_of(outcome: str, *, step: int = 4, tree: str = "t") -> Measured:
    return Measured.model_validate(
        {"stage": "s", "step": step, "what": "exit", "outcome": outcome, "summary": "", "tree": tree}
    )


@pytest.mark.parametrize(
    ("memory", "exit", "found"),
    [
        (Memory(), None, (False, "")),
        (Memory(recent=(READ,)), exit_of("pass"), (False, "")),
        (Memory(recent=(HANDED,)), None, (True, "")),
        (Memory(recent=(HANDED,)), exit_of("pass", step=3), (True, "")),
        (Memory(recent=(HANDED,)), exit_of("pass"), (True, "pass")),
        (Memory(recent=(HANDED,)), exit_of("pass", tree="other"), (True, "")),
        (Memory(recent=(HANDED,)), exit_of("fail", tree="other"), (True, "fail")),
        (Memory(recent=(HANDED,)), exit_of("broken"), (True, "")),
    ],
)
def test_what_was_handed_in_counts_as_measured_only_on_these_files(
    memory: Memory, exit: Measured | None, found: tuple[bool, str]
) -> None:
    assert seen(memory, exit, "t") == found
