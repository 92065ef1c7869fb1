"""Every reason to rest has a state, an exit code and a next action that names a command which exists."""

from __future__ import annotations

import re
from typing import get_args

import click
import pytest

from thoughtforge.cli.main import ALIASES, COMMANDS, cli
from thoughtforge.kernel.model import Escalation
from thoughtforge.kernel.state import State
from thoughtforge.kernel.stops import HALTED, STOPS, StopReason, TaskStatus, reason_named, register
from thoughtforge.rooms import load_rooms
from thoughtforge.views.next_actions import next_actions, sentence, stops
from unit.kernel.making import story

load_rooms()
REASONS = tuple(STOPS)

EXIT_CODES = {0, 1, 2, 3, 4, 130}


def what_to_do(reason: str, state: State | None = None) -> str:
    """The sentence a person reads."""
    return sentence(next_actions(state or story(), reason)) or ""


def commands_in(text: str) -> list[tuple[str, list[str]]]:
    """Each command a sentence names, with the options it names after it; `|` offers another command."""
    parts = re.split(r"thoughtforge | \| ", text)[1:]
    return [(part.split()[0].strip(";,)"), re.findall(r"--[a-z-]+", part)) for part in parts]


def test_every_reason_is_explained_and_nothing_else_is() -> None:
    assert set(STOPS) == set(stops()["stops"])


def test_a_room_brings_reasons_of_its_own_and_never_one_that_is_there() -> None:
    assert {"brain_dump", "guard"} <= set(STOPS) - set(StopReason)
    with pytest.raises(ValueError, match="two reasons have the name paused"):
        register({StopReason.paused: HALTED})


def test_a_reason_is_known_by_its_word_and_an_unknown_word_is_none() -> None:
    assert all(reason_named(str(reason)) is reason for reason in STOPS)
    with pytest.raises(ValueError, match="no room registers the reason eclipse"):
        reason_named("eclipse")


@pytest.mark.parametrize("reason", REASONS)
def test_the_next_action_names_commands_and_options_that_exist(reason: str) -> None:
    named = commands_in(what_to_do(reason))
    assert named
    for name, options in named:
        assert name in COMMANDS or name in ALIASES
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        inner = [*command.commands.values()] if isinstance(command, click.Group) else []
        known = {option for one in (command, *inner) for param in one.params for option in param.opts}
        assert set(options) - known == set()


@pytest.mark.parametrize("reason", REASONS)
def test_the_next_action_names_the_task_where_it_can_go_on(reason: str) -> None:
    text = what_to_do(reason)
    assert "{" not in text
    assert ("20260101-abcd-a-task" in text) == (reason is not StopReason.prerequisite_missing)


@pytest.mark.parametrize("reason", REASONS)
def test_state_and_exit_code_agree(reason: str) -> None:
    facts = STOPS[reason]
    assert facts.exit_code in EXIT_CODES
    assert (facts.exit_code == 0) == (facts.status is TaskStatus.done)
    assert (facts.exit_code in (3, 4)) == (facts.status is TaskStatus.needs_person)
    assert (facts.exit_code == 4) == (reason.startswith("budget_") or reason is StopReason.unknown_cost)
    assert facts.status not in (TaskStatus.pending, TaskStatus.running)


def test_every_escalation_offers_a_way_to_answer_and_a_way_out() -> None:
    reasons = get_args(Escalation.model_fields["reason"].annotation)
    choices = Escalation(id="E-1", stage="s", reason=reasons[0], summary="s").choices
    assert choices == ("answer", "abort")
