"""Repositories in which a model is easily shown too little, and the scripted task of the small one in each of them.

The small task (`code_runs.py`) adds a function below the one that ends in LINE; every trap hides that place in a way.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from flows.code_runs import (
    ANALYSIS,
    ASKED,
    FILES,
    INTAKE,
    SPECIFICATION,
    SUITE,
    TESTS,
    make_tally,
    replies,
    says,
    script,
)
from harness import Done
from harness.place import Rule
from harness.scripted import CLEAN_REVIEW

MODULE = "tally/count.py"
LINE = "    return sum(numbers)"
TOTAL = 'def total(numbers: list[int]) -> int:\n    """The sum."""\n'
WORDS = (
    "The request names one function and nothing else, so whatever is there already stays as it is, "
    "and whoever reads the module finds the new function right beside the old one, with the same kind of words."
)


class Trap(NamedTuple):
    """What is put into the repository, and where its tests are."""

    files: dict[str, str]
    tests: str = "tests"


def _filler(count: int) -> str:
    head, body = "(rows: list[int]) -> int:", "return len([row for row in rows if row"
    return "".join(f'\n\ndef part_{n}{head}\n    """Rows above {n}."""\n    {body} > {n}])\n' for n in range(count))


def _long_module() -> Trap:
    """3,000 lines, the place to change in the middle of them."""
    before, after = _filler(300), _filler(600)[len(_filler(300)) :]
    return Trap({MODULE: f'"""Sums."""\n{before}\n\n{TOTAL}{LINE}\n{after}'})


def _alike() -> Trap:
    """36 folders of the same shape."""
    codes = [f"{a}{b}" for a in "abcdef" for b in "uvwxyz"]
    texts = {f"tally/locale/{code}/LC_MESSAGES/{name}.po": "" for code in codes for name in ("tally", "errors", "help")}
    return Trap(texts)


def _long_function() -> Trap:
    """140 lines to read before one knows what to change."""
    steps = "".join(
        f"    if len(numbers) > {n * 1000}:\n        numbers = numbers[:{n * 1000}]\n" for n in range(69, 0, -1)
    )
    return Trap({MODULE: f'"""Sums."""\n{_filler(40)}\n\n{TOTAL}{steps}{LINE}\n'})


def _test_folder() -> Trap:
    """A test folder named `test`."""
    return Trap({"test/test_count.py": FILES["tests/test_count.py"]}, tests="test")


TRAPS: dict[str, Callable[[], Trap]] = {
    "a module of 3,000 lines": _long_module,
    "36 folders alike": _alike,
    "a function of 140 lines": _long_function,
    "a test folder named test": _test_folder,
}


class Seen(NamedTuple):
    """A task that was carried out in a trap, and what its calls were shown."""

    done: Done
    contexts: list[dict[str, Any]]
    """Of each call: what `inspect --context` tells."""
    green: list[str]
    """The whole contexts of green's calls."""

    @property
    def specification_cut(self) -> int:
        """Calls in which the specification is not whole."""
        return sum(any("specification" in title for title in call["cut"]) for call in self.contexts)

    @property
    def unused(self) -> float:
        """The largest share of its room that a call with something cut left unused."""
        return max((call["left"] / call["room"] for call in self.contexts if call["cut"]), default=0.0)

    @property
    def in_view(self) -> bool:
        """Whether green's first call shows the line to change."""
        return LINE in self.green[0]


def carried_out(folder: Path, trap: Trap) -> Seen:
    """The small task in a trap: whoever analyses reads the whole module, and says much of what they found."""
    place = make_tally(folder, trap.files)  # --depth full: every stage is asked by itself
    text = trap.files.get(MODULE, FILES[MODULE])
    line = text.splitlines().index(LINE) + 1
    script(place, _rules(trap, line), change={"trivial_lines": 0})
    done = place.run("start", ASKED, "--depth", "full", "--json")
    task = done.json["task"]
    contexts = place.run("inspect", task, "--context", "--json").json["calls"]
    steps = [str(call["step"]) for call in contexts if call["stage"] == "green"]
    green = [place.run("inspect", task, "--step", step, "--show", "context").out for step in steps]
    return Seen(done, contexts, green)


def _specification(trap: Trap) -> dict[str, Any]:
    """A specification of usual length: five constraints beside the requirement."""
    held = [{"id": f"CON-{n:03}", "description": f"{WORDS} ({n})", "rationale": WORDS} for n in range(1, 6)]
    told = {"spec_id": "", "constraints": held, "files_to_create": [f"{trap.tests}/test_widest.py"]}
    return {**SPECIFICATION, **told}


def _rules(trap: Trap, line: int) -> dict[str, Rule]:
    usual, path = replies(), f"{trap.tests}/test_widest.py"
    risks = [
        {"id": f"RISK-{n:03}", "description": f"{WORDS} ({n})", "severity": "low", "mitigation": WORDS}
        for n in range(1, 60)
    ]
    analysis = {**ANALYSIS, "risks": risks, "evidence": [{"file": MODULE, "line": line, "snippet": LINE}]}
    suite = {"test_files": [{**SUITE["test_files"][0], "path": path}]}
    held = usual["hand_in_tests"]["reply"]["params"]["artifact"]["held_back"]
    asked = {"intake": {**INTAKE, "identified_ambiguities": []}, "spec": _specification(trap)}
    return {
        "review": CLEAN_REVIEW,
        **{stage: {"when": {"context": f"^stage: {stage}$"}, "reply": reply} for stage, reply in asked.items()},
        "read": says("analyze", "read_file", {"path": MODULE}),
        "analyze": says("analyze", "complete", {"artifact": analysis}, after="read_file path="),
        "write_tests": says("red", "create_file", {"path": path, "content": TESTS}),
        "hand_in_tests": says("red", "complete", {"artifact": {**suite, "held_back": held}}, after="create_file path="),
        "refactor": says("refactor", "complete", {"artifact": {"files": [], "improvements": []}}),
        **{name: usual[name] for name in ("write_code", "hand_in_code", "hand_in_notes")},
    }
