"""Where each sentence of an intent stands in a plan: in the section whose words it shares most, and only there."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from thoughtforge.kernel.model import JsonObject
from thoughtforge.providers.builtin.answers import AskedPoint, disputed
from thoughtforge.providers.builtin.facts import amounts
from thoughtforge.providers.builtin.money import StatedCost, cost
from thoughtforge.providers.builtin.sentences import (
    NO_CRITERIA,
    NOT_CONTENT,
    OPEN_POINTS,
    SECTION_QUESTIONS,
    touches,
    words,
)
from thoughtforge.providers.builtin.settling import added, applied, verdicts
from thoughtforge.providers.builtin.sorting import is_filler
from thoughtforge.providers.builtin.tables import ResourceTable, own_table, resource_tables
from thoughtforge.providers.builtin.tasks import StatedTask, task

WORD = re.compile(r"\w{4,}")
SMALL_WORDS = frozenset({"about", "what", "that", "this", "which", "when", "they", "them", "with", "done", "where"})
"""Words that say nothing about where a sentence stands."""
HOMES = {
    "objective": re.compile(r"\b(?:aim|goal|celebration|problem)\b", re.IGNORECASE),
    "constraints": re.compile(r"\b(?:scope|requirements?|goal|celebration|aim|problem)\b", re.IGNORECASE),
    "assumptions": re.compile(r"\b(?:risks?|wrong|uncertain)\b", re.IGNORECASE),
    "tasks": re.compile(r"\b(?:steps|tasks?|work|initiatives|actions)\b", re.IGNORECASE),
    "money": re.compile(r"\b(?:money|budget|costs?|means)\b", re.IGNORECASE),
}
"""What has a home of its own → the headings it is at home under; all else begins in the first section."""


PRICED = ("constraints", "context", "assumptions", "objective")
FEWEST_COSTS = 2
"""One cost alone is a sentence, not a table."""


class Item(NamedTuple):
    """Something a plan says, and where."""

    section: str
    list: str
    """The list of the intent it is from; tasks, money and tables have their own."""
    text: str
    task: StatedTask | None = None
    cost: StatedCost | None = None
    table: ResourceTable | None = None


def known_sections(
    sections: Sequence[Mapping[str, Any]],
    intent: JsonObject,
    proposal: JsonObject,
    *,
    resources: Sequence[Mapping[str, Any]] = (),
) -> list[JsonObject]:
    """The sections of a template something is known about, and those it requires."""
    told = [{"name": section["name"], "purpose": section["purpose"]} for section in sections]
    filled = {item.section for item in placed(told, intent, proposal, resources=resources)}
    kept = [section for section in sections if section["name"] in filled or section.get("required")]
    return [
        {key: value for key, value in section.items() if key in ("name", "purpose", "holds")}
        for section in kept or sections[:1]
    ]


def placed(
    sections: Sequence[Mapping[str, Any]],
    intent: JsonObject,
    proposal: JsonObject,
    *,
    resources: Sequence[Mapping[str, Any]] = (),
) -> list[Item]:
    """Everything the intent, the answers and the resources say, each in its section."""
    own = [section for section in sections if section["name"] != OPEN_POINTS] or list(sections)
    known = said(intent, proposal).items()
    told = [(text, name) for name, texts in known for text in texts if not text.startswith(NO_CRITERIA)]
    costs = [one for text, name in told if name in PRICED and (one := cost(text)) is not None]
    several = len(costs) >= FEWEST_COSTS
    found = [item for text, name in told for item in _items(text, name, own, table=several)]
    for table in resource_tables(resources):
        about = f"{table.name} {' '.join(table.header)}"
        found.append(Item(place(about, own, home=""), "tables", table.name, table=table))
    return found


def _items(text: str, name: str, sections: Sequence[Mapping[str, Any]], *, table: bool) -> list[Item]:
    table_of = own_table(text) if text.startswith("|") else None
    if table_of:
        priced_at = home_of("money", sections) if any(amounts(cell) for row in table_of.rows for cell in row) else ""
        at = priced_at or place(" ".join(table_of.header), sections, home=name)
        return [Item(at, "tables", text, table=table_of)]
    given, priced = task(text), cost(text) if table and name in PRICED else None
    money, work = home_of("money", sections), home_of("tasks", sections)
    if name == "objective":
        aim = Item(home_of("objective", sections) or str(sections[0]["name"]), name, text)
        return [aim, *([Item(money, "money", text, cost=priced)] if priced and money else [])]
    asked = next((heading for heading, question in _questions(sections) if text.startswith(question)), "")
    if asked and name != "tasks":
        return [Item(asked, name, text)]
    if given and work:
        rest = [] if given.whole else [Item(place(text, sections, home=name), name, text)]
        return [Item(work, "tasks", text, task=given), *rest]
    if priced and money:
        kept = [] if priced.whole else [Item(place(text, sections, home=name), name, text)]
        return [Item(money, "money", text, cost=priced), *kept]
    return [Item(place(text, sections, home=name), name, text)]


def _questions(sections: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """The headings with the question that is asked about them: its answer stands there."""
    return [
        (str(section["name"]), asked)
        for section in sections
        for names, asked in SECTION_QUESTIONS
        if words(names.split()).search(str(section["name"]))
    ]


def said(intent: JsonObject, proposal: JsonObject) -> dict[str, list[str]]:
    """What was said, by list: without what an answer took away, with every question that is answered."""
    questions = [AskedPoint(one["id"], one["text"]) for key in ("open_questions", "unknowns") for one in intent[key]]
    questions += [AskedPoint(one["id"], one["concern"]) for one in proposal["challenges"]]
    answers = {one["id"]: one["resolution"] for one in proposal["resolved"]}
    by_text = {one.text: answers[one.id] for one in questions if one.id in answers}
    settled_so = verdicts(by_text)
    lost = settled_so | dict.fromkeys(disputed(answers, questions), "")
    known = {
        name: [applied(text, lost) for text in intent[name]] for name in ("objective", "constraints", "assumptions")
    }
    title = intent["title"].casefold()
    context = [text for text in intent["context"] if not text.endswith(":") and not text.startswith(NOT_CONTENT)]
    context = [text for text in context if not is_filler(text) and text.strip(" .!?").casefold() != title]
    known["context"] = [applied(text, lost) for text in context]
    settled = [added(question, answer) for question, answer in by_text.items()]
    return {name: [text for text in texts if text] for name, texts in {**known, "answers": settled}.items()}


def home_of(name: str, sections: Sequence[Mapping[str, Any]]) -> str:
    """The section something is at home in, empty when the plan has none."""
    pattern = HOMES.get(name)
    return next((str(one["name"]) for one in sections if pattern and pattern.search(str(one["name"]))), "")


def place(text: str, sections: Sequence[Mapping[str, Any]], *, home: str) -> str:
    """The name of the section a sentence stands in."""
    scores = [_shared(text, str(section["name"]), purpose=str(section["purpose"])) for section in sections]
    best = max(scores)
    if best == 0:
        return home_of(home, sections) or str(sections[0]["name"])
    return str(sections[scores.index(best)]["name"])


@lru_cache(maxsize=20_000)  # every section of a plan asks for every sentence again
def _shared(text: str, name: str, *, purpose: str) -> int:
    """How many words a sentence and a section share; words of the section's topic count as shared."""
    wanted = {word.casefold() for word in WORD.findall(f"{name} {purpose}")}
    words = {word.casefold() for word in WORD.findall(text)} - SMALL_WORDS
    return 2 * touches(text, name) + len(words & wanted)
