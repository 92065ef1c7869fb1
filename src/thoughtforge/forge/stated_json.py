"""What an auditor states as JSON: severities, counts and findings, in objects of whatever shape."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from thoughtforge.forge.findings import AUDIT_SEVERITIES, AuditFinding
from thoughtforge.forge.severity_words import WORDS, MaxSeverity, severity_of
from thoughtforge.forge.structure import Stretch

TEXTS = (
    "description",
    "message",
    "concern",
    "issue",
    "problem",
    "detail",
    "details",
    "text",
    "body",
    "summary",
    "title",
)
TITLES = ("title", "name")
PLACES = ("location", "where", "section", "file", "path", "place")
ADVICE = ("recommendation", "fix", "suggestion", "suggestedfix", "remedy")
LISTS = ("findings", "concerns", "issues", "problems")
LOOPS = ("shouldloop", "needsrevision", "loop")
VERDICTS = ("verdict", "decision", "outcome", "result")
BEGIN = re.compile(r"\{\s*[\"}]")
MOST_FINDINGS = 1_000
"""More than anybody reads; their severities count all the same."""
MOST_FAILURES = 200
"""After so many objects that are no JSON no further one is looked for; markers are found in them all the same."""


class Fields(tuple[tuple[str, Any], ...]):
    """An object as it was written: a name that stands twice keeps both values."""

    __slots__ = ()


class Stated(NamedTuple):
    """What the JSON of an answer says."""

    severities: tuple[MaxSeverity, ...]
    """Empty when no JSON says anything about a severity."""
    findings: tuple[AuditFinding, ...]
    verdicts: tuple[str, ...]
    """Words of its own for a verdict, such as approved."""
    regions: tuple[Stretch, ...]
    """Where the objects stand that say something."""


DECODER = json.JSONDecoder(object_pairs_hook=Fields, strict=False)


def stated_in(text: str) -> Stated:
    """Everything that JSON objects in a text state."""
    severities: list[MaxSeverity] = []
    findings: list[AuditFinding] = []
    verdicts: list[str] = []
    regions: list[Stretch] = []
    for value, region in _objects(text):
        before = len(severities) + len(verdicts)
        for fields in _walk(value):
            severities += _severities(fields)
            findings += _findings(fields) if len(findings) < MOST_FINDINGS else ()
            verdicts += [each for key, each in fields if _plain(key) in VERDICTS and isinstance(each, str)]
        if len(severities) + len(verdicts) > before:
            regions.append(region)
    return Stated(tuple(severities), tuple(findings), tuple(verdicts), tuple(regions))


class Placed(NamedTuple):
    """An object and where it stands."""

    value: Any
    region: Stretch


def _objects(text: str) -> Iterator[Placed]:
    """Every outermost object; what looks like one and is none is passed over."""
    found, failed = BEGIN.search(text), 0
    while found and failed < MOST_FAILURES:
        at = end = found.start()
        try:
            value, end = DECODER.raw_decode(text, at)
            yield Placed(value, Stretch(at, end))
        except (RecursionError, ValueError):
            failed += 1
        found = BEGIN.search(text, max(end, at + 1))


def _walk(value: Any) -> Iterator[Fields]:
    """An object and every object in it."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Fields):
            yield one
            waiting += [each for _, each in reversed(one)]
        elif isinstance(one, list):
            waiting += reversed(one)


@lru_cache(maxsize=1_000)
def _plain(key: str) -> str:
    return re.sub(r"[^a-z]", "", key.lower())


def _severities(fields: Fields) -> Iterator[MaxSeverity]:
    for key, value in fields:
        name = _plain(key)
        if name.endswith(("severity", "severitylevel")):
            yield from _of_value(value)
        elif name in WORDS and name not in ("none", "no", "nothing") and not isinstance(value, str | Fields):
            yield WORDS[name] if value else "none"
        elif name in LISTS and value == []:
            yield "none"
        elif name in LOOPS and value is True or name == "approved" and value is False:
            yield "blocking"
        elif name == "approved" and value is True:
            yield "minor"


def _of_value(value: Any) -> Iterator[MaxSeverity]:
    if isinstance(value, list):
        for one in value:
            yield from _of_value(one)
    elif isinstance(value, str):
        if (found := severity_of(value)) is not None:
            yield found
    elif isinstance(value, Fields):
        return  # an object of its own, which is walked
    elif value is not None:
        yield "blocking"  # a number or a truth where a word belongs


def _findings(fields: Fields) -> Iterator[AuditFinding]:
    """The finding an object is, and those it lists below a severity."""
    named = {_plain(key): value for key, value in reversed(fields)}
    severity = next(iter(sorted(_of_value(named.get("severity")), key=_rank)), None)
    texts = [str(named[key]) for key in TEXTS if isinstance(named.get(key), str) and named[key].strip()]
    if severity in AUDIT_SEVERITIES and texts:
        yield AuditFinding(
            severity,
            texts[0].strip(),
            _first(named, PLACES),
            _first(named, TITLES),
            _first(named, ADVICE),
        )
    for key, value in fields:
        listed = WORDS.get(_plain(key))
        if listed in AUDIT_SEVERITIES and isinstance(value, list):
            told = (str(each).strip() for each in value if isinstance(each, str))
            yield from (AuditFinding(listed, each) for each in told if each)


def _rank(severity: MaxSeverity) -> int:
    return (*AUDIT_SEVERITIES, "none").index(severity)


def _first(named: dict[str, Any], keys: tuple[str, ...]) -> str:
    return next((str(named[key]).strip() for key in keys if isinstance(named.get(key), str)), "")
