"""The title of a note: its own heading, or what the person says they want. Never a new word."""

from __future__ import annotations

import re
from collections.abc import Sequence

from thoughtforge.providers.builtin.letters import SUBJECT
from thoughtforge.providers.builtin.sentences import CONTINUES, UNTITLED, Piece
from thoughtforge.providers.builtin.sorting import (
    ASKING,
    HAS_TO,
    INDEFINITE,
    INVERTED,
    REQUEST,
    THROAT,
    WISH,
    is_filler,
)

LONGEST = 70
FEWEST = 2
LABELLED = re.compile(r"^\W*(?:title|titel|título)\s*:\s*(.+)$", re.IGNORECASE)
DOES = re.compile(
    r"^\W*(?:to\s+|is\s+(?:to\s+)?)?(?:(?:have|build|create|make|write|draft|doing|having|making|holding|starting|organi[sz]ing|opening"
    r"|crear|hacer|construir)\s+(?=(?:an?"
    r"|the|some|our|un[ao]?|eine?n?)\b))?",
    re.IGNORECASE,
)
HELPED = re.compile(
    r"^\W*(?:to\s+)?(?:me|us)?\s*(?:to\s+)?(?:put together|set up|come up with"
    r"|with)\s+",
    re.IGNORECASE,
)
URL = re.compile(r"(?<!\w)\w{1,20}://\S+|(?<!\w)www\.\S+")
NAMED = re.compile(r"^\W*(?:idea|project|topic|idee|projekt|thema|proyecto|tema)\s*:\s*", re.IGNORECASE)
SENTENCE = re.compile(r"[.!?…。！？][\"'”’»)]*$")
EDGES = " \t\"'“”«»*_`#-[]<>()!"
CLAUSE = re.compile(r",(?!\d)|[;:(–—]|\s-\s|(?<![.!?…])[.!?…]++(?:$|(?<!\d\.)\s)|[。！？]")
BROUGHT = re.compile(r"^\W*(?:quick |short )?(?:brain ?dump|notes?|braindump)\b[^:]{0,40}:\s*", re.IGNORECASE)
MOST_WORDS = 9


def title(pieces: Sequence[Piece], objective: Sequence[str]) -> str:
    """Always a part of what was written."""
    own = [piece for piece in pieces if piece.kind not in ("aside", "code", "table")]
    for piece in reversed(pieces):
        said = LABELLED.match(piece.text) or SUBJECT.match(piece.text)
        if said and said.group(1).strip():
            return _cut(said.group(1).strip())
    if own and _is_a_title(own[0], alone=len(own) == 1):
        return _bare_title(own[0])
    named = _named_first(own) or _long_head(own)
    if named:
        return named
    wishes = [text for text in objective if WISH.search(text) or REQUEST.search(text)]
    plain = [BROUGHT.sub("", piece.text) for piece in own if not is_filler(piece.text)]
    for text in (*wishes, *objective[:1], *plain, *(piece.text for piece in own)):
        found = _cut(wished(URL.sub(" ", text)))
        if any(letter.isalnum() for letter in found) and not CONTINUES.match(found) and not POINTS.match(found):
            return found
    return _cut(own[0].text) or UNTITLED if own else UNTITLED


POINTS = re.compile(
    r"^(?:it|this|that|these|those|him|her|them|one|somebody|someone|to know"
    r"|(?:to )?(?:think|talk|speak) about)\b",
    re.IGNORECASE,
)
"""A wish that begins so points at something named elsewhere."""


def _named_first(own: Sequence[Piece]) -> str:
    """What the first sentence names without a verb: `A small tool for …`, or what stands behind `brain dump:`."""
    first = own[0].text if own else ""
    begun = THROAT.match(first)
    found = _cut((begun and first[begun.end() :].rstrip(".")) or BROUGHT.sub("", first))
    names = INDEFINITE.match(first) or BROUGHT.match(first) or (begun and ARTICLE.match(found))
    return found if names and found and not VERB.search(found) else ""


ARTICLE = re.compile(r"(?:the|our|my|a|an|das|die|der|unsere?)\s+\w+(?:\s+\w+){0,4}$", re.IGNORECASE)


def _long_head(own: Sequence[Piece]) -> str:
    """A first line without a verb that is too long for a title: as much of it as fits, up to a mark."""
    text = own[0].text if len(own) > 1 and own[0].kind == "sentence" else ""
    if (
        not LONGEST < len(text) <= 2 * LONGEST
        or URL.search(text)
        or SENTENCE.search(text)
        or VERB.search(text)
        or WISH.search(text)
    ):
        return ""
    ends = [found.start() for found in PART.finditer(text) if found.start() <= LONGEST]
    return text[: ends[-1]].strip(EDGES) if ends else ""


PART = re.compile(r"\s[/|–—-]\s|[,;:(]\s?")


def _bare_title(first: Piece) -> str:
    """The line itself; of a line that is a wish, what is wished for, and of a heading all of it."""
    text = NAMED.sub("", first.text).strip().rstrip(":")
    if first.kind == "heading":
        return text
    found = wished(text) if WISH.search(text) else text
    return found.strip(EDGES if found.endswith("!") else " .") or text


def wished(text: str) -> str:
    """What stands behind the words of wishing."""
    found = WISH.search(text) or HAS_TO.match(text) or REQUEST.search(text)
    rest = text[found.end() :] if found else text
    return DOES.sub("", HELPED.sub("", rest)).strip()


def _is_a_title(first: Piece, *, alone: bool) -> bool:
    """A heading, or a short first line that is no sentence; a line that goes on before it is none."""
    text = NAMED.sub("", first.text).strip()
    if first.kind == "heading":
        return 0 < len(text) <= LONGEST and any(letter.isalnum() for letter in text)
    if first.kind != "sentence" or URL.search(text) or is_filler(text) or CONTINUES.match(text):
        return False
    spoken = SENTENCE.search(text.rstrip("!")) is not None
    asked = ASKING.match(text) or INVERTED.match(text)
    short = 0 < len(text) <= LONGEST and any(letter.isalnum() for letter in text)
    named = spoken and not alone and text.endswith(".") and len(text.split()) <= MOST_WORDS and not VERB.search(text)
    return short and not asked and (not spoken or named)


VERB = re.compile(
    r"\b(?:i|we|you|he|she|it|they|is|are|was|were|has|have|had|will|would|must|should|can|could|may|might"
    r"|wants?|needs?|do|does|did"
    r"|ich|wir|ist|sind|muss|soll|es|son|queremos)\b|n't\b",
    re.IGNORECASE,
)
"""Words no title has and nearly every sentence has."""


def _cut(text: str) -> str:
    """The first clause, at most so long, ending with a whole word."""
    clause = CLAUSE.split(text.strip(EDGES), maxsplit=1)[0].strip(EDGES)
    if len(clause) <= LONGEST:
        return clause
    short = clause[:LONGEST].rpartition(" ")[0]
    return LOOSE.sub("", short) or clause[:LONGEST]


LOOSE = re.compile(r"(?:\s+(?:and|or|the|a|an|of|to|for|with|in|at|by|on|from|our|my|that))+$", re.IGNORECASE)
"""Words a cut title must not end with."""
