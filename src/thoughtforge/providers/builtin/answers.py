"""Answers in plain words: by id, by number, or by what they say: `yes`, `the first`, `in May`, `2: the big hall`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from thoughtforge.providers.builtin.facts import amounts, timed
from thoughtforge.providers.builtin.letters import NO_CONTENT
from thoughtforge.providers.builtin.sentences import BOTH, DOUBT, LEFT_OPEN, WHICH_HOLDS, cue
from thoughtforge.providers.builtin.settling import chosen, offered
from thoughtforge.providers.builtin.sorting import INVERTED, REQUEST, WISH, asks

SETTLES = re.compile(r"^\W*([UQC]-[1-9]\d*)\s*[:.)=–—-]\s*(.+)$", re.IGNORECASE | re.DOTALL)
BY_NUMBER = re.compile(r"^\s*([1-9]\d?)\s*[:.)=]\s*(\S.*)$")
QUOTED = re.compile(r"“([^”]+)”")
YES_NO = re.compile(
    r"^\W*(?:yes|yep|yeah|no|nope|sure|of course|correct|right|exactly|definitely not|not really|ja|nein|sí)\b",
    re.IGNORECASE,
)
FIRST = re.compile(r"^\W*(?:the |option )?(?:first(?: one)?|former|1st|one|a)\W*$", re.IGNORECASE)
SECOND = re.compile(r"^\W*(?:the |option )?(?:second(?: one)?|latter|other(?: one)?|2nd|two|b)\W*$", re.IGNORECASE)
LEAVES = re.compile(
    r"^\W*(?:later|skip(?: it| that)?|(?:i |we )?(?:don['’]?t|do not) know(?: yet)?|no idea|(?:keep|leave) (?:it"
    r"|that|this|them|all|the rest|everything)(?: all)? open"
    r"|open|not yet|not decided(?: yet)?|to be decided|tbd|pass|\?+)\W*$",
    re.IGNORECASE,
)
ALL = re.compile(r"\b(?:the rest|them|all|everything)\b", re.IGNORECASE)
WHEN = re.compile(
    r"\b(?:when|by when|what (?:time|date|day)|which (?:day|month|week|date)|how (?:soon|long))\b", re.IGNORECASE
)
MUCH = re.compile(r"\b(?:how much|cost|costs|budget|price|pay|pays|money|afford)\b", re.IGNORECASE)
WHO = re.compile(r"^\W*(?:\w+ )?(?:who|whose|with whom)\b", re.IGNORECASE)
EITHER = re.compile(r"\bor\b", re.IGNORECASE)
PERSON = re.compile(
    r"^\W*(?:me|i do|i will|myself|us|we do|(?:[A-Z][\w'’-]+)(?:(?:,| and|,? &) [A-Z][\w'’-]+)*(?: (?:does|do"
    r"|will|and (?:i|me)).{0,40})?)\W*$"
)
MOST_WORDS = 12
FEW_WORDS = 4
NEITHER = re.compile(r"\b(?:neither|none|both|wrong|weder|beides?|ninguno)\b", re.IGNORECASE)
TWO = 2
"""Sides a contradiction has."""


class AskedPoint(NamedTuple):
    """Something asked, by its id."""

    id: str
    text: str


class Reading(NamedTuple):
    """What a message answers, and what of it is anything else."""

    answers: dict[str, str]
    rest: str


def no_content(message: str) -> bool:
    """Whether a message only asks for help, thanks or agrees."""
    return NO_CONTENT.match(message) is not None


def read(message: str, questions: Sequence[AskedPoint]) -> Reading:
    """The answers in a message to the questions that were open then."""
    if no_content(message):
        return Reading({}, "")
    answers: dict[str, str] = {}
    rest: list[str] = []
    for line in message.splitlines():
        named = _named(line, questions)
        if named and _settles(named, questions):
            answers[named.id] = named.text
        elif named:
            rest.append(named.text)
        else:
            rest.append(line)
    left = "\n".join(rest).strip()
    still = [question for question in questions if question.id not in answers]
    plain = plainly_answered(left, still) if left else {}
    return Reading({**answers, **plain}, "" if plain else left)


def _settles(answer: AskedPoint, questions: Sequence[AskedPoint]) -> bool:
    """Whether an answer to two statements that do not fit speaks of them: it chooses one, or names another figure."""
    question = next((one.text for one in questions if one.id == answer.id), "")
    if not offered(question) or answer.text == LEFT_OPEN:
        return True
    figure = any(sign.isdigit() for sign in answer.text)
    return figure or bool(chosen(question, answer.text)) or NEITHER.search(answer.text) is not None


def _named(line: str, questions: Sequence[AskedPoint]) -> AskedPoint | None:
    """The answer of a line that names its question by id or by number."""
    known = {question.id: question for question in questions}
    by_id = SETTLES.match(line)
    if by_id:
        name = by_id.group(1).upper()
        return AskedPoint(name, resolution(known[name].text if name in known else "", by_id.group(2).strip()))
    by_number = BY_NUMBER.match(line)
    if not by_number:
        return None
    count = int(by_number.group(1))
    found = known.get(f"Q-{count}") or (questions[count - 1] if count <= len(questions) else None)
    return AskedPoint(found.id, resolution(found.text, by_number.group(2).strip())) if found else None


def plainly_answered(text: str, questions: Sequence[AskedPoint]) -> dict[str, str]:
    """The question a short message without a name answers: the first one it fits."""
    if not questions or len(text.split()) > MOST_WORDS or "\n" in text or asks(text):
        return {}
    if LEAVES.match(text):
        meant = questions if ALL.search(text) else questions[:1]
        return {question.id: LEFT_OPEN for question in meant}
    found = next((question for question in questions if _fits(text, question.text)), None)
    return {found.id: resolution(found.text, text)} if found else {}


def _fits(text: str, question: str) -> bool:
    if FIRST.match(text) or SECOND.match(text):
        return bool(QUOTED.search(question)) or question in (BOTH, DOUBT) or EITHER.search(question) is not None
    if cue("correction").search(text) or WISH.search(text) or REQUEST.search(text):
        return False
    if YES_NO.match(text):
        return INVERTED.match(question) is not None or question in (BOTH, DOUBT)
    if offered(question):
        told = len(text.split()) <= FEW_WORDS or any(sign.isdigit() for sign in text)
        return told and bool(chosen(question, text))
    money = bool(amounts(text))
    return (
        (WHEN.search(question) is not None and timed(text) and not money)
        or (MUCH.search(question) is not None and money)
        or (WHO.match(question) is not None and PERSON.match(text) is not None)
    )


def resolution(question: str, answer: str) -> str:
    """The answer as it counts: of two statements the one that was chosen."""
    if LEAVES.match(answer):
        return LEFT_OPEN
    sides = QUOTED.findall(question)
    if len(sides) > 1 and FIRST.match(answer):
        return str(sides[0])
    if len(sides) > 1 and SECOND.match(answer):
        return str(sides[1])
    return answer


def beaten(settled: Mapping[str, str], questions: Sequence[AskedPoint]) -> frozenset[str]:
    """Statements that lost: those a contradiction was asked about and the answer did not choose."""
    return frozenset(
        text
        for question in questions
        if len(offered(question.text)) >= TWO and settled.get(question.id, LEFT_OPEN) not in ("", LEFT_OPEN)
        for text in offered(question.text)
        if text != chosen(question.text, settled[question.id])
    )


def disputed(settled: Mapping[str, str], questions: Sequence[AskedPoint]) -> frozenset[str]:
    """Statements that speak against each other while nobody has chosen: they stand in the question alone."""
    left = [one for one in questions if settled.get(one.id, LEFT_OPEN) == LEFT_OPEN]
    return frozenset(text for one in left if one.text.startswith(WHICH_HOLDS) for text in QUOTED.findall(one.text))
