"""Whether the notes themselves leave open what is wanted: an app, or is a list enough?"""

from __future__ import annotations

import re
from collections.abc import Sequence

from thoughtforge.providers.builtin.sentences import cue, pieces
from thoughtforge.providers.builtin.sorting import asks

OR = re.compile(r"(?:^|[\s,;–—-])or\b", re.IGNORECASE)
PAPER = re.compile(
    r"\b(?:spreadsheets?|excel|google sheets?|rotas?|lists?|paper|sheets?|posters?|calendars?"
    r"|whiteboards?|notebooks?|checklists?|plans?|documents?"
    r"|docs?|concepts?|proposals?|template|process|chat group|mailing list|phone (?:list|tree)|by hand"
    r"|on paper|manual(?:ly)?)\b",
    re.IGNORECASE,
)
"""What does without software."""
ENOUGH = re.compile(
    r"\b(?:enough|just|simply|only|suffic\w+|would do|overkill|at all|instead|rather|really need)\b", re.IGNORECASE
)
MAKES = re.compile(
    r"\bor\b[^.?!]{0,40}\b(?:build|write|code|program|develop|buy)\b[^.?!]{0,30}\b(?:it|an?|the)\b", re.IGNORECASE
)


def left_open(texts: Sequence[str], *, firm: str) -> str:
    """The sentence that leaves the type open, empty when none does. `firm` is what is wanted by name so far."""
    said = [piece.text for text in texts for piece in pieces(text) if piece.kind in ("sentence", "heading")]
    software = any(cue("software").search(text) or cue("code").search(text) for text in said)
    if not software:
        return ""
    return next((text for text in said if _wavers(text, firm=firm)), "")


def _wavers(text: str, *, firm: str) -> bool:
    doubtful = asks(text) or cue("unknown").search(text) is not None
    code = cue("software").search(text) or cue("code").search(text)
    if not doubtful:
        return False
    if firm == "plan":
        return bool(code and MAKES.search(text))
    alternative = OR.search(text) is not None and (PAPER.search(text) or code and ENOUGH.search(text))
    enough = PAPER.search(text) is not None and ENOUGH.search(text) is not None
    return bool(alternative or enough or (not firm and code and _kind_in_doubt(text)))


def _kind_in_doubt(text: str) -> bool:
    return cue("software").search(text) is not None and cue("unknown").search(text) is not None
