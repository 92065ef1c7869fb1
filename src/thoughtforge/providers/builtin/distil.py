"""An intent from a person's words by rules, and whether a plan that was brought along is complete."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from thoughtforge.kernel.model import JsonObject
from thoughtforge.providers.builtin.sentences import (
    BOTH,
    LEFT_IN,
    NO_CRITERIA,
    NO_LIMITS,
    NO_OBJECTIVE,
    NOT_SAID,
    WHICH_HOLDS,
    Piece,
    cue,
    pieces,
    title,
)
from thoughtforge.providers.builtin.sorting import CONTEXT, belongs, deliverable

HEADING = re.compile(r"^##\s+(\S.*)$")
CELLS = re.compile(r"(?<!\\)\|")
RULE = re.compile(r"^[|\s:-]+$")
HEADER = ("Objective", "Plan", "Assessment")
PLACEHOLDER = re.compile(r"(?<!\w)(?:TBD|TBA|TBC|TODO:|lorem ipsum)(?!\w)", re.IGNORECASE)


class DraftSection(NamedTuple):
    """A section of a plan as it is read: its heading and the cells of its OPA table."""

    heading: str
    cells: tuple[str, ...] | None
    """None when it has no OPA table with a row."""


def completeness(document: str) -> JsonObject:
    """Whether every section of a plan says something; a document without OPA tables is no plan to build from."""
    found = list(_sections(document))
    reasons = [f"{each.heading}: {what}" for each in found for what in _lacking(each)]
    if not any(each.cells for each in found):
        reasons = ["The document has no table of Objective, Plan and Assessment."]
    return {"pass": not reasons, "reasons": reasons}


def _lacking(section: DraftSection) -> Iterator[str]:
    if section.cells is None:
        yield "The section has no table of Objective, Plan and Assessment."
        return
    for column, cell in zip(HEADER, section.cells, strict=False):
        if not cell:
            yield f"{column} is empty."
        elif cell == NOT_SAID:
            yield f"{column}: {NOT_SAID}."
        elif PLACEHOLDER.search(cell):
            yield f"{column} holds a placeholder."
    if len(section.cells) < len(HEADER):
        yield "The table lacks a column."


def _sections(document: str) -> Iterator[DraftSection]:
    heading, rows = "", list[str]()
    for line in document.splitlines():
        found = HEADING.match(line)
        if found:
            if heading:
                yield DraftSection(heading, _row(rows))
            heading, rows = found.group(1).rstrip(), []
        elif line.lstrip().startswith("|"):
            rows.append(line.strip())
    if heading:
        yield DraftSection(heading, _row(rows))


def _row(rows: Sequence[str]) -> tuple[str, ...] | None:
    """The first row of content below the header of an OPA table."""
    split = [
        tuple(part.strip() for part in CELLS.split(row.strip("|")))
        for row in rows
        if not RULE.match(row) or row.strip("| ") == ""
    ]
    return split[1] if len(split) > 1 and split[0] == HEADER else None


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


class StatedFacts(NamedTuple):
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


def _facts(text: str) -> StatedFacts:
    negation = cue("negation")
    words = {word.casefold() for word in WORD.findall(negation.sub(" ", text))} - PLAIN
    amounts = AMOUNT.findall(text) if cue("budget").search(text) and cue("money").search(text) else []
    meant = FOR.search(text)
    return StatedFacts(
        text=text,
        negated=negation.search(text) is not None,
        content=frozenset(words),
        most=tuple((found[2].casefold(), _number(found[1])) for found in MOST.finditer(text)),
        least=tuple((found[2].casefold(), _number(found[1])) for found in LEAST.finditer(text)),
        budget=_number(amounts[0]) if len(amounts) == 1 else None,
        budget_for=meant.group(1).strip().casefold() if meant else "",
    )


def _against(one: StatedFacts, other: StatedFacts) -> bool:
    return _opposite(one, other) or _crossing(one, other) or _crossing(other, one) or _two_budgets(one, other)


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


def _number(text: str) -> float:
    """8,000 and 8.000 are thousands, 8.50 is not."""
    whole, *rest = re.split(r"[.,]", text)
    if len(rest) == 1 and len(rest[0]) < THOUSAND:
        return float(f"{whole}.{rest[0]}")
    return float("".join([whole, *rest]))


LISTS = ("objective", "assumptions", "constraints", "unknowns", "open_questions", CONTEXT)
MOST_QUESTIONS = 5


def distil(messages: Sequence[str], resources: Sequence[Mapping[str, Any]] = ()) -> JsonObject:
    """The intent in a person's messages, in their own words."""
    said = [piece for message in messages for piece in pieces(message)]
    lists: dict[str, dict[str, None]] = {name: {} for name in LISTS}
    for piece in said:
        lists[belongs(piece)].setdefault(piece.text)
    name = title(said, list(lists["objective"]))
    for resource in resources:
        _read(resource, lists)
    kind = deliverable(messages)
    asked = [*_general(lists, both=kind.open), *_ranked(list(lists["open_questions"])), *_missing(lists)]
    unknowns = [*lists["unknowns"], *asked[MOST_QUESTIONS:]]
    return {
        "title": name,
        "deliverable_type": kind.name,
        "type_reason": kind.reason,
        "objective": list(lists["objective"]),
        "assumptions": list(lists["assumptions"]),
        "constraints": list(lists["constraints"]),
        "unknowns": [{"id": f"U-{number}", "text": text} for number, text in enumerate(unknowns, 1)],
        "open_questions": [
            {"id": f"Q-{number}", "text": text} for number, text in enumerate(asked[:MOST_QUESTIONS], 1)
        ],
        "context": [text for text in lists[CONTEXT] if text != name],
    }


def _read(resource: Mapping[str, Any], lists: dict[str, dict[str, None]]) -> None:
    """A resource is read for what can be sorted; the rest of it stays where it is, and its name says where."""
    found = pieces(str(resource.get("text", "")))
    for piece in found:
        name = belongs(piece)
        if name != CONTEXT and not _table(piece):
            lists[name].setdefault(piece.text)
    lists[CONTEXT].setdefault(f"{LEFT_IN} {resource.get('name', '')}".strip())


def _table(piece: Piece) -> bool:
    return piece.text.startswith("|")


def _general(lists: Mapping[str, Mapping[str, None]], *, both: bool) -> Iterator[str]:
    """What blocks everything: the type, the aim, and statements that speak against each other."""
    if both:
        yield BOTH
    if not lists["objective"]:
        yield NO_OBJECTIVE
    for pair in contradictions([*lists["constraints"], *lists["objective"]]):
        yield f"{WHICH_HOLDS} “{pair.one}” / “{pair.other}”"


def _ranked(questions: Sequence[str]) -> list[str]:
    """The person's questions, those that hold up most first; equal ones keep their order."""
    return sorted(questions, key=lambda question: -len(cue("blocking").findall(question)))


def _missing(lists: Mapping[str, Mapping[str, None]]) -> Iterator[str]:
    if not lists["constraints"]:
        yield NO_LIMITS
    if not any(cue("criterion").search(text) for name in ("objective", "constraints") for text in lists[name]):
        yield NO_CRITERIA
