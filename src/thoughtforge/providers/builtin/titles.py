"""A title out of the person's own words: their heading, or the beginning of what they want."""

from __future__ import annotations

import re
from collections.abc import Sequence

from thoughtforge.providers.builtin.sentences import Piece
from thoughtforge.providers.builtin.texts import UNTITLED

LONGEST = 70
LABELLED = re.compile(r"^\W*(?:title|titel|título)\s*:\s*(.+)$", re.IGNORECASE)
LEAD = re.compile(
    r"^\W{0,9}(?:(?:ok|okay|so|well|hi|hello|hallo|hola|also|basically)\W{1,9}){0,3}(?:(?:i|we|ich|wir|yo)\s+)?(?:really\s+|just\s+)?"
    r"(?:(?:wants?|would like|need|möchten?|wollen|will|brauchen?|quiero|queremos|necesito|necesitamos)\s+)(?:to\s+)?"
    r"(?:(?:build|create|make|have|write|organi[sz]e|plan|crear|hacer|construir)\s+)?",
    re.IGNORECASE,
)
URL = re.compile(r"(?<!\w)\w{1,20}://\S+")
NAMED = re.compile(r"^\W*(?:idea|project|topic|idee|projekt|thema|proyecto|tema)\s*:\s*", re.IGNORECASE)
SENTENCE = re.compile(r"[.!?…。！？][\"'”’»)]*$")
EDGES = " \t\"'“”«»*_`#-[]<>()"
CLAUSE = re.compile(r"[,;:(–—]|\s-\s|(?<![.!?…])[.!?…]++(?:\s|$)|[。！？]")


def title(pieces: Sequence[Piece], objective: Sequence[str]) -> str:
    """Always a part of what was written, never a new word."""
    for piece in reversed(pieces):
        said = LABELLED.match(piece.text)
        if said and said.group(1).strip():
            return _cut(said.group(1).strip())
    if pieces and _is_a_title(pieces[0]):
        return NAMED.sub("", pieces[0].text).strip().rstrip(":")
    plain = [piece.text for piece in pieces if piece.kind != "code"]
    for text in (*objective[:1], *plain):
        found = _cut(LEAD.sub("", URL.sub(" ", text)).strip())
        if found:
            return found
    return _cut(plain[0]) or UNTITLED if plain else UNTITLED


def _is_a_title(first: Piece) -> bool:
    """A heading, or a short first line that is no sentence."""
    text = NAMED.sub("", first.text).strip()
    plain = first.kind == "heading" or not (SENTENCE.search(text) or URL.search(text))
    return first.kind != "code" and plain and 0 < len(text) <= LONGEST and any(letter.isalnum() for letter in text)


def _cut(text: str) -> str:
    """The first clause, at most so long, ending with a whole word."""
    clause = CLAUSE.split(text.strip(EDGES), maxsplit=1)[0].strip(EDGES)
    if len(clause) <= LONGEST:
        return clause
    short = clause[:LONGEST].rpartition(" ")[0]
    return short or clause[:LONGEST]
