"""What a person asks for after it was done goes before what was confirmed: on record in the documents, line by line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from math import log, sqrt

from thoughtforge.agent.run import Run
from thoughtforge.kernel.model import JsonObject
from thoughtforge.think.documents import CONSTRAINTS, SPEC, commit_step, project, read, write
from thoughtforge.think.material import STEM
from thoughtforge.think.tracing import points

MAY = "It may concern"
BARRED = ("out of scope", "excluded")
HEADING = "Asked for later"
RULE = "What the person asked for after it was done. It goes before everything above that says otherwise."
WORD = re.compile(r"[^\W_]+")
SENTENCE = re.compile(r"(?<=[.!?;])\s+")
SHORT = 1
COMMON = frozenset(
    """
    am an as at be by do he if in is it me my no of ok on or so to up us we
    about add after all also and any are because before but call can change could day days do does done each else every
    file files for from get give given had has have her him his how into its just keep last like make may
    more must need neither never new next nor not nothing now off one only other our out over own part per plan
    please put said same say set shall she should some stay still such than that the their them then there these they
    this time too two under use was what when where which who why will with without word words would you your
    """.split()  # noqa: SIM905
)
"""Words that say nothing about what a wish is on."""
NEAR = 0.7
"""How near to the nearest one another entry must be to be named as well."""
LEVEL = 8
"""How little the length of an entry counts."""
MOST = 3
"""Entries named for one sentence of a wish: fewer and right."""


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
    """What was confirmed and is nearest to each sentence of a wish, by the rare words they share; none when unsure."""
    accepted = run.record.accepted()
    entries = list(dict.fromkeys(_entries(accepted["intent"], accepted["proposal"])))
    return list(dict.fromkeys(text for part in SENTENCE.split(wish) for text in nearest(part, entries)))


def nearest(wish: str, entries: Sequence[str]) -> list[str]:
    """The entries that share most with a wish: two telling words at least, or one where nothing may be done at all."""
    found = [(text, words_of(wish) & words_of(text)) for text in entries]
    often = Counter(word for text in entries for word in words_of(text))
    worth = {
        text: sum(log(len(entries) / often[word]) for word in shared) / sqrt(len(words_of(text)) + LEVEL)
        for text, shared in found
        if len(shared) > (0 if text.startswith(BARRED) else 1)
    }
    best = max(worth.values(), default=0.0)
    order = sorted(worth, key=lambda text: -worth[text])
    return [text for text in order if best and worth[text] >= NEAR * best][:MOST]


def words_of(text: str) -> frozenset[str]:
    """The telling words of a text by their beginnings, in the singular, and its figures of two digits and more."""
    words = (word.casefold() for word in WORD.findall(text))
    return frozenset(
        word if word.isdigit() else word.removesuffix("s")[:STEM]
        for word in words
        if len(word) > SHORT and word not in COMMON
    )


def _entries(intent: JsonObject, proposal: JsonObject) -> Iterator[str]:
    yield from (f"{BARRED[0]}: {text}" for text in proposal["scope"]["out"])
    yield from (f"{BARRED[1]}: {text}" for text in proposal["exclusions"])
    yield from (f"{name}: {text}" for name, text in points(intent) if name.startswith("CON"))
    yield from (f"{row['id']}: {row['title']}: {row['decision']}" for row in proposal["decisions"])
    yield from (f"{row['id']}: {row['text']}" for row in proposal.get("criteria") or ())
