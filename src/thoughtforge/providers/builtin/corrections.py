"""Later words win: a correction replaces the figure, the statement or the thing it takes back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from thoughtforge.providers.builtin.disputes import disputed_figure
from thoughtforge.providers.builtin.exchanging import (
    amended,
    best_place,
    exchange,
    exchanged,
    in_place,
    moved_day,
    only_says,
)
from thoughtforge.providers.builtin.facts import Fact, dates, facts, stem, subject
from thoughtforge.providers.builtin.sentences import cue, data
from thoughtforge.providers.builtin.sorting import WISH, wishes
from thoughtforge.providers.builtin.taking_out import taken_out, without

LEAD = re.compile(
    r"^\W*(?:(?:no[\s,.;–—-]+(?=wait|sorry|actually|hang|hold|make)|no\s*[,.;–—-]|(?:oh|ah|oops|wait"
    r"|sorry|correction|my mistake"
    r"|i was wrong|i mean(?:t)?|on second thoughts?|on reflection|scratch that|strike that|hang on|hold on|update"
    r"|edit|p\.?s\.?)\s*(?:[,:;.!–—-]|(?=the\s|it\s|we\s|i\s|that\s|our\s|not\s))|in fact\b"
    r"|actually(?:\s+no\b)?)[\s,:;.–—-]*)+"
    r"(?:make (?:that|it)\s+)?|^\W*(?:better )?make (?:that|it)\s+",
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
    """What holds, what was replaced, and the corrections that say nothing else."""

    statements: list[NoteStatement]
    replaced: list[str]
    taken_in: list[str]


def corrected(statements: Sequence[NoteStatement]) -> CorrectedNotes:
    """The statements after all corrections among them."""
    found = CorrectedNotes([], [], [])
    for statement in statements:
        taken = statement if statement.list == "open_questions" else _take(statement, found)
        if taken is not None:
            found.statements.append(taken)
    return found


def _take(statement: NoteStatement, found: CorrectedNotes) -> NoteStatement | None:
    """Apply what a statement corrects to those before it; itself as it goes on the list, None when it is used up."""
    settled = amended(statement.text)
    if settled != statement.text:
        found.replaced.append(statement.text)
        return statement._replace(text=settled, was=statement.text)
    says_so = cue("correction").search(statement.text) is not None and not disputed_figure(statement.text)
    if statement.list == "objective" and LEAD.match(statement.text) and not wishes(plainly(statement.text)):
        statement = statement._replace(list="context")
    taken = _exchange(statement, found, says_so=says_so)
    if taken is not statement:
        return taken
    taken = _take_out(statement, found)
    if taken is not statement:
        return taken
    before = len(found.replaced)
    taken = _figures(statement, found, says_so=says_so)
    untouched = taken is statement and len(found.replaced) == before
    return None if says_so and untouched and _moved(statement, found) else taken


def _moved(statement: NoteStatement, found: CorrectedNotes) -> bool:
    """Put the new day in the place of the one that is taken back, wherever it stood; whether it stood anywhere."""
    days = moved_day(statement.text)
    if days is None:
        return False
    places = [at for at, one in enumerate(found.statements) if one.list != "open_questions"]
    named = [(at, day) for at in places for day in dates(found.statements[at].text) if day.key == days.old.key]
    for at, day in named:
        _change(found, at, found.statements[at].text.replace(day.text, days.new.text))
    if named:
        found.taken_in.append(statement.text)
    return bool(named)


def _exchange(statement: NoteStatement, found: CorrectedNotes, *, says_so: bool) -> NoteStatement | None:
    """The old figure or word is named: it is exchanged where it stood."""
    told = plainly(statement.text)
    both = exchange(told, says_so=says_so)
    told_before = [each.text if each.list != "open_questions" else "" for each in found.statements]
    place = best_place(both, told_before, both.rest) if both else None
    if both is None or place is None:
        return statement
    now = exchanged(told_before[place], both)
    _change(found, place, now)
    if only_says(both.rest, now, generic=generic()):
        found.taken_in.append(statement.text)
        return None
    found.replaced.append(statement.text)
    return statement._replace(text=both.rest, was=statement.text)


def _change(found: CorrectedNotes, place: int, text: str) -> None:
    """A statement reads otherwise now; without a text it is gone."""
    before = found.statements[place]
    found.replaced.append(before.was or before.text)
    if text:
        found.statements[place] = before._replace(text=text, was=before.was or before.text)
    else:
        del found.statements[place]


def _take_out(statement: NoteStatement, found: CorrectedNotes) -> NoteStatement:
    """Remove what speaks of a thing that is given up: the sentence, or only its part where it names others too."""
    thing = taken_out(plainly(statement.text))
    if thing is None:
        return statement
    taken = 0
    for place in range(len(found.statements) - 1, max(-1, len(found.statements) - MOST_BACK), -1):
        left = without(found.statements[place].text, thing)
        if left is not None:
            taken += 1
            _change(found, place, left)
    if taken and thing.instead:
        found.replaced.append(statement.text)
        return statement._replace(text=thing.instead, was=statement.text)
    return statement._replace(list="constraints") if taken or cue("taken_out").match(statement.text) else statement


def _figures(statement: NoteStatement, found: CorrectedNotes, *, says_so: bool) -> NoteStatement | None:
    """Each figure of the statement takes the place of the earlier one for the same thing."""
    told, edited = statement.text, list[str]()
    for fact in facts(told):
        place = _target(fact, found.statements, statement, says_so=says_so)
        if place is None:
            continue
        before = found.statements[place]
        old = next(each for each in facts(before.text) if _alike(each, fact) and each.value != fact.value)
        if _keeps(before, old, fact=fact, statement=statement):
            edited.append(before.text)
            _change(found, place, in_place(before.text, old, fact))
        else:
            _change(found, place, "")
            statement = statement._replace(list=before.list)
            edited.append("")
    bare = len(edited) == 1 and edited[0] and not subject(plainly(told), facts(told)[-1].text) - generic()
    if says_so and bare:
        found.taken_in.append(told)
        return None
    return statement


def _keeps(before: NoteStatement, old: Fact, *, fact: Fact, statement: NoteStatement) -> bool:
    """Whether the earlier sentence stays with the new figure: it says more than that, or it is a wish."""
    more = subject(before.text, old.text) - fact.about - subject(statement.text) - generic()
    return bool(more) or before.list == "objective" and WISH.search(before.text) is not None


def _target(fact: Fact, kept: Sequence[NoteStatement], statement: NoteStatement, *, says_so: bool) -> int | None:
    """The newest statement with another figure for the same thing; unless it says so, only an earlier message's."""
    first = max(0, len(kept) - MOST_BACK)
    places = [
        (at, old)
        for at in range(len(kept) - 1, first - 1, -1)
        if kept[at].list != "open_questions" and (says_so or kept[at].message != statement.message)
        for old in facts(kept[at].text)
        if _alike(old, fact) and old.value != fact.value
    ]
    exact = next((at for at, old in places if old.about == fact.about and (fact.about or _counts(fact))), None)
    if exact is not None or not says_so:
        return exact
    about = fact.about - generic()
    near = next((at for at, old in places if _near(about, old.about - generic())), None)
    if near is not None or about:
        return near if near is not None else _pronoun(about, kept, places)
    return _anything(kept, places, lead=LEAD.match(statement.text) is not None)


