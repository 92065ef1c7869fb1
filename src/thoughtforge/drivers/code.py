"""Stages that write tests or code: red, green and refactor. What each must hold is measured in code/."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TYPE_CHECKING, Literal

from thoughtforge.definitions.drivers import options_of
from thoughtforge.kernel.model import Stage, Value
from thoughtforge.kernel.ports import NeedsPerson, Produced

if TYPE_CHECKING:
    from thoughtforge.agent.run import Run


NEEDS = frozenset({"code"})


class Options(Value):
    """What a stage of a pipeline may set."""

    exit: Literal["red", "green", "refactor"]
    """What must hold at its end: tests that fail for the right reason, code that makes them pass, or simpler code."""
    prompt: str = ""
    """The prompt it is given; empty takes the one named like the stage."""
    along: str = ""
    """The later stage whose artifact comes in the same answer in a quick run; empty for none."""


def _writes(options: Options) -> str:
    """Red writes tests, everything after it the product."""
    return "tests" if options.exit == "red" else "product"


WRITES = _writes


def work(run: Run, stage: Stage) -> Awaitable[Produced | NeedsPerson]:
    """One round of the stage; a thought without an agent halts before anything heavy is loaded."""
    if run.project is not None:
        from thoughtforge.think.deliverable import require_agent

        require_agent(run, stage)
    from thoughtforge.stages.code import work

    return work(run, stage, exit=options_of(stage, Options).exit)
