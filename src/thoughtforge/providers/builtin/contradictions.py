"""Pairs of statements that cannot both hold: opposites, limits that cross, two figures for one thing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

from thoughtforge.providers.builtin.clashes import clashes
from thoughtforge.providers.builtin.disputes import disputed_figure
from thoughtforge.providers.builtin.facts import CLAUSE, NUM, Fact, dates, facts, number, stem
from thoughtforge.providers.builtin.sentences import cue

NUMBER_OF = r"\W{1,5}(\d[\d.,]{0,20})\W{1,5}(\w+)"
MOST = re.compile(
    rf"\b(?:at most|no more than|not more than|max(?:imum|imal)?|up to|höchstens|como máximo|máximo){NUMBER_OF}",
    re.IGNORECASE,
)
LEAST = re.compile(
    rf"\b(?:at least|no (?:less|fewer) than|min(?:imum|imal)?|mindestens|como mínimo"
    rf"|mínimo){NUMBER_OF}",
    re.IGNORECASE,
)
AMOUNT = re.compile(r"\d[\d.,]{0,20}\d|\d")
WORD = re.compile(r"\w{3,}")
ALIKE = 0.75
"""The part of the shorter one's words two opposite statements must share."""
FEWEST = 2
"""Statements with fewer words of their own are not compared."""
MOST_COMPARED = 400
"""Every statement is held against every other: a book's worth of them would take minutes."""
BUDGET = re.compile(r"\b(?:budget|presupuesto)\b", re.IGNORECASE)
FOR = re.compile(r"(?:budget|presupuesto|kosten)\s+(?:for|of|für|de|para)\s+([^\d:,.;]+)", re.IGNORECASE)
REASON = re.compile(r"[,;]?\s+(?:because|since|so that|weil|porque)\s.*$", re.IGNORECASE | re.DOTALL)
"""Why something is so says nothing about what is."""
PLAIN = frozenset(
    {
        "must",
        "the",
        "and",
        "shall",
        "should",
        "have",
        "has",
        "will",
        "can",
        "are",
        "for",
        "with",
        "muss",
        "soll",
        "get",
        "gets",
    }
    | {
        "there",
        "want",
        "need",
        "any",
        "all",
        "some",
        "every",
        "each",
        "allow",
        "allowed",
        "everyone",
        "everyon",
        "everybody",
    }
)
"""Words that say nothing about what a statement is about."""


class Pair(NamedTuple):
    """Two statements that speak against each other."""

    one: str
    other: str


class StatedFacts(NamedTuple):
    """What of a statement is compared."""

    text: str
    negated: bool
    content: frozenset[str]
    most: tuple[tuple[str, float], ...]
    least: tuple[tuple[str, float], ...]
    budget: float | None
    budget_for: str
    figures: tuple[Fact, ...]
    """Figures that stand alone in their sentence and say what they are of."""


def contradictions(statements: Sequence[str], others: Sequence[str] = ()) -> list[Pair]:
    """All pairs that cannot both hold; doubtful pairs are left alone. Of `others` only the figures count."""
    known = [_facts(text) for text in list(dict.fromkeys(statements))[:MOST_COMPARED]]
    told = [*known, *(_facts(text) for text in list(dict.fromkeys(others))[: MOST_COMPARED - len(known)])]
    stated = [one for one in told if one.figures]
    found = [Pair(one.text, other.text) for one, other in combinations(known, 2) if _against(one, other)]
    figures = [Pair(one.text, other.text) for one, other in combinations(stated, 2) if _figures(one, other)]
    own = [pair for text in [*statements, *others] for pair in _within(text)]
    seen = list(dict.fromkeys([*found, *figures, *own]))
    both = {frozenset(pair) for pair in seen}
    texts = [one.text for one in told]
    clashed = [Pair(*clash) for clash in clashes(texts) if frozenset(clash) not in both]
    return [*seen, *dict.fromkeys(clashed)]


ELLIPTIC = re.compile(
    rf"^\W*(?:[\w'’]+\s){{1,3}}?(?:thinks?|says?|said|reckons?|guess(?:es)?|believes?|counts?|counted"
    rf"|wants?|expects?|hopes? for)\s+"
    rf"(?:that\s+)?(?:it['’]?s\s+|we\s+are\s+)?(?:more like\s+|about\s+|around\s+|rather\s+"
    rf"|only\s+)?(?P<number>{NUM})\W*$",
    re.IGNORECASE,
)
"""Somebody names another figure for what the sentence before counts: `mum thinks 90`."""


