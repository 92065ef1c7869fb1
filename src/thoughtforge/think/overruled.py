"""What a person asks for after it was done goes before what was confirmed: on record in the documents, line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from thoughtforge.agent.run import Run
from thoughtforge.think.documents import CONSTRAINTS, SPEC, commit_step, project, read, write
from thoughtforge.think.material import terms
from thoughtforge.think.tracing import points

HEADING = "Asked for later"
RULE = "What the person asked for after it was done. It goes before everything above that says otherwise."
LIMITS = re.compile(r"\b(no|not|never|nothing|only|exactly|without|fixed|at most|about \d+)\b", re.IGNORECASE)
COMMON = frozenset({"same", "with", "that", "this", "they", "stay", "the", "and", "are", "for"})
MAY = "It may concern"


async def overrule(run: Run, wish: str, *, number: int) -> None:
    """Write a wish into the specification and the constraints, with the lines it may contradict; once."""
    line = " ".join(wish.split())
    concerned = "".join(f"\n  - {MAY}: {text}" for text in against(run, line))
    for path in (SPEC, CONSTRAINTS):
        text = read(run, path)
        if f"- {line}\n" not in f"{text}\n":
            head = "" if f"## {HEADING}" in text else f"\n## {HEADING}\n\n{RULE}\n\n"
            write(run, path, f"{text.rstrip()}\n{head}- {line}{concerned}\n")
    if await project(run).changed():
        await commit_step(run, "Asked for by the person", step=f"asked-{number}", only=(SPEC, CONSTRAINTS))


def asked_for(text: str) -> str:
    """That section of a document; empty when nothing was asked for."""
    found = text.partition(f"## {HEADING}\n")[2]
    return found.partition("\n## ")[0].strip()


def confirmed(text: str) -> str:
    """A document without that section."""
    before, _, rest = text.partition(f"## {HEADING}\n")
    after = "".join(rest.partition("\n## ")[1:])
    return f"{before}{after}".rstrip() + "\n"


def against(run: Run, wish: str) -> list[str]:
    """The confirmed limits that share a word with a wish: what is out of scope, excluded or forbidden."""
    words = terms(wish) - COMMON
    return [text for text in dict.fromkeys(_limits(run)) if words & (terms(text) - COMMON)]


def _limits(run: Run) -> Iterator[str]:
    accepted = run.record.accepted()
    intent, proposal = accepted["intent"], accepted["proposal"]
    yield from (f"out of scope: {text}" for text in proposal["scope"]["out"])
    yield from (f"excluded: {text}" for text in proposal["exclusions"])
    yield from (f"{name}: {text}" for name, text in points(intent) if name.startswith("CON") and LIMITS.search(text))
    yield from (
        f"{row['id']}: {row['decision']}" for row in proposal["decisions"] if LIMITS.search(str(row["decision"]))
    )
