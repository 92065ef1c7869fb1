"""Sentences, cues and the words for what nobody has said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, Literal, NamedTuple

from thoughtforge.catalog import LIBRARY

NOT_SAID = "not said yet"


FILE = LIBRARY / "builtin" / "cues.yaml"


@cache
def data() -> dict[str, Any]:
    """The whole file."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    loaded: dict[str, Any] = yaml.load(FILE.read_text(encoding="utf-8"), Loader=loader)  # noqa: S506
    return loaded


def words(alternatives: Sequence[str]) -> re.Pattern[str]:
    """A pattern for any of these, each as whole words."""
    return re.compile(rf"(?<!\w)(?:{'|'.join(alternatives)})(?!\w)", re.IGNORECASE)


@cache
def cue(name: str) -> re.Pattern[str]:
    """The pattern of one list."""
    return words(data()[name])


@cache
def cues(name: str) -> dict[str, re.Pattern[str]]:
    """The patterns of a list of lists, by name."""
    return {key: words(alternatives) for key, alternatives in data()[name].items()}


FENCE = re.compile(r"^\s*(```+|~~~+)")
HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(\S.*)$")
CLOSING = re.compile(r"(?<!\S)#+$")
"""Marks a heading may end with; they are no part of it."""
BULLET = re.compile(r"^\s*[-*+•‣◦·–—>]+\s+")
NUMBERED = re.compile(r"^\s*(?:\d{1,3}[.)]|[a-z]\)|\[[ xX]\])\s+")
ROW = re.compile(r"^\s*\|")
DECORATION = re.compile(r"^[\s\-=*_~+#>|:.`•]*$")
LABEL = re.compile(r"^\W*[^\W\d][^:.!?]{0,40}:\**\s*$")
"""A line that only announces what follows: `Open questions:`."""
MARKS, CLOSERS = ".!?…:;。！？", " \t\"'”’»)]*_"
WRAPPED = 55
"""A line of at least this length that ends without a mark is taken to go on in the next one."""
END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’»)\]*_]*+(?=\s)|[。！？]+")
"""Possessive, so that a page of dots takes no longer than a page of words."""
SHORT = re.compile(
    r"(?:^|[\s(\"“])(?:e\.g|i\.e|z\.\s?b|d\.\s?h|u\.\s?a|p\.\s?ej|etc|vs|approx|ca|bzw|evtl|inkl|incl|excl|max|min|nr|no|mr|mrs|ms"
    r"|dr|prof|st|sr|sra|ing|ud|uds|usw|jan|feb|aug|sept|oct|nov|dec|fig|vol|inc|ltd|co|tel|[^\W\d_])\.$",
    re.IGNORECASE,
)
"""What ends in a full stop and does not end a sentence: abbreviations and initials."""
MAYBE_SHORT = re.compile(r"(?:^|[\s(])(?:\d{1,3}|\d*\s?[ap]\.m)\.$", re.IGNORECASE)
"""Numbers and times of day: they go on before a small letter or a month; a number alone belongs to what it counts."""
MONTH = re.compile(r"\s(?:jan|feb|mär|apr|mai|jun|jul|aug|sep|okt|nov|dez)", re.IGNORECASE)
LONGEST_SHORT = 12


class Piece(NamedTuple):
    """One thing a person wrote."""

    text: str
    kind: Literal["sentence", "heading", "code"]
    under: str
    """The heading above it, or nothing."""


def pieces(text: str) -> list[Piece]:
    """All pieces of a text in order; white space inside a sentence is evened out, code is kept as it is."""
    found: list[Piece] = []
    under = ""
    for block, kind in _blocks(text):
        if kind == "code":
            found.append(Piece(block, "code", under))
            continue
        if kind == "heading":
            under = block.strip().rstrip(":")
            found.append(Piece(block, "heading", under))
            continue
        found += [Piece(sentence, "sentence", under) for sentence in sentences(block)]
    return [piece for piece in found if not DECORATION.match(piece.text)]


def sentences(text: str) -> list[str]:
    """The sentences of running text; a web address stays whole because nothing is cut inside a word."""
    line = " ".join(text.split())
    found, start = [], 0
    for end in END.finditer(line):
        if not _goes_on(line[start : end.end()].strip(), line[end.end() : end.end() + 5]):
            found.append(line[start : end.end()].strip())
            start = end.end()
    return [sentence for sentence in [*found, line[start:].strip()] if sentence]


