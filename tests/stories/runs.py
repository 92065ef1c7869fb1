"""The six reference runs: each uses the installed command with scripted replies and gives its story."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from flows.code_runs import make_tally, script
from flows.code_thoughts import WISH, rules
from flows.test_code_fix import OLD, RULES, finding
from flows.thoughts import INTENT, PROPOSAL, Garden, agreed, built, make_garden, polished, section
from harness import REQUEST, Done
from harness.place import make_place
from harness.terminal import terminal
from stories.teller import Teller


def design(folder: Path) -> Teller:
    """A sentence becomes a specification; a blocking review sends the first version back."""
    teller = Teller(make_place(folder))
    teller.run("design", REQUEST)
    return teller


def start(folder: Path) -> Teller:
    """The same sentence becomes a branch; one edit is refused on the way. Going on afterwards changes nothing."""
    teller = Teller(make_place(folder))
    teller.run("start", REQUEST)
    teller.run("continue", "last")
    teller.run("status", "last")
    return teller


def fix(folder: Path) -> Teller:
    """A finding of the gate is removed by its id, and the branch is applied."""
    place = make_tally(folder, {"tally/old.py": OLD})
    script(place, RULES)
    teller = Teller(place)
    teller.run("fix", finding(place))
    teller.run("apply", "last")
    return teller


def think_plan(folder: Path) -> Teller:
    """A note becomes a polished plan without a question."""
    garden = make_garden(folder)
    garden.script(*agreed(), *built(), *polished())
    teller = Teller(garden)
    teller.run("think", garden.note())
    return teller


def think_code(folder: Path) -> Teller:
    """A note becomes code: a build that fails its tests, one that passes, a critical finding and its fix."""
    garden = make_garden(folder)
    garden.script(*rules())
    teller = Teller(garden)
    teller.run("think", garden.note(WISH))
    return teller


def conversation(folder: Path) -> Teller:
    """A person corrects, goes back, confirms, answers an open point, confirms again and helps a build that is stuck."""
    garden = make_garden(folder)
    garden.script(*_unsettled(), *agreed(), *built(), *polished())
    teller = Teller(garden)
    leave(teller, garden, "think", garden.note())
    teller.run("say", "last", "Use clay pots.")
    teller.run("say", "last", "realign from here")
    teller.run("confirm", "last")
    teller.run("confirm", "last")
    teller.run("say", "last", "Basil and thyme.")
    teller.run("confirm", "last")
    teller.run("provide", "last", "In March.")
    teller.run("status", "last")
    return teller


def leave(teller: Teller, garden: Garden, *args: str) -> Done:
    """On a terminal the command shows what it understood; there the person leaves."""

    def go(env: dict[str, str]) -> Done:
        with terminal(*args, cwd=garden.folder, home=garden.person, **env) as person:
            person.expect("you> ")
            person.type("/quit\n")
            return Done(person.ended(), person.seen, "")

    return teller.follow(args, go)


def _unsettled() -> list[dict[str, Any]]:
    """An intent that follows a correction, a proposal with an open point, a section that cannot be written yet."""
    corrected = {**INTENT, "assumptions": ["There is room for clay pots."]}
    lacking = {**PROPOSAL, "resolved": PROPOSAL["resolved"][:1], "open": [{"id": "Q-1", "question": "Which herbs?"}]}
    stuck = {"stuck": True, "reason": "When does spring begin?", "content": {}}
    return [
        {"when": {"context": ["form of intent", "Use clay pots"]}, "reply": corrected},
        {"when": {"context": "form of proposal", "not": "Basil and thyme"}, "reply": lacking},
        {"when": {**section("time")["when"], "not": "In March"}, "reply": stuck},
    ]


RUNS: dict[str, Callable[[Path], Teller]] = {
    run.__name__: run for run in (design, start, fix, think_plan, think_code, conversation)
}
"""Name → the run; its golden files have the same name."""
