"""Places in which a model is easily shown too little, and the scripted task that is carried out in each of them.

In a repository the small task (`code_runs.py`) adds a function below the one that ends in LINE; every trap hides that
place in a way. In the last one a plan is written from three files.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from flows.code_runs import (
    ANALYSIS,
    ASKED,
    FILES,
    HELD,
    INTAKE,
    SPECIFICATION,
    SUITE,
    TESTS,
    make_tally,
    replies,
    says,
    script,
)
from flows.thoughts import agreed, built, make_garden, polished
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


KEPT = {
    "id": "REQ-002",
    "description": "The sum stays as it is.",
    "priority": "must",
    "acceptance_criteria": ["The sum of 1, 2, 4 stays 7."],
    "verification_method": "test",
    "trace": "to the sums",
}
KEPT_CASE = {"criterion": "REQ-002.1", "kind": "call", "target": "tally.count:total", "args": [[5, 5]], "expect": 10}
SPECIFIED = re.compile(r"specification|proposal|intent")
FACTS = {
    "prices.csv": "item,price in euros\nclay pot,19.40",
    "balcony.md": "The herbs on the balcony get two hours of sun.",
    "offer.md": "The pots for the herbs take eleven weeks to the balcony.",
}


class Trap(NamedTuple):
    """What is put into the repository, and where its tests are."""

    files: dict[str, str]
    tests: str = "tests"
    kept: bool = False
    """Whether a requirement keeps something as it is."""


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


class Seen(NamedTuple):
    """A task that was carried out in a trap, and what its calls were shown."""

    done: Done
    contexts: list[dict[str, Any]]
    """Of each call: what `inspect --context` tells."""
    work: list[str]
    """The whole contexts of the stage that writes the deliverable."""
    wanted: tuple[str, ...] = (LINE,)
    """What its first call cannot do without."""

    @property
    def specification_cut(self) -> int:
        """Calls in which the specification, or what a person confirmed of a plan, is not whole."""
        return sum(any(SPECIFIED.search(title) for title in call["cut"]) for call in self.contexts)

    @property
    def unused(self) -> float:
        """The largest share of its room that a call with something cut left unused."""
        return max((call["left"] / call["room"] for call in self.contexts if call["cut"]), default=0.0)

    @property
    def in_view(self) -> bool:
        """Whether the first call of the work shows what it needs."""
        return all(text in self.work[0] for text in self.wanted)


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


def planned(folder: Path) -> Seen:
    """A plan from three files, two of them so long that a question to an agent cannot hold them whole."""
    garden = make_garden(folder)
    filler = "\n\n".join(f"Paragraph {n} of the minutes tells how the singers met." for n in range(2_000))
    flags = []
    for name, fact in FACTS.items():
        (garden.folder / name).write_text(f"{filler}\n\n{fact}\n\n{filler}" if name.endswith(".md") else fact)
        flags += ["-r", name]
    garden.script(*agreed(), *built(), *polished())
    done = garden.run("think", garden.note(), *flags, "--json")
    task = done.json["task"]
    contexts = garden.run("inspect", task, "--context", "--json").json["calls"]
    return Seen(done, contexts, garden.contexts("build"), tuple(FACTS.values()))


def _specification(trap: Trap) -> dict[str, Any]:
    """A specification of usual length: five constraints beside the requirement."""
    held = [{"id": f"CON-{n:03}", "description": f"{WORDS} ({n})", "rationale": WORDS} for n in range(1, 6)]
    told = {"spec_id": "", "constraints": held, "files_to_create": [f"{trap.tests}/test_widest.py"]}
    kept = {"requirements": [*SPECIFICATION["requirements"], KEPT], "regression_guards": ["REQ-002.1"]}
    return {**SPECIFICATION, **told, **(kept if trap.kept else {})}


def _suite(trap: Trap) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The tests of the small task with their held-back cases; what is kept has an old test and a case."""
    suite = copy.deepcopy({"test_files": [{**SUITE["test_files"][0], "path": f"{trap.tests}/test_widest.py"}]})
    if not trap.kept:
        return suite, HELD
    old = {"name": "test_the_sum", "requirement_ref": "REQ-002", "acceptance_criterion": "REQ-002.1"}
    suite["test_files"].append({"path": f"{trap.tests}/test_count.py", "tests": [old]})
    return suite, [*HELD, KEPT_CASE]


def _rules(trap: Trap, line: int) -> dict[str, Rule]:
    usual, path = replies(), f"{trap.tests}/test_widest.py"
    risks = [
        {"id": f"RISK-{n:03}", "description": f"{WORDS} ({n})", "severity": "low", "mitigation": WORDS}
        for n in range(1, 60)
    ]
    analysis = {**ANALYSIS, "risks": risks, "evidence": [{"file": MODULE, "line": line, "snippet": LINE}]}
    suite, held = _suite(trap)
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


def _in(trap: Callable[[], Trap]) -> Callable[[Path], Seen]:
    return lambda folder: carried_out(folder, trap())


TRAPS: dict[str, Callable[[Path], Seen]] = {
    "a module of 3,000 lines": _in(_long_module),
    "36 folders alike": _in(_alike),
    "a function of 140 lines": _in(_long_function),
    "a requirement to keep something": _in(lambda: Trap({}, kept=True)),
    "a test folder named test": _in(_test_folder),
    "a plan from three files": planned,
}