def _goes_on(so_far: str, after: str) -> bool:
    """Whether the full stop is none: the end of an abbreviation, of a list number, of an ordinal."""
    end = so_far[-LONGEST_SHORT:]
    if not end.endswith(".") or SHORT.search(end):
        return end.endswith(".")
    counted = MAYBE_SHORT.search(end) is not None
    return counted and (so_far[:-1].isdecimal() or after[1:2].islower() or MONTH.match(after) is not None)


def _blocks(text: str) -> Iterator[tuple[str, Literal["sentence", "heading", "code"]]]:
    """Code blocks, headings, and runs of lines that belong together."""
    lines = text.splitlines()
    at, run = 0, ""
    while at < len(lines):
        line = lines[at]
        fence, heading = FENCE.match(line), HEADING.match(line)
        if fence or heading or not line.strip() or _begins(line) or (run and not _goes_over(lines[at - 1], line)):
            if run:
                yield run, "sentence"
            run = ""
        if fence:
            end = _fence_end(lines, at, mark=fence.group(1)[:3])
            yield "\n".join(lines[at:end]), "code"
            at = end
            continue
        if heading or LABEL.match(line):
            yield (_bare(heading.group(1)) if heading else BULLET.sub("", line).strip()), "heading"
        elif line.strip():
            run = f"{run} {BULLET.sub('', line)}".strip()
        at += 1
    if run:
        yield run, "sentence"


def _bare(heading: str) -> str:
    return CLOSING.sub("", heading.rstrip()).rstrip()


def _begins(line: str) -> bool:
    return any(pattern.match(line) for pattern in (BULLET, NUMBERED, ROW, LABEL))


def _goes_over(line: str, after: str) -> bool:
    """Whether a line goes on in the next: it is full, or the next is set in below its bullet."""
    full = len(line.rstrip()) >= WRAPPED and line.rstrip(CLOSERS)[-1:] not in MARKS
    return full or (after.startswith("  ") and not line.startswith("  "))


def _fence_end(lines: list[str], start: int, *, mark: str) -> int:
    """One past the closing fence; a fence that is never closed takes the rest."""
    for at in range(start + 1, len(lines)):
        if lines[at].strip().startswith(mark):
            return at + 1
    return len(lines)


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


class Topic(NamedTuple):
    """Headings and the words that belong below them."""

    headings: re.Pattern[str]
    words: re.Pattern[str]


@cache
def topics() -> tuple[Topic, ...]:
    """Every topic there is."""
    return tuple(Topic(words(each["headings"]), words(each["words"])) for each in data()["topics"])


def touches(text: str, heading: str) -> int:
    """How many topics of the heading the text touches."""
    return sum(1 for topic in topics() if topic.headings.search(heading) and topic.words.search(text))


UNTITLED = "Untitled"
BOTH = "The notes point to a plan and to software. The type is Plan for now; confirm it, or change it to Code."
NO_SIGNS = "Nothing in the notes points to software, so the type is Plan."
FOR_PLAN = "Words that point to a plan:"
FOR_CODE = "Words that point to code:"
CHANGED = "Set by a later message:"
NO_OBJECTIVE = f"What should exist in the end? ({NOT_SAID})"
NO_LIMITS = f"Which limits are there: money, time, means, what must not be? ({NOT_SAID})"
NO_CRITERIA = f"How will you know that it is done well? ({NOT_SAID})"
WHICH_HOLDS = "Which of the two is right?"
LEFT_IN = "Resource, read for wishes, limits and questions only:"

INTENT_TEXTS = (
    BOTH, NO_SIGNS, FOR_PLAN, FOR_CODE, CHANGED, NO_OBJECTIVE, NO_LIMITS, NO_CRITERIA, WHICH_HOLDS, LEFT_IN, UNTITLED,
)  # fmt: skip
"""All that can be in an intent besides the person's words."""

KIND_TITLE = "Kind of plan"
KIND_DECISION = "The template of the plan is: "
KIND_REASON = "The intent shares most words with this template."
TWO_SAY = "Two statements contradict each other."
SEVERITY = {
    "critical": "The deliverable is unusable, or violates a constraint.",
    "medium": "Something you asked for is missing, wrong or unclear.",
    "minor": "It could be better, but nothing you asked for depends on it.",
}
