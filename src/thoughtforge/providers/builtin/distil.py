"""An intent from a person's words by rules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from thoughtforge.kernel.model import JsonObject
from thoughtforge.providers.builtin.answers import MUCH, WHEN, WHO, AskedPoint, beaten, no_content, read
from thoughtforge.providers.builtin.contradictions import contradictions
from thoughtforge.providers.builtin.corrections import CorrectedNotes, NoteStatement, corrected
from thoughtforge.providers.builtin.facts import amounts, task, timed
from thoughtforge.providers.builtin.sentences import (
    BOTH,
    BY_WHEN,
    DOUBT,
    HOW_MUCH,
    LEFT_IN,
    LEFT_OPEN,
    LEFT_OUT,
    NO_CRITERIA,
    NO_LIMITS,
    NO_OBJECTIVE,
    NOT_CONTENT,
    REPLACED,
    UNREAD,
    WHICH_HOLDS,
    WHO_DOES,
    Piece,
    cue,
    data,
    pieces,
)
from thoughtforge.providers.builtin.sorting import (
    CONTEXT,
    IMPERATIVE,
    REQUEST,
    WISH,
    Kind,
    belongs,
    deliverable,
    is_filler,
    split,
)
from thoughtforge.providers.builtin.titles import title

LISTS = ("objective", "assumptions", "constraints", "unknowns", "open_questions", CONTEXT)
MOST_QUESTIONS = 5
MOST_READ = 400
"""Pieces read of one resource; a book's worth would take minutes."""
WORD = re.compile(r"[^\W\d_]+")
SPACELESS = re.compile(r"[^\x00-\u024f\s\W\d]")
"""Letters of another script than the Latin one."""
FEWEST_WORDS = 8

Lists = dict[str, dict[str, None]]


class IntentVersion(NamedTuple):
    """What the messages so far come to."""

    title: str
    kind: Kind
    lists: Lists
    asked: list[AskedPoint]
    """Questions and unknowns, those that block most first."""
    readable: bool


def distil(
    messages: Sequence[str], resources: Sequence[Mapping[str, Any]] = (), said: Sequence[str] = ()
) -> JsonObject:
    """The intent in a person's messages, in their own words; `said` are those after it was first shown.

    What is asked keeps its id from version to version, and an answer takes its question away.
    """
    texts = [message for message in messages if not no_content(message)]
    ids: dict[str, str] = {}
    answers: dict[str, str] = {}
    version = _version(texts, resources, answers, ids=ids)
    for message in said:
        reading = read(message, version.asked)
        answers |= {_text_of(name, ids): answer for name, answer in reading.answers.items() if _text_of(name, ids)}
        texts += [reading.rest] if reading.rest else []
        version = _version(texts, resources, answers, ids=ids)
    return _intent(version)


def _text_of(name: str, ids: Mapping[str, str]) -> str:
    return next((text for text, known in ids.items() if known == name), "")


def _intent(version: IntentVersion) -> JsonObject:
    def by_id(letter: str) -> list[JsonObject]:
        return [{"id": one.id, "text": one.text} for one in version.asked if one.id.startswith(letter)]

    lists = version.lists
    return {
        "title": version.title,
        "deliverable_type": version.kind.name,
        "type_reason": version.kind.reason,
        "objective": list(lists["objective"]),
        "assumptions": list(lists["assumptions"]),
        "constraints": list(lists["constraints"]),
        "unknowns": by_id("U"),
        "open_questions": by_id("Q"),
        "context": [text for text in lists[CONTEXT] if text != version.title],
    }


def _version(
    texts: Sequence[str], resources: Sequence[Mapping[str, Any]], answers: Mapping[str, str], *, ids: dict[str, str]
) -> IntentVersion:
    """Everything said so far, sorted, corrected and asked about; new questions get new ids."""
    said = [piece for text in texts for piece in pieces(text)]
    readable = is_readable(" ".join(texts))
    found = _settled(corrected(_statements(texts, readable=readable)), answers, ids)
    lists: Lists = {name: {} for name in LISTS}
    name = title(said, [statement.text for statement in found.statements if statement.list == "objective"])
    for statement in found.statements:
        titled = statement.text == name and statement.list != "objective"
        lists[CONTEXT if titled else statement.list].setdefault(statement.text)
    kind = _kind(texts, name, lists, answers=answers, readable=readable)
    for question, answer in answers.items():
        if answer != LEFT_OPEN and question not in (BOTH, DOUBT):
            lists["constraints" if _counts(question, answer) else CONTEXT].setdefault(f"{question} {answer}")
    for resource in resources:
        _read(resource, lists)
    _keep_rest(said, found.replaced, lists)
    asked = [
        text for text in _asked(lists, kind, said=said, readable=readable) if answers.get(text) in (None, LEFT_OPEN)
    ]
    return IntentVersion(name, kind, lists, _numbered(asked, lists, ids=ids), readable)


