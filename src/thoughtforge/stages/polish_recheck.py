"""What became of the points that were open: asked by id, believed only as far as the engine can check."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from thoughtforge.agent.asking import PromptRequest, Unusable, ask
from thoughtforge.agent.context import Block
from thoughtforge.agent.run import Run
from thoughtforge.kernel.events import WarningGiven
from thoughtforge.kernel.model import JsonObject, Stage
from thoughtforge.polish.finding import PERSON, ReviewFinding
from thoughtforge.polish.matching import RecheckAnswer
from thoughtforge.stages.relevant import COMMON
from thoughtforge.think.deliverable import Seen, warn_of_cut
from thoughtforge.think.documents import CONSTRAINTS, read
from thoughtforge.think.material import STEM, material
from thoughtforge.think.said_since import said_block
from thoughtforge.think.texts import constraints_block

NOBODY: Mapping[str, str] = MappingProxyType({})
UNCHANGED = (
    "The deliverable is word for word what you reviewed before: nothing was fixed since. "
    "A point is still there, or it was wrong from the beginning."
)
LEAST_QUOTE = 15
"""Characters of a quotation: a shorter one stands in any text."""
WORD = re.compile(r"[^\W_]+")
SHORT = 2
LINE_NUMBER = re.compile(r"^\s*\d+[ \t|:]+", re.MULTILINE)


class Refutation(NamedTuple):
    """A point its own reviewer takes back, with the words of the deliverable that speak against it."""

    id: str
    quote: str

    def note(self) -> str:
        """It for the log."""
        return f"{self.id} is refuted by “{' '.join(self.quote.split())[:200]}”"


class Rechecked(NamedTuple):
    """What was said of the points that were open; no answer when the reviewer could not be asked."""

    answer: RecheckAnswer | None
    refuted: tuple[Refutation, ...] = ()


async def recheck(
    run: Run,
    stage: Stage,
    left: Sequence[ReviewFinding],
    *,
    seen: Seen,
    key: str,
    unchanged: bool,
    declined: Mapping[str, str] = NOBODY,
) -> Rechecked:
    """Ask, by id, which earlier points are fixed, still there or refuted; nothing to ask while none is open.

    `declined` has the points the fixer would not change, with its reason: the reviewer answers.
    """
    if not left:
        return Rechecked(None)
    text = "\n".join(_asked(one, declined.get(one.id, "")) for one in left)
    blocks = [
        Block("points that were open", text, 6_000, floor=3_000, untrusted=True),
        Block("what changed", UNCHANGED if unchanged else "", 80, floor=80),
        constraints_block("constraints and criteria", read(run, CONSTRAINTS), budget=3_000),
        said_block(run),
        *seen.results(),
        *seen.blocks,
    ]
    job = PromptRequest(
        name="recheck",
        prompt="recheck",
        contract="recheck",
        key=f"{key}/recheck",
        blocks=blocks,
        fill=material(run, text),
        mode="review",
    )
    asked = frozenset(one.id for one in left)
    try:
        found = await ask(run, stage, job)
    except Unusable as unusable:
        run.record.journal.append(
            WarningGiven(text=f"earlier points are followed by text: {unusable.detail}", code="recheck")
        )
        return Rechecked(RecheckAnswer(still=asked) if unchanged else None)
    warn_of_cut(run, "recheck", found.cut)
    text = f"{seen.text}\n{read(run, CONSTRAINTS)}\n{said_block(run).text}" if declined else seen.text
    return believed(found.data, left, text=text, unchanged=unchanged)


def _asked(one: ReviewFinding, why: str) -> str:
    """A point as it is asked about, with what the fixer says against it."""
    advice = f" → {one.recommendation}" if one.recommendation and one.source != PERSON else ""
    declined = f"\n  The fixer declines it: {' '.join(why.split())}" if why else ""
    return f"- {one.id} ({one.severity}) {one.location}: {one.told()}{advice}{declined}"


def believed(said: JsonObject, left: Sequence[ReviewFinding], *, text: str, unchanged: bool) -> Rechecked:
    """The answer as far as it can be: an unchanged text fixed nothing, nor does an answer that leaves an id out.

    A quotation stands in the text and meets the point, and is not what the point itself complains about.
    """
    asked = frozenset(one.id for one in left)
    found = {one.id: one for one in _refutations(said.get("refuted") or (), left, text)}
    fixed, still = frozenset(said["fixed"]) & asked, frozenset(said["still"]) & asked
    refuted = frozenset(found) - fixed - still
    fixed = frozenset() if unchanged else fixed - still - frozenset(found)
    still = asked - fixed
    return Rechecked(RecheckAnswer(fixed, still, refuted), tuple(found[name] for name in sorted(refuted)))


def _refutations(rows: Iterable[JsonObject], left: Sequence[ReviewFinding], text: str) -> Iterable[Refutation]:
    points = {one.id: one for one in left}
    for row in rows:
        point = points.get(row["id"])
        own = point is not None and stands_in(row["quote"], point.told())
        if point is not None and not own and stands_in(row["quote"], text) and meets(row["quote"], point):
            yield Refutation(row["id"], row["quote"])


def meets(quote: str, point: ReviewFinding) -> bool:
    """Whether a quotation is about the point: it has a telling word of it; headings and comments say nothing."""
    lines = (LINE_NUMBER.sub("", line).strip() for line in quote.splitlines())
    said = " ".join(line for line in lines if not line.startswith(("#", "//")))
    wanted = telling(f"{point.text()} {point.recommendation}")
    return len(said) >= LEAST_QUOTE and (not wanted or bool(wanted & telling(said)))


def telling(text: str) -> frozenset[str]:
    """The words of a text that are not in every request, by their beginnings, also within names."""
    words = (word for word in WORD.findall(text) if len(word) > SHORT)
    return frozenset(word.casefold()[:STEM] for word in words if word.casefold() not in COMMON)


def stands_in(quote: str, text: str) -> bool:
    """Whether the words really stand in the text; line numbers and line breaks do not count."""
    whole = " ".join(text.split())
    forms = (" ".join(form.split()) for form in (quote, LINE_NUMBER.sub("", quote)))
    return any(len(form) >= LEAST_QUOTE and form in whole for form in forms)
