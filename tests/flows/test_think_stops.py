"""Every row of the table of stops, reached with the installed command: what may be done, and that nothing else may."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from flows.code_thoughts import GOOD, WISH, begun, building, create, done
from flows.code_thoughts import rules as code_rules
from flows.test_think_errors import fails
from flows.test_think_halts import AGAIN, FIX, STILL
from flows.thoughts import PROPOSAL, Garden, agreed, built, make_app_at, make_garden, polished, section
from harness.place import ended, until
from thoughtforge.service.messages import halt_abandoned
from thoughtforge.views.next_actions import ACTIONS, table

Told = dict[str, Any]
PLAN = "# Greeter\n\n## Aim\n\n| Objective | Plan | Assessment |\n|---|---|---|\n| greet | TBD | TBD |\n"
STUCK = {"stuck": True, "reason": "When does spring begin?", "content": {}}


def thought(garden: Garden, *rules: Told, flags: tuple[str, ...] = (), **config: Any) -> Told:
    """A plan whose build begins with these replies."""
    garden.script(*agreed(), *rules, **config)
    return garden.json("think", garden.note(), *flags)


def code(garden: Garden, *replies: Told) -> Told:
    """Code whose builder does this and hands in."""
    garden.script(*begun(), *building(*replies, done()))
    return garden.json("think", garden.note(WISH))


def no_criteria(garden: Garden) -> Told:
    """Two proposals without the list of criteria."""
    garden.script(*agreed(proposal={key: value for key, value in PROPOSAL.items() if key != "criteria"}))
    return garden.json("think", garden.note())


def no_constraints(garden: Garden) -> Told:
    """A document that is needed and gone."""
    thought(garden, fails("plan_section"))
    path = garden.project / "docs" / "constraints.md"
    path.rename(path.with_suffix(".away"))
    return garden.json("resume", "last")


def put_constraints_back(garden: Garden) -> None:
    """A person repairs what was named."""
    path = garden.project / "docs" / "constraints.md"
    path.with_suffix(".away").rename(path)


def vanished(garden: Garden) -> Told:
    """A runner that is killed while nobody is waited for."""
    garden.script(*agreed(), {**section("aim"), "delay": 30})
    running = garden.spawn("think", garden.note())
    until(lambda: _build_begun(garden), "the build")
    running.send_signal(signal.SIGKILL)
    ended(running)
    halt_abandoned(make_app_at(garden))
    return {**garden.view("status.json"), "exit_code": 1}


def incomplete_plan(garden: Garden) -> Told:
    """Code from a plan that is not finished."""
    (garden.folder / "plan.md").write_text(PLAN)
    gate = {"when": {"context": "form of completeness"}, "reply": {"pass": False, "reasons": ["Aim lacks a plan."]}}
    garden.script(gate, *code_rules())
    return garden.json("think", garden.note(WISH), "-r", "plan.md")


def broken_template(garden: Garden) -> Told:
    """A configuration that a person has to put right."""
    template(garden).parent.mkdir(parents=True)
    template(garden).write_text("# {{ title }}\n\n## Aim\n\n{% for x in y %}\n")
    return thought(garden)


def template(garden: Garden) -> Path:
    """Where a person's own template lies."""
    return garden.person / ".config" / "thoughtforge" / "templates" / "generic.md"


def refused_fixes(garden: Garden) -> Told:
    """A fixer that hands in next to nothing."""
    short = {"when": {"context": "form of plan_fix"}, "reply": {"sections": [{"heading": "Steps", "text": ""}]}}
    return thought(garden, *built(), AGAIN, short, STILL)


def terminated(garden: Garden) -> Told:
    """A person ended it."""
    thought(garden, fails("plan_section"))
    return garden.json("terminate", "last", "--yes")


def on_another_branch(garden: Garden) -> Told:
    """The person looks at something of their own in the project while it waits."""
    thought(garden, fails("plan_section"))
    garden.git("checkout", "--quiet", "-b", "mine")
    garden.script(*agreed(), *built(), *polished())
    return garden.json("resume", "last")


def on_main_again(garden: Garden) -> None:
    garden.git("checkout", "--quiet", "main")


def nothing(garden: Garden) -> None:
    """Nothing needs to be repaired."""


class Way(NamedTuple):
    """How a stop is reached, and how the thought goes on from there."""

    halt: Callable[[Garden], Told]
    shown: tuple[str, str, int]
    """The phase it halts in, the reason people see and the exit code."""
    action: tuple[str, ...] = ("resume", "last")
    repair: Callable[[Garden], None] = nothing
    rules: tuple[Told, ...] = (*built(), *polished())


