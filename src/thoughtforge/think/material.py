"""The person's own material for everybody who writes, reviews or fixes: the confirmed intent and resources/.

Whole files when they fit. Else the passages that share most words with what is worked on, each with its file and lines,
and a list of what was left out.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache, partial
from itertools import pairwise
from math import log, sqrt
from pathlib import Path
from typing import NamedTuple

from thoughtforge.agent.as_text import as_yaml
from thoughtforge.agent.asking import Fill
from thoughtforge.agent.context import Block
from thoughtforge.agent.run import Run
from thoughtforge.agent.tokens import estimate
from thoughtforge.kernel.model import JsonObject
from thoughtforge.settings.outside import Resources
from thoughtforge.think.conversation import is_realign
from thoughtforge.think.documents import project
from thoughtforge.think.resources import FOLDER, names, read_resources
from thoughtforge.think.talking import conversation
from thoughtforge.think.tracing import with_ids

WORD = re.compile(r"\w+")
STEM = 5
"""Letters by which two words are the same: cater, caterer and catering."""
PASSAGE_LINES = 12
PASSAGE_CHARACTERS = 1_200
"""A paragraph longer than that, such as a table, counts as several passages."""
INTENT_SHARE = 3
"""The intent keeps a third of that; resources get the rest."""
OWN_WORDS = "the person's own words"
PHASES = ("brain_dump", "distilling", "human_review")
"""Where they were said."""
TRACED = ("objective", "constraints", "unknowns", "open_questions")
"""Lists of the intent whose points a specification names one by one."""
LEFT_OUT = "left out for lack of room"
RANGES = 10
"""Ranges of lines named for one file."""
LIST_ROOM = 400
MOST_CHARACTERS = 12
ABOUT = 3
"""How much more a word of the work at hand counts than a word of the intent."""
LINES_MARK = 10
"""Tokens of the line that says which lines follow."""


class Passage(NamedTuple):
    """Some lines of a resource that stand together."""

    first: int
    last: int
    text: str
    terms: frozenset[str]


class Source(NamedTuple):
    """A resource, whole and in passages."""

    name: str
    text: str
    passages: tuple[Passage, ...]

    @property
    def path(self) -> str:
        """Its path in the project; what the person said has none."""
        return self.name if self.name == OWN_WORDS else f"{FOLDER}/{self.name}"


def material(run: Run, about: str) -> Fill:
    """The intent and the resources for a question; `about` says what the work is on."""
    return partial(material_blocks, run, about)


async def material_blocks(run: Run, about: str, budget: int, *, beside: str = "") -> list[Block]:
    """The intent and the resources within a budget; of the intent what does not stand in a text shown beside it."""
    accepted = run.record.accepted()
    text = as_yaml(_new(_settled(with_ids(accepted["intent"]), accepted.get("proposal", {})), beside))
    intent = _kept("intent", text, budget // INTENT_SHARE)._replace(cap=budget)
    given = [*own_words(run), *await sources(run)]
    return [intent, *resource_blocks(given, about=about, also=text, budget=budget - intent.floor)]


def own_words(run: Run) -> tuple[Source, ...]:
    """What the person said until they confirmed the proposal; while one is made, the talk of it stands elsewhere."""
    phases = (*PHASES, "spec_building") if "proposal" in run.record.accepted() else PHASES
    said = [one for one in conversation(run).told(*phases) if one.role == "human" and not is_realign(one.text)]
    texts = [one.text if one.phase == PHASES[0] else f"Said later, of a version: {one.text}" for one in said]
    text = "\n\n".join(texts).strip()
    return (Source(OWN_WORDS, text, split(text)),) if text else ()


def _settled(intent: JsonObject, proposal: JsonObject) -> JsonObject:
    """The intent, each unknown and question with what the confirmed proposal made of it."""
    known = {row["id"]: row["resolution"] for row in proposal.get("resolved", ())}
    rows = {
        key: [{**row, "settled": known[row["id"]]} if row["id"] in known else row for row in intent[key]]
        for key in ("unknowns", "open_questions")
    }
    return {**intent, **rows} if known else intent


def _new(intent: JsonObject, beside: str) -> JsonObject:
    """The intent without the lists of which every point stands in the text, and with their names."""
    said = {key: [item["text"] if isinstance(item, dict) else item for item in intent[key]] for key in TRACED}
    gone = [key for key in TRACED if said[key] and all(text.strip() in beside for text in said[key])]
    kept = {key: value for key, value in intent.items() if key not in gone}
    return {**kept, "in_the_specification": gone} if gone else kept


async def sources(run: Run) -> tuple[Source, ...]:
    """Every resource that can be read."""
    return await asyncio.to_thread(_sources, run)


async def resource_texts(run: Run) -> list[dict[str, str]]:
    """The same as plain values, for an agent that works by rules."""
    return [{"name": one.name, "text": one.text} for one in await sources(run)]


def resource_blocks(given: Sequence[Source], *, about: str, budget: int, also: str = "") -> list[Block]:
    """Every file whole when all fit; else the passages nearest to `about` (and `also`), and what was left out."""
    if sum(len(one.text) for one in given) <= MOST_CHARACTERS * budget:  # no text has more for a token
        whole = [_kept(one.path, one.text) for one in given]
        if sum(block.floor for block in whole) <= budget:
            return whole
    room = min(LIST_ROOM, max(100, budget // 4))
    wanted = {**dict.fromkeys(terms(also), 1), **dict.fromkeys(terms(about), ABOUT)}
    taken = _taken(given, wanted, budget - room)
    excerpts = [_excerpts(one, kept) for one, kept in zip(given, taken, strict=True) if kept]
    lines = [_left_out(one, kept) for one, kept in zip(given, taken, strict=True) if len(kept) < len(one.passages)]
    return [*excerpts, _kept(LEFT_OUT, _listed(lines, room))]


def _taken(given: Sequence[Source], wanted: Mapping[str, int], room: int) -> list[list[int]]:
    """The passages of each file that fit, by number: the best and the first of each, then the best of all."""
    rare = Counter(term for one in given for passage in one.passages for term in passage.terms & wanted.keys())
    total = sum(len(one.passages) for one in given)

    def nearness(passage: Passage) -> float:
        shared = sum(wanted[term] * log(1 + total / rare[term]) for term in passage.terms & wanted.keys())
        return shared / sqrt(len(passage.terms) + 8)

    near = {
        (place, number): nearness(passage)
        for place, one in enumerate(given)
        for number, passage in enumerate(one.passages)
    }
    rest = sorted(near, key=lambda each: -near[each])
    best: dict[int, tuple[int, int]] = {}
    for place, number in rest:
        best.setdefault(place, (place, number))
    first = [(place, 0) for place in sorted(best)]
    taken: list[set[int]] = [set() for _ in given]
    for place, number in (*best.values(), *first, *rest):
        cost = _cost(given[place], number, taken[place])
        if number not in taken[place] and cost <= room:
            taken[place].add(number)
            room -= cost
    return [sorted(numbers) for numbers in taken]


def _cost(source: Source, number: int, taken: Collection[int]) -> int:
    """Tokens of one more passage; neighbours share the line that says where they stand."""
    beside = sum(near in taken for near in (number - 1, number + 1))
    frame = 0 if taken else _frame(f"{source.path} (excerpts)")
    return estimate(source.passages[number].text) + 1 + LINES_MARK * (1 - beside) + frame


def _excerpts(source: Source, kept: Sequence[int]) -> Block:
    if len(kept) == len(source.passages):
        return _kept(source.path, source.text)
    runs: list[list[Passage]] = []
    for before, number in zip((-2, *kept), kept, strict=False):
        passage = source.passages[number]
        runs = [*runs[:-1], [*runs[-1], passage]] if number == before + 1 else [*runs, [passage]]
    text = "\n\n".join(f"[{_range(run[0].first, run[-1].last)}]\n{_joined(run)}" for run in runs)
    return _kept(f"{source.path} (excerpts)", text)._replace(whole=estimate(source.text))


def _joined(run: Sequence[Passage]) -> str:
    """Neighbours as they stand in the file: a long paragraph that was split is one again."""
    parts = [run[0].text]
    for before, passage in pairwise(run):
        gap = "" if passage.first == before.last else "\n" if passage.first == before.last + 1 else "\n\n"
        parts.append(gap + passage.text)
    return "".join(parts)


def _listed(lines: Sequence[str], room: int) -> str:
    """As many of the lines as there is room for, and how many there are beyond."""
    kept: list[str] = []
    left = room - _frame(LEFT_OUT) - LINES_MARK
    for line in lines:
        left -= estimate(line) + 1
        if left < 0:
            return "\n".join([*kept, f"- and {len(lines) - len(kept)} more files"])
        kept.append(line)
    return "\n".join(kept)


def _left_out(source: Source, kept: Sequence[int]) -> str:
    """The lines of a file that nobody is shown, neighbours joined."""
    if not kept:
        return f"- {source.path}: all of it"
    found: list[tuple[int, int]] = []
    joins = False
    for number, one in enumerate(source.passages):
        if number in kept:
            joins = False
        else:
            found = [*found[:-1], (found[-1][0], one.last)] if joins else [*found, (one.first, one.last)]
            joins = True
    more = f", and {len(found) - RANGES} more ranges" if len(found) > RANGES else ""
    return f"- {source.path}: {', '.join(_range(*each) for each in found[:RANGES])}{more}"


def _range(first: int, last: int) -> str:
    return f"lines {first}–{last}" if last > first else f"line {first}"


def terms(text: str) -> frozenset[str]:
    """The words of a text by their beginnings; short words say nothing, figures say all."""
    return frozenset(
        word[:STEM] if not word.isdigit() else word
        for word in WORD.findall(text.casefold())
        if len(word) > 2 or word.isdigit()
    )


def split(text: str) -> tuple[Passage, ...]:
    """The passages of a text: its paragraphs, long ones in pieces."""
    found: list[Passage] = []
    held: list[tuple[int, str]] = []
    lines = text.splitlines()
    pieces = [
        (number, line[at : at + PASSAGE_CHARACTERS])
        for number, line in enumerate(lines, 1)
        for at in range(0, max(1, len(line)), PASSAGE_CHARACTERS)
    ]
    for number, piece in [*pieces, (len(lines) + 1, "")]:
        full = len(held) >= PASSAGE_LINES or sum(len(each) for _, each in held) + len(piece) > PASSAGE_CHARACTERS
        if held and (full or not piece.strip()):
            body = "\n".join(each for _, each in held)
            found.append(Passage(held[0][0], held[-1][0], body, terms(body)))
            held = []
        if piece.strip():
            held.append((number, piece))
    return tuple(found)


def _kept(title: str, text: str, most: int | None = None) -> Block:
    """A block that keeps its room, up to a limit."""
    size = estimate(text) + _frame(title)
    size = size if most is None else min(size, max(0, most))
    return Block(title, text, size, floor=size, untrusted=True)


def _frame(title: str) -> int:
    """Tokens of the heading and the marks around a block."""
    return 2 * estimate(title) + 32


def _sources(run: Run) -> tuple[Source, ...]:
    folder = project(run).root / FOLDER
    facts = [(name, (folder / name).lstat()) for name in names(folder)]
    stamp = tuple((name, one.st_mtime_ns, one.st_size) for name, one in facts)
    return _read(folder, stamp, run.library.config.resources)


@lru_cache(maxsize=2)  # every section, review and fix asks again, and documents take long to read
def _read(folder: Path, stamp: tuple[tuple[str, int, int], ...], limits: Resources) -> tuple[Source, ...]:
    found = [one for one in read_resources(folder, limits).resources if one.text.strip()]
    return tuple(Source(one.name, one.text, split(one.text)) for one in found)
