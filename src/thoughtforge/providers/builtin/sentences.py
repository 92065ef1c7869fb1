"""Sentences, cues and the words for what nobody has said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, Literal, NamedTuple

from thoughtforge.catalog import LIBRARY
from thoughtforge.providers.builtin.letters import NO_CONTENT, letter_parts

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
    r"(?:^|[\s(\"“])(?:e\.g|i\.e|z\.\s?b|d\.\s?h|u\.\s?a|p\.\s?ej|etc|vs|approx|ca|bzw|evtl|inkl|incl|excl|max"
    r"|min|nr|no|mr|mrs|ms"
    r"|dr|prof|st|sr|sra|ing|ud|uds|usw|jan|feb|aug|sept|oct|nov|dec|fig|vol|inc|ltd|co|tel|[^\W\d_])\.$",
    re.IGNORECASE,
)
"""What ends in a full stop and does not end a sentence: abbreviations and initials."""
MAYBE_SHORT = re.compile(r"(?:^|[\s(]|\d\.?[-–]|\d\.)(?:\d{1,3}|\d*\s?[ap]\.m)\.$", re.IGNORECASE)
"""Numbers and times of day: they go on before a small letter or a month; a number alone belongs to what it counts."""
MONTH = re.compile(r"\s(?:jan|feb|mär|mar|apr|mai|may|jun|jul|aug|sep|okt|oct|nov|dez|dec)", re.IGNORECASE)
LONGEST_SHORT = 12
BRACKET = 80
"""The characters within which a bracket that opened must close."""
UNIT_END = re.compile(r"\d\s?[a-z]\.$")
"""A unit behind a number ends a sentence: `1.80 m.`"""
SHORT_MONTH = re.compile(
    r"\d(?:st|nd|rd|th|\.)?\s(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|okt|nov|dec|dez)\.$", re.IGNORECASE
)
"""Behind a day the short name of a month ends the sentence when a new one begins: `on 20 Feb. Then …`."""
AFTER_FIGURE = re.compile(r"\d\S*\s+(?:[^\W\d]+\s+)?(?:max|min)\.$", re.IGNORECASE)
"""Behind the figure it belongs to, a short word ends the sentence: `15,000 euros max.`"""
NUMBER_WORD = re.compile(r"(?:^|\s)(?:no|nr)\.$", re.IGNORECASE)
"""It is short for number only before one."""


Kind = Literal["sentence", "heading", "code", "table", "aside"]


class Piece(NamedTuple):
    """One thing a person wrote."""

    text: str
    kind: Kind
    under: str
    """The heading above it, or nothing."""


def pieces(text: str) -> list[Piece]:
    """All pieces of a text in order; white space inside a sentence is evened out, code is kept as it is."""
    found: list[Piece] = []
    under = ""
    for block, kind in _blocks(text):
        if kind in ("code", "table", "aside"):
            found.append(Piece(block, kind, under))
            continue
        if kind == "heading":
            under = block.strip().rstrip(":")
            found.append(Piece(block, "heading", under))
            continue
        found += [Piece(each, "aside" if NO_CONTENT.match(each) else "sentence", under) for each in sentences(block)]
    return [piece for piece in found if not DECORATION.match(piece.text)]


def sentences(text: str) -> list[str]:
    """The sentences of running text; a web address stays whole because nothing is cut inside a word."""
    line = " ".join(text.split())
    found, start = [], 0
    for end in END.finditer(line):
        if not _goes_on(line[start : end.end()].strip(), line[end.end() : end.end() + BRACKET]):
            found.append(line[start : end.end()].strip())
            start = end.end()
    return _with_brackets([sentence for sentence in [*found, line[start:].strip()] if sentence])


IN_BRACKETS = re.compile(r"\([^()]*\)\W*")


def _with_brackets(found: Sequence[str]) -> list[str]:
    """What stands in brackets behind a sentence belongs to it."""
    joined: list[str] = []
    for sentence in found:
        if joined and IN_BRACKETS.fullmatch(sentence):
            joined[-1] = f"{joined[-1]} {sentence}"
        else:
            joined.append(sentence)
    return joined


def _closes(rest: str) -> bool:
    """Whether an open bracket is closed soon."""
    return ")" in rest and "(" not in rest[: rest.index(")")]


GOES_ON = re.compile(r"\s(?:by|before|until|till|on|at|for|because|since|or|and)\s[^\W_]")
"""Words in small letters that go on after an exclamation: `the value list!!! by 1 Oct`."""


def _goes_on(so_far: str, rest: str) -> bool:
    """Whether the mark ends nothing: it belongs to brackets, an abbreviation, a list number, an ordinal."""
    after = rest[:5]
    end = so_far[-LONGEST_SHORT:]
    if so_far.count("(") > so_far.count(")") and _closes(rest):
        return True  # a mark inside brackets does not end the sentence around them
    if not end.endswith("."):
        return end.endswith("!") and GOES_ON.match(rest) is not None
    if SHORT_MONTH.search(so_far) and after[1:2].isupper():
        return False
    if AFTER_FIGURE.search(so_far) and not after.strip()[:1].isdigit():
        return False
    if SHORT.search(end) and not UNIT_END.search(end) and (not NUMBER_WORD.search(end) or after[1:2].isdigit()):
        return True
    counted = MAYBE_SHORT.search(end) is not None
    return counted and (so_far[:-1].isdecimal() or after[1:2].islower() or MONTH.match(after) is not None)


def _blocks(text: str) -> Iterator[tuple[str, Kind]]:
    """Code blocks, headings, what a letter has around it, and runs of lines that belong together."""
    lines = text.splitlines()
    aside, width, listing = letter_parts(lines, _begins), _width(lines), _is_listing(lines)
    longest = max((len(line) for line in lines if not _begins(line)), default=0)
    at, run = 0, ""
    while at < len(lines):
        line = lines[at]
        fence, heading = FENCE.match(line), HEADING.match(line)
        apart = fence or heading or not line.strip() or _begins(line) or at in aside
        fresh = listing and line.strip()[:1].isupper() and not OPEN_END.search(lines[at - 1])
        if apart or (run and (fresh or not _goes_over(lines[at - 1], line, width=width, longest=longest))):
            if run:
                yield run, "sentence"
            run = ""
        if fence:
            end = _fence_end(lines, at, mark=fence.group(1)[:3])
            yield "\n".join(lines[at:end]), "code"
            at = end
            continue
        rows = _table_end(lines, at)
        if rows > at:
            yield "\n".join(line.strip() for line in lines[at:rows]), "table"
            at = rows
            continue
        if at in aside and line.strip():
            yield line.strip(), "aside"
        elif heading or LABEL.match(line) or _of_money(line):
            yield (_bare(heading.group(1)) if heading else BULLET.sub("", line).strip()), "heading"
        elif line.strip():
            run = f"{run} {BULLET.sub('', line)}".strip()
        at += 1
    if run:
        yield run, "sentence"


def _of_money(line: str) -> bool:
    """Whether a line is nothing but the heading of a list of incomes or costs."""
    bare = line.strip(" \t*_:")
    return any(cue(name).fullmatch(bare) for name in ("comes_in", "goes_out"))


CONTINUES = re.compile(
    r"^(?:or|and|but|because|that|with|to|for|of|from|than|as|in|at|by|on|if|so that|oder|und|aber|weil|mit|y|o"
    r"|pero)\s",
)
OPEN_END = re.compile(
    r"(?:,|\b(?:and|or|but|the|a|an|of|to|for|with|from|in|at|by|on|our|my|is|are|we|i|und|oder|der|die|das))\s*$",
    re.IGNORECASE,
)
NARROWEST = 30
MANY = 3


def _is_listing(lines: Sequence[str]) -> bool:
    """Whether the note is a list without bullets: most lines are short and end without a full stop."""
    plain = [line.strip() for line in lines if line.strip() and not _begins(line) and not HEADING.match(line)]
    short = [line for line in plain if len(line) < WRAPPED and line[-1] not in ".,;:"]
    return len(plain) > MANY and len(short) >= NEARLY * len(plain)


def _width(lines: Sequence[str]) -> int:
    """The column at which an editor wrapped the text; 0 when none is to be seen."""
    paragraphs: list[list[str]] = [[]]
    for line in lines:
        if line.strip() and not _begins(line) and not HEADING.match(line):
            paragraphs[-1].append(line.rstrip())
        elif paragraphs[-1]:
            paragraphs.append([])
    return max((_wrapped_at(each) for each in paragraphs), default=0)


def _wrapped_at(paragraph: Sequence[str]) -> int:
    """The width of a paragraph in which no line but the last had room for the next word."""
    width = max(map(len, paragraph), default=0)
    if len(paragraph) < MANY or width < NARROWEST:
        return 0
    full = [len(line) + 1 + len(after.split()[0]) > width for line, after in pairwise(paragraph)]
    return width if all(full) else 0


def _bare(heading: str) -> str:
    return CLOSING.sub("", heading.rstrip()).rstrip()


def _begins(line: str) -> bool:
    return any(pattern.match(line) for pattern in (BULLET, NUMBERED, ROW, LABEL)) or _of_money(line)


LABEL_START = re.compile(r"^\s*[^\W\d][\w' ]{1,25}(?::|\s[-–—])\s")
WIDEST = 120
"""No editor wraps later: in a text with longer lines the end of a line is meant."""
NEARLY = 0.8
"""The part of the longest line a line must have to be taken for full."""


def _goes_over(line: str, after: str, *, width: int, longest: int) -> bool:
    """Whether a line goes on in the next: it is full, its end or the next beginning says so, or that is set in."""
    bare = line.rstrip()
    ended = bare.rstrip(CLOSERS)[-1:] in MARKS
    long = max(WRAPPED, NEARLY * longest) <= len(bare) <= WIDEST
    full = long or (0 < width < len(bare) + 1 + len(after.split()[0]))
    joined = CONTINUES.match(after.strip()) or OPEN_END.search(bare)
    return (not ended and not LABEL_START.match(after) and bool(full or joined)) or (
        after.startswith("  ") and not line.startswith("  ")
    )


def _table_end(lines: Sequence[str], start: int) -> int:
    """One past the last line of a table in Markdown that begins here; the line itself where none begins."""
    rows = next((at for at in range(start, len(lines)) if not ROW.match(lines[at])), len(lines))
    ruled = rows - start >= TABLE_ROWS and DECORATION.match(lines[start + 1]) and "-" in lines[start + 1]
    return rows if ruled else start


TABLE_ROWS = 3


def _fence_end(lines: list[str], start: int, *, mark: str) -> int:
    """One past the closing fence; a fence that is never closed takes the rest."""
    for at in range(start + 1, len(lines)):
        if lines[at].strip().startswith(mark):
            return at + 1
    return len(lines)


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
DOUBT = "Should this become a plan or software? The type is Plan for now; confirm it, or change it to Code."
NO_SIGNS = "Nothing in the notes points to software, so the type is Plan."
FOR_PLAN = "Words that point to a plan:"
FOR_CODE = "Words that point to code:"
CHANGED = "Set by a later message:"
UNREAD = "The notes are in another language than the rules read, so their text is kept and not sorted."
NO_OBJECTIVE = "What should exist in the end?"
BY_WHEN = "By when must it be done?"
WHO_DOES = "Who does the work?"
HOW_MUCH = "What may it cost?"
NO_LIMITS = "Which limits are there: money, time, means, what must not be?"
NO_CRITERIA = "How will you know that it is done well?"
GAPS = (NO_OBJECTIVE, BY_WHEN, WHO_DOES, HOW_MUCH, NO_LIMITS, NO_CRITERIA)
"""What is asked because nobody said it."""
FIRST_STEPS = "Which steps come first?"
WHAT_RISKS = "What could go wrong, and what is done then?"
WHICH_PARTS = "Which parts does it have, and how do they work together?"
WHERE = "Where is it, and what happens when it rains?"
WHAT_FUNCTIONS = "What must it do, and how well?"
WHICH_WAYS = "Which ways are there, and which one is taken?"
SECTION_QUESTIONS = (
    ("steps tasks work initiatives actions", FIRST_STEPS), ("risks wrong", WHAT_RISKS), ("design", WHICH_PARTS),
    ("place", WHERE), ("requirements", WHAT_FUNCTIONS), ("choices", WHICH_WAYS),
)  # fmt: skip
"""Words of a heading, and what is asked when nothing is known that stands below it."""
WHICH_HOLDS = "Which of the two is right?"
LEFT_IN = "Resource:"
LEFT_OUT = "Greeting and signature:"
HEADINGS = "Headings:"
REPLACED = "Replaced by what was said later:"
TAKEN_IN = "Taken in as a correction:"
LEFT_OPEN = "left open"

INTENT_TEXTS = (
    BOTH, DOUBT, NO_SIGNS, FOR_PLAN, FOR_CODE, CHANGED, UNREAD, NO_OBJECTIVE, BY_WHEN, WHO_DOES, HOW_MUCH, NO_LIMITS,
    NO_CRITERIA, WHICH_HOLDS, LEFT_IN, LEFT_OUT, HEADINGS, REPLACED, TAKEN_IN, LEFT_OPEN, UNTITLED,
    *(question for _, question in SECTION_QUESTIONS),
)  # fmt: skip
"""All that can be in an intent besides the person's words."""
NOT_CONTENT = (LEFT_IN, LEFT_OUT, HEADINGS, REPLACED, TAKEN_IN)
"""Context that begins so is kept on record and is no content of a plan."""

OUTVOTED = "You decided for the statement that contradicts it."
OPEN_POINTS = "Open points"
OPEN_PURPOSE = "What nobody has settled yet."
OPEN_OBJECTIVE = "Every point is settled by a person before it is needed."
NO_OWN_CRITERION = "The criteria of the whole plan apply."
NO_CRITERION = "No criterion was named; see the open points."
IN_SECTIONS = "Worked out in:"
SETTLE = "Settle"
MUST_HOLD = "Must hold:"
UNSETTLED = "Open until a person settles it:"
SEE_BELOW = "See below."
ASSUMED = "Assumed:"
KIND_TITLE = "Kind of plan"
KIND_DECISION = "The template of the plan is: "
KIND_REASON = "The intent shares most words with this template."
TWO_SAY = "Two statements contradict each other."
SEVERITY = {
    "critical": "The deliverable is unusable, or violates a constraint.",
    "medium": "Something you asked for is missing, wrong or unclear.",
    "minor": "It could be better, but nothing you asked for depends on it.",
}
