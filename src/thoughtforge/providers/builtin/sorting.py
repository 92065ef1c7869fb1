"""Where a sentence belongs: one of the lists of an intent, or context when no word gives it away."""

from __future__ import annotations

import re

from thoughtforge.providers.builtin.cues import cue, cues
from thoughtforge.providers.builtin.sentences import Piece

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