def elliptic(texts: Sequence[str]) -> list[Pair]:
    """Such figures with the sentence they speak against."""
    found = []
    within = [pair for text in texts for pair in pairwise(part.strip() for part in CLAUSE.split(text))]
    for before, text in [*pairwise(texts), *within]:
        said = ELLIPTIC.match(text)
        stated = [] if dates(before) else [number(found) for found in re.findall(rf"(?<![\w.,]){NUM}", before)]
        if said and stated and number(said["number"]) not in stated:
            found.append(Pair(before, text))
    return found


def _facts(text: str) -> StatedFacts:
    negation = cue("negation")
    words = {stem(word) for word in WORD.findall(negation.sub(" ", REASON.sub("", text)))} - PLAIN
    amounts = AMOUNT.findall(text) if BUDGET.search(text) and cue("money").search(text) else []
    meant = FOR.search(text)
    return StatedFacts(
        text=text,
        negated=negation.search(text) is not None,
        content=frozenset(words),
        most=tuple((found[2].casefold(), number(found[1])) for found in MOST.finditer(text)),
        least=tuple((found[2].casefold(), number(found[1])) for found in LEAST.finditer(text)),
        budget=number(amounts[0]) if len(amounts) == 1 else None,
        budget_for=meant.group(1).strip().casefold() if meant else "",
        figures=_alone(text),
    )


def _against(one: StatedFacts, other: StatedFacts) -> bool:
    crossing = _crossing(one, other) or _crossing(other, one)
    return _opposite(one, other) or crossing or _two_budgets(one, other)


def _figures(one: StatedFacts, other: StatedFacts) -> bool:
    """Two figures for the same thing, each the only one of its kind in its sentence."""
    told = TELLS.match(one.text) or TELLS.match(other.text)
    return any(
        fact.kind == against.kind and fact.value != against.value and _of_the_same(fact, against, told=told is not None)
        for fact in one.figures
        for against in other.figures
    )


WHICH_ONE = re.compile(r"\b(?:next|last|first|second|third|previous|final)\b")
"""One of several: the next meeting is not this one."""
TELLS = re.compile(
    r"^\W*(?!i\b|we\b)(?:[\w'’]+\s){1,3}(?:says?|said|thinks?|reckons?|believes?|told (?:me|us))\b", re.IGNORECASE
)
"""Somebody else names a figure."""


def _of_the_same(one: Fact, other: Fact, *, told: bool) -> bool:
    """Whether two figures are of one thing; of a date somebody tells, one sentence may say more about it."""
    if one.kind.startswith("date") and WHICH_ONE.findall(one.clause) != WHICH_ONE.findall(other.clause):
        return False
    day = told and one.kind.startswith(("date", "count"))
    return one.about == other.about or day and (one.about < other.about or other.about < one.about)


def _within(text: str) -> Iterator[Pair]:
    """Two people name two figures in one sentence."""
    disputed = disputed_figure(text)
    if disputed:
        yield Pair(*disputed)
        return
    stated = facts(text)
    if not cue("correction").search(text) and cue("speaker").search(text):
        for one, other in combinations(stated, 2):
            differ = one.value != other.value and one.clause != other.clause
            if differ and one.kind == other.kind and one.about == other.about:
                yield Pair(one.clause, other.clause)


def _opposite(one: StatedFacts, other: StatedFacts) -> bool:
    """It must be done by August, and it must not."""
    shorter = min(len(one.content), len(other.content))
    alike = shorter >= FEWEST and len(one.content & other.content) / shorter >= ALIKE
    return one.negated != other.negated and alike


def _crossing(upper: StatedFacts, lower: StatedFacts) -> bool:
    """At most 80 guests, and at least 100 guests."""
    return any(thing == named and limit < wanted for thing, limit in upper.most for named, wanted in lower.least)


def _two_budgets(one: StatedFacts, other: StatedFacts) -> bool:
    named = one.budget is not None and other.budget is not None
    return named and one.budget != other.budget and one.budget_for == other.budget_for


def _alone(text: str) -> tuple[Fact, ...]:
    """The figures of a sentence that has one of their kind; a figure of nothing is no statement."""
    stated = tuple(fact for fact in facts(text) if not cue("negation").search(fact.clause))
    kinds = [fact.kind for fact in stated]
    if len(AMOUNT.findall(text)) > 1 and "money" in kinds:
        stated = tuple(fact for fact in stated if fact.kind != "money")  # it names parts of the sum
    return tuple(
        fact for fact in stated if kinds.count(fact.kind) == 1 and (fact.about or fact.kind.startswith("count"))
    )