EMPTY = {"stuck": False, "content": {"time_body": "In March."}}
CODE = tuple(code_rules())
KNOWN = GOOD.replace("{name or 'stranger'}", "{'Ann' if name else 'stranger'}")
"""Code that knows what its tests ask, and nothing else."""
WAYS = {
    "agent_failed": Way(lambda g: thought(g, fails("plan_section")), ("building", "agent_failed", 1)),
    "criteria_missing": Way(
        no_criteria, ("spec_building", "criteria_missing", 1), rules=(*agreed(), *built(), *polished())
    ),
    "file_system_error": Way(no_constraints, ("building", "file_system_error", 1), repair=put_constraints_back),
    "project_busy": Way(on_another_branch, ("building", "project_busy", 1), repair=on_main_again),
    "phase3_output_missing": Way(code, ("building", "phase3_output_missing", 1), rules=CODE),
    "phase3_output_incomplete": Way(
        lambda g: code(g, create("a.py", '"""A."""\n')), ("building", "phase3_output_incomplete", 1), rules=CODE
    ),
    "server_restart": Way(vanished, ("building", "server_restart", 1)),
    "budget": Way(
        lambda g: thought(g, *built(), flags=("--max-steps", "4")),
        ("building", "budget", 4),
        action=("resume", "last", "--max-steps", "99"),
    ),
    "stuck": Way(
        lambda g: thought(g, {"when": section("time")["when"], "reply": STUCK}, *built()),
        ("building", "stuck", 1),
        action=("provide", "last", "In March."),
    ),
    "held_back": Way(
        lambda g: code(g, create("greeter.py", KNOWN), done()),
        ("building", "held_back", 1),
        action=("provide", "last", "drop H-1"),
        rules=CODE,
    ),
    "section_unfilled": Way(
        lambda g: thought(g, {"when": section("time")["when"], "reply": EMPTY}, *built()),
        ("building", "section_unfilled", 1),
    ),
    "plan_incomplete": Way(
        incomplete_plan, ("building", "plan_incomplete", 1), action=("override", "last", "--yes"), rules=CODE
    ),
    "fix_rejected": Way(refused_fixes, ("polishing", "fix_rejected", 1), rules=(FIX, *polished()[2:])),
    "guard": Way(
        lambda g: thought(g, *built(), AGAIN, FIX, STILL, polish={"max_iterations": 2}),
        ("polishing", "max_iterations", 1),
        action=("override", "last", "--yes"),
    ),
    "human_terminated": Way(terminated, ("building", "human_terminated", 1)),
    "other": Way(broken_template, ("building", "configuration", 2), repair=lambda g: template(g).unlink()),
}


@pytest.fixture
def garden(tmp_path: Path) -> Garden:
    """A fresh place outside any repository."""
    return make_garden(tmp_path)


def halted(garden: Garden, reason: str) -> None:
    """Reach the stop and look how it is shown."""
    told = WAYS[reason].halt(garden)
    assert told["phase"] == "halted"
    assert (told["halted_in"], told["halt_reason"], told["exit_code"]) == WAYS[reason].shown
    view = garden.view("status.json")
    assert (view["phase"], view["halted_in"], view["halt_reason"]) == ("halted", *WAYS[reason].shown[:2])


def test_every_row_has_a_way_to_it() -> None:
    assert set(WAYS) == set(table())


@pytest.mark.parametrize("reason", sorted(WAYS))
def test_what_is_not_in_its_row_is_refused_and_what_is_leads_on(garden: Garden, reason: str) -> None:
    halted(garden, reason)
    before = garden.events()
    given = {"resume": (), "override": ("--yes",), "provide": ("more",), "terminate": ("--yes",)}
    for action in sorted(set(ACTIONS) - set(table()[reason])):
        assert (action, garden.json(action, "last", *given[action])["exit_code"]) == (action, 2)
    assert garden.events() == before
    if reason == "human_terminated":
        return
    way = WAYS[reason]
    assert way.action[0] in table()[reason]
    way.repair(garden)
    garden.script(*way.rules)
    done = garden.json(*way.action)
    assert (done["phase"], done["exit_code"]) == ("done", 0)
    accepted = table()[reason][way.action[0]].after == "done"
    assert (done["polished"]["outcome"] == "accepted_by_person") == accepted


def test_words_to_a_stuck_build_answer_its_question(garden: Garden) -> None:
    halted(garden, "stuck")
    way = WAYS["stuck"]
    garden.script(*way.rules)
    done = garden.json("say", *way.action[1:])
    assert (done["phase"], done["exit_code"]) == ("done", 0)
    assert [event["action"] for event in garden.events("action_asked")][-1] == "provide"


@pytest.mark.parametrize("reason", sorted(set(WAYS) - {"human_terminated", "stuck"}))
def test_every_stop_can_be_talked_about_and_terminated_for_good(garden: Garden, reason: str) -> None:
    halted(garden, reason)
    said = garden.json("say", "last", "I think about it.")
    assert (said["phase"], said["halt_reason"]) == ("halted", WAYS[reason].shown[1])
    told = garden.json("terminate", "last", "--yes")
    assert (told["phase"], told["halt_reason"], told["exit_code"]) == ("halted", "human_terminated", 1)
    assert garden.run("resume", "last").code == 2


def _build_begun(garden: Garden) -> bool:
    """Whether the builder was asked, also while there is no task yet."""
    try:
        return bool(garden.contexts("build"))
    except (ValueError, FileNotFoundError):
        return False
