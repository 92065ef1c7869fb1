"""What an answer settles: which of two statements holds, what the other one becomes, and what stands in the plan."""

from __future__ import annotations

import re
from collections.abc import Mapping

from thoughtforge.providers.builtin.exchanging import in_place
from thoughtforge.providers.builtin.facts import NUM, SPEAKER, Fact, dates, facts, figures, number, stem, subject
from thoughtforge.providers.builtin.sentences import BOTH, DOUBT, LEFT_OPEN, WHICH_HOLDS, cue
from thoughtforge.providers.builtin.sorting import INDEFINITE, WISH

SIDES = re.compile(r"“([^”]+)”")
TWO = 2
DENIED = re.compile(r"[,;(]?\s*\b(?:not|instead of|rather than|no longer)\s.*$", re.IGNORECASE)
"""Behind it stands what the answer does not choose."""
DOUBTING = re.compile(
    r"^\W*(?:(?:i|we)(?:['’]m| am| are|['’]re)?\s+)?(?:(?:do not|don['’]?t|does not)\s+know(?: yet)?"
    r"|(?:still )?not (?:yet )?(?:sure|decided|clear)(?: yet)?"
    r"|unsure|unclear|undecided|no idea|nobody knows|wondering|wonder|maybe|perhaps|have to (?:decide"
    r"|find out)|need to (?:decide|find out))\W+"
    r"(?:whether |if |about |on |of )?",
    re.IGNORECASE,
)
PLAIN_YES = re.compile(r"^\W*(?:yes|yep|yeah|sure|right|correct)\W*$", re.IGNORECASE)


def offered(question: str) -> list[str]:
    """The two statements a question puts against each other; none of any other question."""
    return SIDES.findall(question) if question.startswith(WHICH_HOLDS) else []


def chosen(question: str, answer: str) -> str:
    """The statement an answer chooses; empty when it names neither."""
    sides = offered(question)
    if answer in sides:
        return answer
    told = DENIED.sub("", answer) if DENIED.sub("", answer).strip(" ,.") else answer
    for of in (_days, _numbers, _names):
        named = [side for side in sides if of(told) & of(side)]
        apart = [side for side in named if not of(told) & of(_other(side, sides))]
        if apart:
            return apart[0]
        if of(told) and of is not _names:
            return named[0] if len(named) == 1 else ""
    return _by_denial(sides, answer)


def _other(side: str, sides: list[str]) -> str:
    return next((one for one in sides if one != side), "")


def _days(text: str) -> frozenset[object]:
    return frozenset(when.key for when in dates(text))


def _numbers(text: str) -> frozenset[object]:
    return frozenset(number(found) for found in re.findall(NUM, text))


def _names(text: str) -> frozenset[object]:
    return frozenset(stem(word) for word in re.findall(r"[^\W\d_]{3,}", cue("negation").sub(" ", text)))


def _by_denial(sides: list[str], answer: str) -> str:
    """Of two opposites the one that denies like the answer."""
    denies = [side for side in sides if cue("negation").search(side)]
    if len(denies) != 1 or not subject(answer) & subject(" ".join(sides)):
        return ""
    return denies[0] if cue("negation").search(answer) else _other(denies[0], sides)


def added(question: str, answer: str) -> str:
    """What an answer adds to the plan; empty when it only chooses between statements that are there."""
    if answer == LEFT_OPEN or question in (BOTH, DOUBT):
        return ""
    sides = offered(question)
    if sides:
        return "" if chosen(question, answer) else _anew(sides[0], answer)
    doubt = DOUBTING.match(question)
    if doubt and question[doubt.end() :].strip(" .!?"):
        topic = question[doubt.end() :].strip(" .!?")
        return topic if PLAIN_YES.match(answer) else f"{topic}: {answer}"
    return question if answer in question else f"{question} {answer}"


def _anew(side: str, answer: str) -> str:
    """A third answer: a figure alone goes into the statement, a sentence stands for itself."""
    for new in facts(answer) or facts(f"is {answer}"):
        for old in facts(side):
            if (old.kind == new.kind or new.kind == "number") and len(answer.split()) <= len(new.text.split()) + 1:
                return in_place(side, old, new)
    bare = re.fullmatch(rf"\W*(?:about |around |it['’]?s )?({NUM})\W*", answer)
    place = next((one for one in figures(side) if one.kind != "date"), None)
    if bare and place:
        shown = side[place.at : place.end]
        return side.replace(shown, re.sub(NUM, bare.group(1), shown, count=1), 1)
    return answer


def verdicts(answers: Mapping[str, str]) -> dict[str, str]:
    """By losing statement what it becomes: with the winner's figure, or empty when it goes. `answers` by question."""
    found: dict[str, str] = {}
    for question, answer in answers.items():
        sides = offered(question)
        if len(sides) < TWO or answer == LEFT_OPEN or not answer:
            continue
        winner = chosen(question, answer)
        for loser in sides:
            if loser != winner:
                found[loser] = _yielded(loser, winner or _anew(sides[0], answer))
    return found


def applied(text: str, lost: Mapping[str, str]) -> str:
    """A statement after the verdicts: a clause that lost leaves it, the whole of it goes when it lost."""
    if text in lost:
        return lost[text]
    for clause, becomes in lost.items():
        bare = clause.strip(" .!?")
        if len(bare) >= SHORTEST_CLAUSE and bare in text:
            text = text.replace(bare, becomes.strip(" .!?"), 1) if becomes else _left(text, bare)
    return text


def _left(text: str, clause: str) -> str:
    """What stays of a sentence without a clause; nothing when only marks stay."""
    before, _, after = text.partition(clause)
    before, after = before.rstrip(JOINTS), after.lstrip(JOINTS)
    told = f"{before}, {after}" if before and after.strip(".!? ") else before + after
    return told if set(re.findall(r"\w+", told.casefold())) - JOINING else ""


SHORTEST_CLAUSE = 6
JOINTS = " ,;–—-"
JOINING = frozenset({"but", "and", "or", "while", "whereas", "although", "yet", "so", "aber", "pero"})
"""Words that say nothing when what they join is gone."""


def _yielded(loser: str, winner: str) -> str:
    """A losing statement that says more than its figure keeps the rest."""
    if SPEAKER.search(loser):
        return ""
    for old in facts(loser):
        for new in facts(winner):
            if old.kind == new.kind and old.value != new.value and _says_more(loser, old, new):
                return in_place(loser, old, new)
    return ""


def _says_more(loser: str, old: Fact, new: Fact) -> bool:
    rest = subject(loser, old.text) - new.about - subject(new.clause)
    whole = WISH.search(loser) is not None or INDEFINITE.match(loser) is not None or len(figures(loser)) > 1
    return bool(rest) and (whole or not cue("must").search(loser) and len(rest) > TWO)
