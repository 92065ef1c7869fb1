"""What somebody has to settle: statements that do not fit, what nobody said, and the person's own questions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from thoughtforge.providers.builtin.answers import MUCH, WHEN, WHO
from thoughtforge.providers.builtin.contradictions import contradictions, elliptic
from thoughtforge.providers.builtin.facts import amounts, timed
from thoughtforge.providers.builtin.needs import empty_sections
from thoughtforge.providers.builtin.sentences import (
    BOTH,
    BY_WHEN,
    DOUBT,
    HOW_MUCH,
    LEFT_OUT,
    NO_CRITERIA,
    NO_LIMITS,
    NO_OBJECTIVE,
    NOT_CONTENT,
    REPLACED,
    WHICH_HOLDS,
    WHO_DOES,
    cue,
)
from thoughtforge.providers.builtin.sorting import CONTEXT, Kind
from thoughtforge.providers.builtin.tasks import task

MOST_ASKED = 8
"""Points a person is asked about at once; what a section lacks is among them."""
ALONE = re.compile(r"\bi(?:['’]d| would| want| need| have to)\b", re.IGNORECASE)
OTHERS = re.compile(r"\b(?:we|us|our|they|team|people|everybody|everyone)\b", re.IGNORECASE)
FREE = re.compile(r"\b(?:for free|no budget|free of charge|0 budget|costs nothing|cost nothing|without money)\b", re.I)

Lists = Mapping[str, Mapping[str, None]]


def asked(
    lists: Lists, kind: Kind, *, title: str, told: Sequence[str], resources: Sequence[Any], readable: bool
) -> list[str]:
    """What somebody has to settle, in the order in which it holds up the rest; `told` are the statements as said."""
    pairs = list(_pairs(lists, told))
    quoted = {text for pair in pairs for text in pair}
    questions = [text for text in lists["open_questions"] if text not in quoted]
    own = sorted(questions, key=lambda question: -len(cue("blocking").findall(question)))
    gaps = [*_gaps(lists, kind)] if readable else []
    found = list(dict.fromkeys([*_general(lists, kind), *(_which(*pair) for pair in pairs), *gaps, *own]))
    if kind.name != "plan" or not readable:
        return found
    intent = {"title": title, **{name: list(texts) for name, texts in lists.items()}}
    intent |= {"open_questions": [], "unknowns": []}
    lacking = [text for text in empty_sections(intent, resources) if text not in found]
    at = max(0, MOST_ASKED - len(lacking))
    return [*found[:at], *lacking, *found[at:]]


def _which(one: str, other: str) -> str:
    return f"{WHICH_HOLDS} “{one}” / “{other}”"


def _general(lists: Lists, kind: Kind) -> Iterator[str]:
    """What blocks everything: the type and the aim."""
    if kind.open:
        yield BOTH if " to a plan" in kind.reason else DOUBT
    if not lists["objective"]:
        yield NO_OBJECTIVE


def _pairs(lists: Lists, told: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Statements that speak against each other."""
    others = [text for name in ("assumptions", CONTEXT) for text in lists[name] if not text.startswith(NOT_CONTENT)]
    for pair in [*contradictions([*lists["constraints"], *lists["objective"]], others), *elliptic(told)]:
        yield (pair.one, pair.other)


def _gaps(lists: Lists, kind: Kind) -> Iterator[str]:
    """What nobody said and a plan needs: by when, who, how much, and how one will know."""
    stated = [text for name in lists for text in lists[name] if not text.startswith((LEFT_OUT, REPLACED))]
    own = [*lists["open_questions"], *lists["unknowns"]]
    firm = [text for text in stated if text not in lists["open_questions"]]
    if kind.name == "plan":
        if not any(timed(text) for text in firm) and not any(WHEN.search(text) for text in own):
            yield BY_WHEN
        alone = any(ALONE.search(text) for text in lists["objective"]) and not any(OTHERS.search(text) for text in firm)
        if not alone and not any(_somebody(text) for text in firm) and not any(WHO.match(text) for text in own):
            yield WHO_DOES
        costs = any(amounts(text) or cue("budget").search(text) or FREE.search(text) for text in firm)
        if not costs and not any(MUCH.search(text) for text in own):
            yield HOW_MUCH
    elif not lists["constraints"]:
        yield NO_LIMITS
    if not any(cue("success").search(text) or text.startswith(NO_CRITERIA) for text in stated):
        yield NO_CRITERIA


def _somebody(text: str) -> bool:
    """Whether a sentence gives somebody something to do."""
    return task(text) is not None or cue("people").search(text) is not None
