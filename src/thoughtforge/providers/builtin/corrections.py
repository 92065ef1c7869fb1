"""Later words win: a correction replaces the figure, the statement or the thing it takes back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from thoughtforge.providers.builtin.facts import Fact, facts, figures, stem, subject
from thoughtforge.providers.builtin.sentences import cue

OBJECT = re.compile(r"^\W*(?:the |that |our |my |a |an |idea (?:with|of) |all )*([^,.;:!?]{2,60})", re.IGNORECASE)
LEAD = re.compile(
    r"^\W*(?:(?:no\s*[,.;–—-]|(?:oh|wait|sorry|correction|i mean(?:t)?|on second thoughts?|update"
    r"|edit)\s*[,:;.–—-]|actually(?:\s+no\b)?)[\s,:;.–—-]*)+"
    r"(?:make (?:that|it)\s+)?|^\W*make (?:that|it)\s+",
    re.IGNORECASE,
)
MOST_BACK = 200
"""How many statements a correction looks back over."""


class NoteStatement(NamedTuple):
    """One thing a person said, and the list it belongs to."""

    text: str
    list: str
    message: int
    """The number of its message: what is said later counts."""
    was: str = ""
    """What it read before it was corrected."""


class CorrectedNotes(NamedTuple):
    """What holds, and what was replaced."""

    statements: list[NoteStatement]
    replaced: list[str]


def corrected(statements: Sequence[NoteStatement]) -> CorrectedNotes:
    """The statements after all corrections among them."""
    kept: list[NoteStatement] = []
    replaced: list[str] = []
    for statement in statements:
        if statement.list == "open_questions":
            kept.append(statement)
            continue
        statement = _take(statement, kept, replaced)
        kept.append(statement)
    return CorrectedNotes(kept, replaced)


def _take(statement: NoteStatement, kept: list[NoteStatement], replaced: list[str]) -> NoteStatement:
    """Apply what a statement corrects to those before it; itself as it goes on the list."""
    amended = _amended(statement.text)
    if amended != statement.text:
        replaced.append(statement.text)
        return statement._replace(text=amended, was=statement.text)
    out = _taken_out(statement.text)
    if out:
        _take_out(out, kept, replaced)
        return statement._replace(list="constraints")
    says_so = cue("correction").search(statement.text) is not None
    for fact in facts(statement.text):
        place = _target(fact, kept, statement, says_so=says_so)
        if place is None:
            continue
        before = kept[place]
        replaced.append(before.was or before.text)
        old = next(each for each in facts(before.text) if _same(each, fact, exact=False))
        if subject(before.text, old.text) - fact.about - subject(statement.text):
            kept[place] = before._replace(
                text=before.text.replace(old.text, fact.text, 1), was=before.was or before.text
            )
        else:
            del kept[place]
            statement = statement._replace(list=before.list)
    return statement


SELF = re.compile(
    r"\W*\b(?:i think|i guess|or so)?\W*\b(?:no,?\s+(?:wait|make (?:that|it)|sorry)|make (?:that|it)|sorry|wait"
    r"|i mean(?:t)?|actually|rather)\b[\s,:–—-]*"
    r"(?:no[\s,]+)?(?:make (?:that|it)\s+)?$",
    re.IGNORECASE,
)


def _amended(text: str) -> str:
    """A sentence that corrects itself, with the later figure only: `55 people, no, make that 45 people`."""
    stated = figures(text)
    for one, other in pairwise(stated):
        between = text[one.end : other.at]
        if one.kind == other.kind and SELF.fullmatch(between):
            return f"{text[: one.at]}{text[other.at :]}"
    return text


def _target(fact: Fact, kept: Sequence[NoteStatement], statement: NoteStatement, *, says_so: bool) -> int | None:
    """The newest statement with another figure for the same thing; unless it says so, only an earlier message's."""
    for place in range(len(kept) - 1, max(-1, len(kept) - MOST_BACK), -1):
        before = kept[place]
        if not says_so and before.message == statement.message:
            continue
        if before.list == "open_questions":
            continue
        if any(_same(each, fact, exact=not says_so) and each.value != fact.value for each in facts(before.text)):
            return place
    return None


def _same(one: Fact, other: Fact, *, exact: bool) -> bool:
    """Whether two figures are of the same thing; a correction may name only part of it."""
    if one.kind != other.kind:
        return False
    if exact:
        return one.about == other.about
    return one.about <= other.about or other.about <= one.about


def _taken_out(text: str) -> frozenset[str]:
    """The words of the thing a sentence takes out, empty when it takes out none."""
    found = cue("taken_out").search(LEAD.sub("", text, count=1))
    if not found or found.start() > 0:
        return frozenset()
    rest = OBJECT.match(LEAD.sub("", text, count=1)[found.end() :])
    return frozenset(subject(rest.group(1))) if rest else frozenset()


def _take_out(thing: frozenset[str], kept: list[NoteStatement], replaced: list[str]) -> None:
    """Remove what speaks of the thing: the sentence, or only its part where it names others too."""
    if not thing:
        return
    for place in range(len(kept) - 1, -1, -1):
        before = kept[place]
        if not thing <= subject(before.text):
            continue
        replaced.append(before.was or before.text)
        rest = _without(before.text, thing)
        if rest:
            kept[place] = before._replace(text=rest, was=before.was or before.text)
        else:
            del kept[place]
        return


PARTS = re.compile(r"(\s*,\s*(?:and |or )?|\s+(?:and|or|plus)\s+)", re.IGNORECASE)


def _without(text: str, thing: frozenset[str]) -> str:
    """The sentence without the parts that name the thing; empty when nothing is left that says anything."""
    parts = PARTS.split(text)
    pieces, joints = parts[::2], ["", *parts[1::2]]
    left = [(joint, piece) for joint, piece in zip(joints, pieces, strict=True) if not _names(piece, thing)]
    if len(left) == len(pieces) or not any(subject(piece) for _, piece in left):
        return ""
    if _names(pieces[0], thing):
        return ""  # the wish itself goes with its first thing
    end = text.rstrip()[-1:]
    found = "".join([left[0][1], *(f"{joint}{piece}" for joint, piece in left[1:])]).strip()
    return found if found[-1:] == end or end.isalnum() else f"{found}{end}"


def _names(part: str, thing: frozenset[str]) -> bool:
    return bool(thing & frozenset(stem(word) for word in re.findall(r"\w{3,}", part)))


def plainly(text: str) -> str:
    """A correction without the words that announce it."""
    return LEAD.sub("", text, count=1).strip() or text
