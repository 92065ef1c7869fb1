"""The text form of the plan and forge commands, for chats: `!plan …`, `!forge …`, `!stop`."""

from __future__ import annotations

from typing import NamedTuple


class PlanWords(NamedTuple):
    """One line a person wrote in a chat."""

    group: str
    """plan, forge or stop."""
    verb: str
    """create, list, show, edit, audit, approve, close, cancel, phases, run, run-all, run-one, skip, retry of plan;
    start, resume, status, cancel of forge; stop."""
    plan: str = ""
    """The id, as `plan-017`; empty when none was named."""
    phase: str = ""
    text: str = ""
    """The description of a new plan, or the reason of an approval without an audit."""
    regenerate: bool = False
    reset: bool = False
    unaudited: bool = False
    problem: str = ""
    """What is wrong with the line and what to write instead; empty when it can be done."""


def parse_words(line: str) -> PlanWords | None:
    """What a line asks for; None when it is no command of these."""
    raise NotImplementedError
