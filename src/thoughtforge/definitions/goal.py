"""Which pipeline a request asks for: flags first, then its first verb, otherwise the whole way."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.model import Pipeline

DEFAULT = "implement"


def _listed(text: str) -> frozenset[str]:
    return frozenset(entry.strip() for line in text.splitlines() for entry in line.split("|") if entry.strip())


OPENINGS = _listed("""
    also | and | first | firstly | just | next | now | ok | okay | quickly | so | then | well | thanks
    hey | hi | hello | hey there | hi there | hello there | hi all | hi team | hello everyone | good morning
    please | pls | kindly | if you can | if possible | when you can
    can you | could you | would you | will you | can we | could we | should we | shall we | may i ask you to
    go ahead and | help me | help me to | help us | help us to | you should | you need to | try to | make sure to
    i want to | i want you to | i would like to | i would like you to | i'd like to | i'd like you to | i'd love to
    i need to | i need you to | i have to | i wish to | i am going to | i'm going to | i think we should
    we want to | we want you to | we would like to | we would like you to | we'd like to | we'd like you to
    we need to | we need you to | we have to | we should | we must
    it is time to | it's time to | it would be great to | your task is to | the task is to | the goal is to
    let's | lets | let us | time to
""")
"""Plain-English openings that come before the first verb and say nothing about the goal."""

OBJECT_WORDS = _listed("""
    a | an | the | this | that | these | those | my | our | your | his | her | its | their
    all | any | both | each | every | some | it | them | everything | something | us
    how | what | why | when | where | whether | which | who | if | for
""")
"""Words after which a noun-like first word was a verb: determiners, pronouns, question words, “for”."""

NEEDS_FINDING: frozenset[str] = frozenset({"fix"})
"""Goals that work on one recorded finding: without its id the request is an ordinary change."""

FINDING = re.compile(r"\bV-[0-9a-f]{12}\b", re.IGNORECASE)

_LEAD = re.compile(
    r"^(?:\s|(?:task|todo|goal|request)\s*:|[-*+•·>#|–—]|\d+[.)]\s|\[[ xX]?\]\s|[\"'“”‘’«»„`(\[]|[.…!?¡¿:;,])+",
    re.IGNORECASE,
)
_LONGEST = max(len(opening.split()) for opening in OPENINGS)
_EDGES = "\"'“”‘’«»„`.,:;!?…()[]{}<>*"
_CODE_LIKE = re.compile(r"[/\\_`]|::|\(\)|^[.#@$-]+\w|\w\.\w|[a-z][A-Z]|[A-Za-z]\d|^[\"'“‘«„]")


class Goal(NamedTuple):
    """The pipeline chosen and why, in words for people."""

    name: str
    cause: str


class _Match(NamedTuple):
    pipeline: Pipeline
    verb: str
    holds: bool
    """False for a noun-like word without an object, and for a fix without a finding."""
    cause: str


def choose(
    request: str, *, pipeline: str | None, from_spec: bool, from_tests: bool, pipelines: Sequence[Pipeline]
) -> Goal:
    """The goal of a request. Of equally long verbs the earlier pipeline's counts."""
    names = [known.name for known in pipelines]
    if pipeline is not None:
        if pipeline not in names:
            raise UserError(f'there is no pipeline "{pipeline}"', do=f"choose one of {', '.join(names)}")
        return Goal(pipeline, f"--pipeline {pipeline} is given")
    if from_spec or from_tests:
        flags = [flag for flag, given in (("--from-spec", from_spec), ("--from-tests", from_tests)) if given]
        return Goal(DEFAULT, f"{' and '.join(flags)} {'is' if len(flags) == 1 else 'are'} given")
    matches = sorted(_matches(request, pipelines), key=lambda match: -len(match.verb.split()))
    for match in matches:
        if match.holds:
            return Goal(match.pipeline.name, match.cause)
    return Goal(DEFAULT, matches[0].cause if matches else "its first word names no other goal")


def first_words(request: str) -> list[str]:
    """The words of a request after bullets, quotes and polite openings, as they were written."""
    words = [word for word in _LEAD.sub("", request.replace("\u2019", "'")).split() if re.search(r"\w", word)]
    while words:
        plain = [_plain(word) for word in words[:_LONGEST]]
        length = next((n for n in range(len(plain), 0, -1) if " ".join(plain[:n]) in OPENINGS), 0)
        if not length:
            break
        words = words[length:]
    return words


def _matches(request: str, pipelines: Sequence[Pipeline]) -> Iterator[_Match]:
    words = first_words(request)
    finding = FINDING.search(request)
    for pipeline in pipelines:
        for verb in (*pipeline.verbs, *pipeline.noun_verbs):
            length = len(verb.split())
            if [_plain(word) for word in words[:length]] != verb.lower().split():
                continue
            if pipeline.goal_type in NEEDS_FINDING:
                yield _fix_match(pipeline, verb, finding)
            elif verb in pipeline.noun_verbs and not _object_follows(words[length:]):
                yield _Match(pipeline, verb, False, f'"{verb}" names a thing here')
            else:
                yield _Match(pipeline, verb, True, f'its first verb is "{verb}"')


def _fix_match(pipeline: Pipeline, verb: str, finding: re.Match[str] | None) -> _Match:
    if finding is None:
        return _Match(pipeline, verb, False, f'its first verb is "{verb}" and it names no finding (V-…)')
    return _Match(pipeline, verb, True, f'its first verb is "{verb}" and it names {finding[0]}')


def _object_follows(rest: Sequence[str]) -> bool:
    """Whether what follows a noun-like word reads as its object, so that the word was a verb."""
    if not rest:
        return True
    return _plain(rest[0]) in OBJECT_WORDS or bool(_CODE_LIKE.search(rest[0])) or _is_name(rest)


def _is_name(rest: Sequence[str]) -> bool:
    """Whether the next word is a name; in a title or in capitals throughout, a capital letter says nothing."""
    words = [word.strip(_EDGES) for word in rest]
    if len(words[0]) < 2 or not words[0][0].isupper():
        return False
    others = [word for word in words[1:] if word[:1].isalpha()]
    return not others or any(word[0].islower() for word in others)


def _plain(word: str) -> str:
    return word.strip(_EDGES).lower()