def _counts(question: str, answer: str) -> bool:
    return question in (BY_WHEN, HOW_MUCH, NO_LIMITS, NO_CRITERIA) or bool(amounts(answer))


ADDS = re.compile(r"^(?:and|also|plus)\s(?:an?|the|some|one|two|three|our|my)\s", re.IGNORECASE)
"""A sentence that only adds to the one before it."""


@lru_cache(maxsize=200)
def _sorted(text: str) -> tuple[tuple[str, str], ...]:
    """The statements and questions of one message with their lists."""
    found: list[tuple[str, str]] = []
    for piece in pieces(text):
        if piece.kind == "aside":
            continue
        parts = split(piece.text) if piece.kind == "sentence" else None
        if parts:
            found += [(piece.text, belongs(piece._replace(text=parts.stated))), (parts.asked, "open_questions")]
        else:
            name = belongs(piece)
            adds = name == CONTEXT and found and ADDS.match(piece.text)
            name = CONTEXT if name == "unknowns" and is_filler(piece.text) else name
            found.append((piece.text, found[-1][1] if adds else name))
    return tuple(found)


def _statements(texts: Sequence[str], *, readable: bool) -> list[NoteStatement]:
    if readable:
        return [NoteStatement(text, name, at) for at, message in enumerate(texts) for text, name in _sorted(message)]
    kept = [(piece.text, at) for at, message in enumerate(texts) for piece in pieces(message) if piece.kind != "aside"]
    return [NoteStatement(text, CONTEXT, at) for text, at in kept]


def _settled(found: CorrectedNotes, answers: Mapping[str, str], ids: Mapping[str, str]) -> CorrectedNotes:
    """The statements without those that lost when a contradiction was settled."""
    questions = [AskedPoint(name, text) for text, name in ids.items()]
    lost = beaten({ids[text]: answer for text, answer in answers.items() if text in ids}, questions)
    kept = [statement for statement in found.statements if statement.text not in lost]
    gone = [statement.text for statement in found.statements if statement.text in lost]
    return CorrectedNotes(kept, [*found.replaced, *gone])


def _kind(texts: Sequence[str], name: str, lists: Lists, *, answers: Mapping[str, str], readable: bool) -> Kind:
    if not readable:
        return Kind("plan", UNREAD, False)
    decided = [answer for question, answer in answers.items() if question in (BOTH, DOUBT)]
    chosen = [CHOICES.get(answer.casefold().strip(" ."), answer) for answer in decided]
    wanted = [name, *(part for text in lists["objective"] for part in _wanted(text))]
    return deliverable([*texts, *chosen], wanted)


CHOICES = {
    "the first": "plan",
    "first": "plan",
    "the second": "code",
    "second": "code",
    "yes": "plan",
    "the latter": "code",
}


def _wanted(text: str) -> Iterator[str]:
    """What stands behind the words of wishing in a sentence."""
    for found in WISH.finditer(text):
        yield text[found.end() :]
    asked = REQUEST.search(text) or IMPERATIVE.match(text) or ADDS.match(text)
    if asked:
        yield text[asked.end() :]


def is_readable(text: str) -> bool:
    """Whether the rules know the language of a text well enough to sort it."""
    words = [word.casefold() for word in WORD.findall(text)]
    if len(SPACELESS.findall(text)) * 2 > sum(map(len, words)) > 0:
        return False
    known = sum(word in _small("read") for word in words)
    strange = sum(word in _small("foreign") for word in words)
    return len(words) < FEWEST_WORDS or known >= strange