def _counts(fact: Fact) -> bool:
    return fact.kind.startswith("count")


def _near(about: frozenset[str], old: frozenset[str]) -> bool:
    """Whether a correction names part of a thing, or more of it."""
    return bool(about and old) and (about <= old or old <= about)


def _pronoun(about: frozenset[str], kept: Sequence[NoteStatement], places: Sequence[tuple[int, Fact]]) -> int | None:
    """A figure of what the sentence before spoke of: `It'll be on 3 July`, `200 visitors`."""
    for at, old in places:
        spoken = subject(kept[at - 1].text) if at else frozenset[str]()
        aims = [subject(each.text) for each in kept if each.list == "objective"]
        if not old.about - generic() and (_counts(old) or about & spoken.union(*aims)):
            return at
    return None


def _anything(kept: Sequence[NoteStatement], places: Sequence[tuple[int, Fact]], *, lead: bool) -> int | None:
    """What a correction without a thing means: the figure of the wish, else the newest; of several dates none."""
    wished = [at for at, _ in places if kept[at].list == "objective"]
    if wished and places[0][1].kind.startswith("date"):
        return wished[0]
    alone = len({old.value for _, old in places}) == 1
    return places[0][0] if places and (alone or lead) else None


def _alike(one: Fact, other: Fact) -> bool:
    """Figures of the same kind; a bare number may be money."""
    return one.kind == other.kind or {one.kind, other.kind} == {"money", "number"}


@lru_cache
def generic() -> frozenset[str]:
    """Words that fit whatever is corrected, without endings."""
    return frozenset(stem(word) for word in data()["generic"])


def plainly(text: str) -> str:
    """A correction without the words that announce it."""
    return LEAD.sub("", text, count=1).strip() or text
