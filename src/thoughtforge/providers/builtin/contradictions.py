"""Pairs of statements that cannot both hold, found by rules: opposite words, limits that cross, two budgets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

from thoughtforge.providers.builtin.cues import cue

NUMBER_OF = r"\W{1,5}(\d[\d.,]{0,20})\W{1,5}(\w+)"
MOST = re.compile(
    rf"\b(?:at most|no more than|not more than|max(?:imum|imal)?|up to|höchstens|como máximo|máximo){NUMBER_OF}",
    re.IGNORECASE,
)
LEAST = re.compile(
    rf"\b(?:at least|no (?:less|fewer) than|min(?:imum|imal)?|mindestens|como mínimo|mínimo){NUMBER_OF}", re.IGNORECASE
)
AMOUNT = re.compile(r"\d[\d.,]{0,20}\d|\d")
WORD = re.compile(r"\w{3,}")
ALIKE = 0.75
"""The part of the shorter one's words two opposite statements must share."""
FEWEST = 2
"""Statements with fewer words of their own are not compared."""
MOST_COMPARED = 400
"""Every statement is held against every other: a book's worth of them would take minutes."""
THOUSAND = 3
FOR = re.compile(r"(?:budget|presupuesto|kosten)\s+(?:for|of|für|de|para)\s+([^\d:,.;]+)", re.IGNORECASE)
PLAIN = frozenset(
    {"must", "the", "and", "shall", "should", "have", "has", "will", "can", "are", "for", "with", "muss", "soll"}
)
"""Words that say nothing about what a statement is about."""


class Pair(NamedTuple):
    """Two statements that speak against each other."""

    one: str
    other: str


class Facts(NamedTuple):
    """What of a statement is compared."""

    text: str
    negated: bool
    content: frozenset[str]
    most: tuple[tuple[str, float], ...]
    least: tuple[tuple[str, float], ...]
    budget: float | None
    budget_for: str


def contradictions(statements: Sequence[str]) -> list[Pair]:
    """All pairs that cannot both hold; doubtful pairs are left alone."""
    known = [_facts(text) for text in list(dict.fromkeys(statements))[:MOST_COMPARED]]
    return [Pair(one.text, other.text) for one, other in combinations(known, 2) if _against(one, other)]


def _facts(text: str) -> Facts:
    negation = cue("negation")
    words = {word.casefold() for word in WORD.findall(negation.sub(" ", text))} - PLAIN
    amounts = AMOUNT.findall(text) if cue("budget").search(text) and cue("money").search(text) else []
    meant = FOR.search(text)
    return Facts(
        text=text,
        negated=negation.search(text) is not None,
        content=frozenset(words),
        most=tuple((found[2].casefold(), _number(found[1])) for found in MOST.finditer(text)),
        least=tuple((found[2].casefold(), _number(found[1])) for found in LEAST.finditer(text)),
        budget=_number(amounts[0]) if len(amounts) == 1 else None,
        budget_for=meant.group(1).strip().casefold() if meant else "",
    )


def _against(one: Facts, other: Facts) -> bool:
    return _opposite(one, other) or _crossing(one, other) or _crossing(other, one) or _two_budgets(one, other)


def _opposite(one: Facts, other: Facts) -> bool:
    """It must be done by August, and it must not."""
    shorter = min(len(one.content), len(other.content))
    alike = shorter >= FEWEST and len(one.content & other.content) / shorter >= ALIKE
    return one.negated != other.negated and alike


def _crossing(upper: Facts, lower: Facts) -> bool:
    """At most 80 guests, and at least 100 guests."""
    return any(thing == named and limit < wanted for thing, limit in upper.most for named, wanted in lower.least)


def _two_budgets(one: Facts, other: Facts) -> bool:
    named = one.budget is not None and other.budget is not None
    return named and one.budget != other.budget and one.budget_for == other.budget_for


def _number(text: str) -> float:
    """8,000 and 8.000 are thousands, 8.50 is not."""
    whole, *rest = re.split(r"[.,]", text)
    if len(rest) == 1 and len(rest[0]) < THOUSAND:
        return float(f"{whole}.{rest[0]}")
    return float("".join([whole, *rest]))