@lru_cache
def _small(name: str) -> frozenset[str]:
    return frozenset(data()[name])


def _read(resource: Mapping[str, Any], lists: Lists) -> None:
    """What a resource says in sentences joins what the person said; its tables stay where they are."""
    for text, name in _sorted(_prose(str(resource.get("text", "")))):
        lists[name].setdefault(text)
    lists[CONTEXT].setdefault(f"{LEFT_IN} {resource.get('name', '')}".strip())


COMMAS = 2


@lru_cache(maxsize=50)
def _prose(text: str) -> str:
    """A resource without its tables: the lines of a file of values all have the same number of commas."""
    lines = text.splitlines()
    filled = [line for line in lines if line.strip()]
    if len(filled) > 1 and all(line.count(",") >= COMMAS for line in filled[:5]):
        return ""
    kept = [line for line in lines if not line.lstrip().startswith("|")]
    return "\n".join(kept[:MOST_READ])


def _keep_rest(said: Sequence[Piece], replaced: Sequence[str], lists: Lists) -> None:
    """Nothing is lost: greetings and what was replaced stay visible as context."""
    aside = [piece.text for piece in said if piece.kind == "aside"]
    if aside:
        lists[CONTEXT].setdefault(f"{LEFT_OUT} {' / '.join(f'“{text}”' for text in aside)}")
    for text in dict.fromkeys(replaced):
        lists[CONTEXT].setdefault(f"{REPLACED} “{text}”")


def _asked(lists: Lists, kind: Kind, *, said: Sequence[Piece], readable: bool) -> list[str]:
    """What somebody has to settle, in the order in which it holds up the rest."""
    first = [*_general(lists, kind)]
    own = sorted(lists["open_questions"], key=lambda question: -len(cue("blocking").findall(question)))
    gaps = [*_gaps(lists, kind)] if readable else []
    return list(dict.fromkeys([*first, *gaps, *own]))


def _general(lists: Lists, kind: Kind) -> Iterator[str]:
    """What blocks everything: the type, the aim, and statements that speak against each other."""
    if kind.open:
        yield BOTH if " to a plan" in kind.reason else DOUBT
    if not lists["objective"]:
        yield NO_OBJECTIVE
    others = [text for name in ("assumptions", CONTEXT) for text in lists[name] if not text.startswith(NOT_CONTENT)]
    for pair in contradictions([*lists["constraints"], *lists["objective"]], others):
        yield f"{WHICH_HOLDS} “{pair.one}” / “{pair.other}”"


ALONE = re.compile(r"\bi(?:['’]d| would| want| need)\b", re.IGNORECASE)
OTHERS = re.compile(r"\b(?:we|us|our|they|team|people|everybody|everyone)\b", re.IGNORECASE)
FREE = re.compile(r"\b(?:for free|no budget|free of charge|0 budget|costs nothing|without money)\b", re.IGNORECASE)


def _gaps(lists: Lists, kind: Kind) -> Iterator[str]:
    """What nobody said and a plan needs: by when, who, how much, and how one will know."""
    stated = [text for name in LISTS for text in lists[name] if not text.startswith((LEFT_OUT, REPLACED))]
    own = list(lists["open_questions"])
    firm = [text for text in stated if text not in own]
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
    if not any(cue("criterion").search(text) or cue("success").search(text) for text in firm):
        yield NO_CRITERIA


def _somebody(text: str) -> bool:
    """Whether a sentence gives somebody something to do."""
    return task(text) is not None or cue("people").search(text) is not None


def _numbered(asked: Sequence[str], lists: Lists, *, ids: dict[str, str]) -> list[AskedPoint]:
    """Questions with their ids: known ones keep theirs, the most pressing new ones are Q while there is room."""
    free = MOST_QUESTIONS - sum(1 for text in asked if ids.get(text, "").startswith("Q"))
    for text in [*asked, *lists["unknowns"]]:
        if text not in ids:
            letter = "Q" if text in asked and free > 0 else "U"
            free -= letter == "Q"
            taken = [int(name[2:]) for name in ids.values() if name.startswith(letter)]
            ids[text] = f"{letter}-{max(taken, default=0) + 1}"
    return [AskedPoint(ids[text], text) for text in dict.fromkeys([*asked, *lists["unknowns"]])]
