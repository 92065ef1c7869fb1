"""The question about held-back cases that fail again: with all a person needs to judge whether a case is right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from thoughtforge.agent.run import Run
from thoughtforge.code.rulings import changing, described
from thoughtforge.coding.writing import red_tests
from thoughtforge.contracts.rules_files import criteria
from thoughtforge.kernel.model import Stage
from thoughtforge.people.rulings import RULINGS
from thoughtforge.testing.cases import HeldBackFile

FIRST = "The code passes the tests it can see and fails held-back cases of {criteria} again. Are these cases right?"
"""The line that is told to an agent with the answer; what follows it is for the person alone."""
HOW = """Answer with one line for each case:
  drop {name}      the case is wrong; the tests of its criterion alone measure it then
  {name} = VALUE   the case is wrong; VALUE must come out
  keep {name}      the case is right, and the code has to change
The author of the code sees none of this; whatever else you write goes to them."""


RULED = "ruled"
"""The fact that says what a person had ruled when an exit was measured."""


def ruled(run: Run) -> str:
    """What a person has ruled about held-back cases, as far as it changes them."""
    return changing(run.record.journal.of(RULINGS))


def question(run: Run, stage: Stage) -> str:
    """What the person is asked: criterion, input, what was expected and what came out, case by case."""
    exit = run.record.stage(stage.name).measured["exit"]
    tried = (run.record.artifact(exit.report or "") or {}).get("held_back", [])
    failing = [row for row in tried if row["outcome"] != "pass"]
    names = ", ".join(dict.fromkeys(row["criterion"] for row in failing))
    how = HOW.format(name=failing[0].get("name", "H-1")) if failing else ""
    texts = _criteria(run)
    cases = [line for row in failing for line in _case(run, row, texts.get(row["criterion"], ""))]
    return "\n".join([FIRST.format(criteria=names), *cases, how])


def _case(run: Run, row: Mapping[str, str], criterion: str) -> Iterator[str]:
    name, held = row.get("name", ""), red_tests(run).held
    known = dict(zip(held.names, (*held.cases, *held.files), strict=True))
    case = known.get(name)
    kept = run.record.journal.of(RULINGS).get(name)
    said = " You kept it." if kept and kept.word == "keep" else ""
    yield f"- {name} of {row['criterion']}: {criterion}{said}"
    if isinstance(case, HeldBackFile):
        yield f"  the test file {case.path}:"
        yield from (f"    {line}" for line in case.text.splitlines())
    elif case is not None:
        yield f"  {described(case)}"
    yield f"  {row['detail'] or row['outcome']}"


def _criteria(run: Run) -> Mapping[str, str]:
    accepted = run.record.accepted()
    proposed = {one["id"]: one["text"] for one in accepted.get("proposal", {}).get("criteria") or ()}
    return proposed or criteria(accepted.get("specification") or {})
