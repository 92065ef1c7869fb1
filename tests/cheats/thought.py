"""The cheats of this folder through the building of a thought: one honest session up to the build, then each builder.

A cheat is its definition of the other files. Its agent first writes the module those cheats change, then does what the
cheat does; whatever is left to say it gives up.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, NamedTuple

from cheats.cheat import Cheat
from cheats.place import FILES, World
from cheats.script import DELIVER, GIVE_UP, GREEN, HELD_BACK, LISTED, RED, TEST_FILE, TESTS, Reply, _answer, act, create
from flows.code_thoughts import CODE_INTENT, CODE_PROPOSAL
from flows.thoughts import Garden, Rule, agreed, make_garden, review

WISH = "Build a small Python library for a till that knows the average of prices, rounded down."
CRITERIA = [
    {"id": "AC-1", "text": "average([1, 2, 4]) is 2."},
    {"id": "AC-2", "text": "The average of one price is that price."},
]
INTERFACE = [
    {"name": "till.prices:average", "signature": "average(prices) -> int", "purpose": "the mean, rounded down"}
]
IDS = {"REQ-001.1": "AC-1", "REQ-001.2": "AC-2"}
ROOT = create("conftest.py", '"""The root of the project: tests import from here."""\n')
BEGUN: tuple[Reply, ...] = (ROOT, *(create(path, FILES[path]) for path in ("till/__init__.py", "till/prices.py")))


NOT_HERE = ("within_reach", "no_regressions")
"""A new project has no tests from before that could break, and no specification of files to reach beyond."""


class Thought(NamedTuple):
    """What came of one builder."""

    told: dict[str, Any]
    garden: Garden

    @property
    def delivered(self) -> bool:
        """Whether the build was accepted."""
        return "Code" in self.garden.log()

    @property
    def stopped_by(self) -> list[str]:
        """What refused it: exits that did not hold, and actions the bridge or a tool said no to."""
        events = self.garden.events()
        exits = [
            e["summary"] for e in events if e["type"] == "measured" and e["what"] == "exit" and e["outcome"] != "pass"
        ]
        acts = [e["summary"] for e in events if e["type"] == "action_taken" and e["outcome"] in ("refused", "error")]
        return exits + acts


def fits(cheat: Cheat) -> bool:
    """Whether a cheat is one of whoever writes the code, in the usual repository."""
    usual = cheat.world == World() and cheat.red == RED and cheat.deliver == DELIVER
    apart = any(seen.criterion in NOT_HERE for seen in cheat.seen)
    return usual and cheat.green != GREEN and not cheat.endless and not apart


def begun(folder: Path) -> Garden:
    """An honest thought that waits for its builder."""
    garden = make_garden(folder)
    intent = {**CODE_INTENT, "title": "Till"}
    garden.script(*agreed(intent, {**CODE_PROPOSAL, "criteria": CRITERIA}), *_tests(), *building(()))
    told = garden.json("think", garden.note(WISH))
    assert (told["halted_in"], told["halt_reason"]) == ("building", "stuck"), told
    return garden


def go_on(session: Garden, folder: Path, replies: tuple[Reply, ...]) -> Thought:
    """The same thought with this builder."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(session.person.parent, folder, symlinks=True)
    garden = Garden(folder / "desk", folder / "person")
    silent = {"when": {"context": "form of code_review"}, "reply": review(tests={"total": 2, "passed": 2, "failed": 0})}
    garden.script(*building((*BEGUN, *replies)), silent, sandbox={}, tests={"wall_seconds": 60})
    return Thought(garden.json("provide", "last", "Go on."), garden)


def building(replies: tuple[Reply, ...]) -> list[Rule]:
    """A builder that does this and gives up when it is sent back."""
    here = {"context": ["^stage: build$"]}
    return [*({"when": here, **_answer(reply), "times": 1} for reply in replies), {"when": here, "reply": GIVE_UP}]


def _tests() -> list[Rule]:
    listed = [{**row, "requirement_ref": IDS[row["acceptance_criterion"]]} for row in LISTED]
    listed = [{**row, "acceptance_criterion": row["requirement_ref"]} for row in listed]
    held = [{**case, "criterion": IDS[case["criterion"]]} for case in HELD_BACK]
    suite = {"test_files": [{"path": TEST_FILE, "tests": listed}], "interface": INTERFACE, "held_back": held}
    here = {"context": ["^stage: tests$"]}
    replies = (create(TEST_FILE, TESTS), act("complete", artifact=suite))
    return [{"when": here, "reply": json.loads(json.dumps(reply)), "times": 1} for reply in replies]
