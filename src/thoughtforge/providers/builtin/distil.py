"""An intent from a person's words by rules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from thoughtforge.kernel.model import JsonObject
from thoughtforge.providers.builtin.answers import AskedPoint, no_content, read
from thoughtforge.providers.builtin.clauses import parted
from thoughtforge.providers.builtin.corrections import CorrectedNotes, NoteStatement, corrected
from thoughtforge.providers.builtin.either import left_open
from thoughtforge.providers.builtin.facts import amounts
from thoughtforge.providers.builtin.gaps import asked
from thoughtforge.providers.builtin.sentences import (
    BOTH,
    BY_WHEN,
    CHANGED,
    DOUBT,
    FOR_CODE,
    HEADINGS,
    HOW_MUCH,
    LEFT_IN,
    LEFT_OPEN,
    LEFT_OUT,
    NO_CRITERIA,
    NO_LIMITS,
    REPLACED,
    TAKEN_IN,
    UNREAD,
    Piece,
    cue,
    data,
    pieces,
)
from thoughtforge.providers.builtin.settling import added, applied, verdicts
from thoughtforge.providers.builtin.sorting import (
    CONTEXT,
    DUTY,
    HAS_TO,
    IMPERATIVE,
    INDEFINITE,
    REQUEST,
    WISH,
    WONDERS,
    Kind,
    asks,
    belongs,
    code_signs,
    deliverable,
    firm_name,
    is_filler,
)
from thoughtforge.providers.builtin.titles import VERB, title

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
    lost = verdicts(answers)
    found = _aimed(_settled(corrected(_statements(texts, readable=readable)), lost), readable=readable)
    lists: Lists = {name: {} for name in LISTS}
    now = {one.was: one.text for one in found.statements if one.was}
    written = [piece._replace(text=now.get(piece.text, piece.text)) for piece in said]
    name = title(written, [statement.text for statement in found.statements if statement.list == "objective"])
    for statement in found.statements:
        titled = statement.text == name and statement.list != "objective"
        lists[CONTEXT if titled else statement.list].setdefault(statement.text)
    kind = _kind(texts, name, lists, answers=answers, readable=readable)
    for question, answer in answers.items():
        if added(question, answer):
            lists["constraints" if _counts(question, answer) else CONTEXT].setdefault(added(question, answer))
    for resource in resources:
        _read(resource, lists, lost=lost)
    told = [statement.text for statement in found.statements]
    points = asked(lists, kind, title=name, told=told, resources=resources, readable=readable)
    for listed in (lists["open_questions"], lists["unknowns"]):
        for text in [text for text in listed if answers.get(text, LEFT_OPEN) != LEFT_OPEN]:
            del listed[text]
    _keep_rest(said, found, lists, name=name)
    left = [text for text in points if answers.get(text) in (None, LEFT_OPEN)]
    return IntentVersion(name, kind, lists, _numbered(left, lists, ids=ids), readable)


def _counts(question: str, answer: str) -> bool:
    return question in (BY_WHEN, HOW_MUCH, NO_LIMITS, NO_CRITERIA) or bool(amounts(answer))


ADDS = re.compile(r"^(?:and|also|plus)\s(?:an?|the|some|one|two|three|our|my)\s", re.IGNORECASE)
"""A sentence that only adds to the one before it."""


@lru_cache(maxsize=200)
def _sorted(text: str) -> tuple[tuple[str, str], ...]:
    """The statements and questions of one message with their lists."""
    found: list[tuple[str, str]] = []
    for piece in pieces(text):
        if piece.kind == "aside" or _only_heads(piece):
            continue
        if _is_listed(piece):
            found.append((f"{piece.under}: {piece.text}", "constraints"))
            continue
        parts = parted(piece.text) if piece.kind == "sentence" else None
        if parts:
            found += [(piece.text, belongs(piece._replace(text=parts.stated))), *parts.parts]
        else:
            name = belongs(piece)
            adds = name == CONTEXT and found and ADDS.match(piece.text)
            name = CONTEXT if name == "unknowns" and is_filler(piece.text) else name
            found.append((piece.text, found[-1][1] if adds else name))
    return tuple(found)


def _only_heads(piece: Piece) -> bool:
    """Whether a piece is a heading that states nothing itself."""
    return piece.kind == "heading" and not any(letter.isdigit() for letter in piece.text)


def _is_listed(piece: Piece) -> bool:
    """Whether it is an entry below a heading like `Income` or `Costs`, and no sentence of its own."""
    under = any(cue(name).fullmatch(piece.under) for name in ("comes_in", "goes_out"))
    spoken = VERB.search(piece.text) or cue("correction").search(piece.text) or asks(piece.text)
    return under and not spoken and any(letter.isdigit() for letter in piece.text)


def _statements(texts: Sequence[str], *, readable: bool) -> list[NoteStatement]:
    if readable:
        return [NoteStatement(text, name, at) for at, message in enumerate(texts) for text, name in _sorted(message)]
    kept = [(piece.text, at) for at, message in enumerate(texts) for piece in pieces(message) if piece.kind != "aside"]
    return [NoteStatement(text, CONTEXT, at) for text, at in kept]


def _settled(found: CorrectedNotes, lost: Mapping[str, str]) -> CorrectedNotes:
    """The statements after contradictions were settled: a loser goes, or goes on with the winner's figure."""
    kept = []
    for statement in found.statements:
        becomes = applied(statement.text, lost)
        if becomes == statement.text:
            kept.append(statement)
        elif becomes:
            kept.append(statement._replace(text=becomes, was=statement.was or statement.text))
    gone = [one.was or one.text for one in found.statements if applied(one.text, lost) != one.text]
    return CorrectedNotes(kept, [*found.replaced, *gone], found.taken_in)


