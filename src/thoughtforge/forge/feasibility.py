"""What a plan asks the engine to try: probes of its assumptions, and the commands of its testing section."""

from __future__ import annotations

from typing import Literal, NamedTuple

ProbeKind = Literal["search", "import", "run", "try", "unknown"]
"""search TEXT in the repository; import NAME; run COMMAND; try the code fence below the line."""


class PlanProbe(NamedTuple):
    """One line `assumption | probe | expect` of the risks; an unknown kind of probe is shown as not run."""

    assumption: str
    kind: ProbeKind
    probe: str
    """Without its kind; for `try` the code."""
    expect: str
    line: int
    """Line of the plan, from 1."""


class PlanCommand(NamedTuple):
    """One command of the testing section and what is expected of it."""

    command: str
    exit_code: int | None
    """None when only a text is expected."""
    output: str
    """Text its output must contain; empty when only the exit code counts."""
    line: int


class PlanTesting(NamedTuple):
    """The testing section as values."""

    commands: tuple[PlanCommand, ...]
    prose: str
    """What is not in a fence of commands: shown as not run, never as passed."""


def probes_of(text: str) -> tuple[PlanProbe, ...]:
    """The probes of a plan, in the sections Risks and Assumptions."""
    raise NotImplementedError


def testing_of(text: str) -> PlanTesting:
    """The commands in the code fences of the testing section."""
    raise NotImplementedError
