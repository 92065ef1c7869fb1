"""Plan or code, which kind of plan, which language: read off single words, which are named as the reason."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from thoughtforge.providers.builtin.sentences import CHANGED, FOR_CODE, FOR_PLAN, NO_SIGNS, Piece, cue, cues

TO_CODE = re.compile(
    r"^\W*(?:change (?:it )?to |make it |it is |type:?\s*|deliverable type:?\s*)?code\W*$", re.IGNORECASE
)
TO_PLAN = re.compile(
    r"^\W*(?:change (?:it )?to |make it |it is |keep |type:?\s*|deliverable type:?\s*)?(?:a )?plan\W*$", re.IGNORECASE
)
SHOWN = 5


class Kind(NamedTuple):
    """Plan or code, why, and whether the notes leave it open."""

    name: str
    reason: str
    open: bool


def deliverable(texts: Sequence[str]) -> Kind:
    """Both kinds of signs make a plan with a question; a message that says only which it is decides."""
    for text in reversed(texts):
        for name, pattern in (("code", TO_CODE), ("plan", TO_PLAN)):
            if pattern.match(text):
                return Kind(name, f"{CHANGED} {' '.join(text.split())}", False)
    code, plan = signs(cue("code"), texts), signs(cue("plan"), texts)
    if code and plan:
        return Kind("plan", f"{FOR_PLAN} {', '.join(plan)}. {FOR_CODE} {', '.join(code)}.", True)
    if code:
        return Kind("code", f"{FOR_CODE} {', '.join(code)}.", False)
    return Kind("plan", f"{FOR_PLAN} {', '.join(plan)}." if plan else NO_SIGNS, False)


def signs(pattern: re.Pattern[str], texts: Sequence[str]) -> list[str]:
    """The words found, as the person wrote them, each once."""
    found = {word.casefold(): word for text in texts for word in pattern.findall(text)}
    return list(found.values())[:SHOWN]


def plan_kind(texts: Sequence[str], known: Sequence[str]) -> str:
    """The kind whose words occur most; generic when none does."""
    counts = {name: sum(len(pattern.findall(text)) for text in texts) for name, pattern in cues("kinds").items()}
    possible = {name: count for name, count in counts.items() if count and (not known or name in known)}
    return max(possible, key=lambda name: possible[name]) if possible else "generic"


def language(texts: Sequence[str]) -> str | None:
    """The programming language the person named first in our list; None when they named none."""
    return next(
        (name for name, pattern in cues("languages").items() if any(pattern.search(text) for text in texts)), None
    )


CONTEXT = "context"
URL = re.compile(r"(?<!\w)\w{1,20}://\S+")
LABELLED = re.compile(r"^\W*([^\W\d][^:]{0,30}):\s*\S")
MOST_LABEL_WORDS = 3
ORDER = (
    ("unknowns", "unknown"),
    ("constraints", "must"),
    ("assumptions", "assumption"),
    ("constraints", "limit"),
    ("constraints", "money"),
    ("objective", "objective"),
)
"""List of the intent, cue: the first that is found decides. What is doubtful is never sold as settled."""
WISH = re.compile(
    r"^\W{0,9}(?:(?:so|ok|okay|well|hi|basically|also|und|pues|y)\W{1,9}){0,3}"
    r"(?:i|we|my|our|the|she|he|they|ich|wir|das|mein|unser|yo|nosotros|el|la|lo|mi)?\W{0,9}(?:really |just |gerne? )?"
    r"(?:wants?|would like|d like|d love|goal|aim|objective|needs?|idea|möchten?|wollen|will|ziel|brauchen?"
    r"|quier[oe]|queremos|objetivo|necesit\w+)\b",
    re.IGNORECASE,
)
"""A sentence that opens with a wish is an objective even when it names a limit."""
ASKING = re.compile(
    r"^\W*(?:who|what|when|where|why|how|which|whose|wer|was|wann|wo|warum|wieso|wie|welche[rsnm]?"
    r"|qué|quién|cuándo|dónde|por qué|cómo|cuál(?:es)?|cuánt[oa]s?)\b",
    re.IGNORECASE,
)
QUESTION_MARKS = "?？"


def belongs(piece: Piece) -> str:
    """The list a piece goes into."""
    if piece.kind != "sentence":
        return CONTEXT
    text = URL.sub(" ", piece.text)  # the words inside an address say nothing
    label = LABELLED.match(text)
    said = _labelled(label.group(1)) if label else ""
    if said:
        return said
    if _asked(text) or (ASKING.match(text) and text.rstrip()[-1:].isalnum()):
        return "open_questions"
    return _by_cue(text) or _labelled(piece.under) or CONTEXT


def _asked(text: str) -> bool:
    """Whether the last mark that says anything is a question mark."""
    return next((mark for mark in reversed(text) if mark.isalnum() or mark in QUESTION_MARKS), "") in ("?", "？")


def _by_cue(text: str) -> str:
    if not cue("unknown").search(text) and not cue("must").search(text) and WISH.match(text):
        return "objective"
    return next((name for name, found in ORDER if cue(found).search(text)), "")


def _labelled(label: str) -> str:
    """What a heading or a label says about what stands below or behind it."""
    if len(label.split()) > MOST_LABEL_WORDS:
        return ""
    return next((name for name, pattern in cues("labels").items() if pattern.search(label)), "")