def _aimed(found: CorrectedNotes, *, readable: bool) -> CorrectedNotes:
    """When nothing else is the aim, the first thing somebody wants in doubt or has to do is it."""
    if not readable or any(one.list == "objective" for one in found.statements):
        return found
    for pattern in (DUTY, WISH, HAS_TO, INDEFINITE):
        for at, one in enumerate(found.statements[:1] if pattern is INDEFINITE else found.statements):
            if one.list in ("unknowns", "constraints", CONTEXT) and _aims(one.text, pattern):
                kept = [*found.statements]
                kept[at] = one._replace(list="objective")
                return found._replace(statements=kept)
    return found


def _aims(text: str, pattern: re.Pattern[str]) -> bool:
    matched = pattern.search(text) if pattern is WISH else pattern.match(text)
    return matched is not None and not WONDERS.search(text) and not cue("negation").search(text[: matched.end() + 8])


def _kind(texts: Sequence[str], name: str, lists: Lists, *, answers: Mapping[str, str], readable: bool) -> Kind:
    if not readable:
        return Kind("plan", UNREAD, False)
    decided = [answer for question, answer in answers.items() if question in (BOTH, DOUBT) and answer != LEFT_OPEN]
    chosen = [CHOICES.get(answer.casefold().strip(" ."), _meant(answer)) for answer in decided]
    wanted = [name, *(part for text in lists["objective"] for part in _wanted(text))]
    found = deliverable([*texts, *chosen], wanted)
    wavers = (
        "" if found.open or chosen or found.reason.startswith(CHANGED) else left_open(texts, firm=firm_name(wanted))
    )
    return Kind("plan", f"{FOR_CODE} {', '.join(code_signs(texts))}.", True) if wavers else found


def _meant(answer: str) -> str:
    """The type an answer in other words names."""
    if cue("document").search(answer) or cue("plan").search(answer):
        return "plan"
    return "code" if cue("software").search(answer) else answer


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


def _read(resource: Mapping[str, Any], lists: Lists, *, lost: Mapping[str, str]) -> None:
    """What a resource says in sentences joins what the person said; its tables stay where they are."""
    for text, name in _sorted(_prose(str(resource.get("text", "")))):
        if applied(text, lost):
            lists[name].setdefault(applied(text, lost))
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


def _keep_rest(said: Sequence[Piece], found: CorrectedNotes, lists: Lists, *, name: str) -> None:
    """Nothing is lost: greetings and what was replaced stay visible as context."""
    aside = [piece.text for piece in said if piece.kind == "aside"]
    heads = [piece.text for piece in said if _only_heads(piece) and piece.text not in (name, *lists[CONTEXT])]
    if heads:
        lists[CONTEXT].setdefault(f"{HEADINGS} {' / '.join(f'“{text}”' for text in dict.fromkeys(heads))}")
    if aside:
        lists[CONTEXT].setdefault(f"{LEFT_OUT} {' / '.join(f'“{text}”' for text in aside)}")
    for text in dict.fromkeys(found.replaced):
        lists[CONTEXT].setdefault(f"{REPLACED} “{text}”")
    for text in dict.fromkeys(found.taken_in):
        lists[CONTEXT].setdefault(f"{TAKEN_IN} “{text}”")


def _numbered(asked: Sequence[str], lists: Lists, *, ids: dict[str, str]) -> list[AskedPoint]:
    """Questions with their ids: known ones keep theirs, the most pressing new ones are Q while there is room."""
    free = MOST_QUESTIONS - sum(1 for text in asked if ids.get(text, "").startswith("Q"))
    for text in dict.fromkeys([*asked, *lists["unknowns"]]):
        if text not in ids:
            letter = "Q" if text in asked and text not in lists["unknowns"] and free > 0 else "U"
            free -= letter == "Q"
            taken = [int(name[2:]) for name in ids.values() if name.startswith(letter)]
            ids[text] = f"{letter}-{max(taken, default=0) + 1}"
    return [AskedPoint(ids[text], text) for text in dict.fromkeys([*asked, *lists["unknowns"]])]
