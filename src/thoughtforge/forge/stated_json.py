"""What an auditor states as JSON: severities, counts and findings, in objects of whatever shape."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from thoughtforge.forge.findings import AUDIT_SEVERITIES, AuditFinding, AuditSeverity
from thoughtforge.forge.severity_words import WORDS, ZERO, MaxSeverity, severity_of
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
YES_OR_NO = ("approve", "approved", "ok", "pass", "passed", "ready", "readyforapproval", "readytoapprove")
NO = {"false", "fail", "failed", "n", "no", "not approved", "rejected", "refused"}
COUNTS = ("count", "number", "total")
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
    return re.sub(r"[^a-z0-9]", "", key.lower())


def _severities(fields: Fields) -> Iterator[MaxSeverity]:
    for key, value in fields:
        name = _plain(key)
        if name.rstrip("0123456789").endswith(("severity", "severitylevel")):
            yield from _of_value(value)
        elif WORDS.get(name, "none") != "none" and not (name == "suggestion" and isinstance(value, str)):
            yield WORDS[name] if _something(value) else "none"
        elif name in LISTS and value == []:
            yield "none"
        elif name in LOOPS and value is True or name in YES_OR_NO and _is_no(value):
            yield "blocking"
        elif name in YES_OR_NO and value is True:
            yield "minor"


def _something(value: Any) -> bool:
    """Whether what stands below a severity is anything: a number, a list, a text, or an object with one of them."""
    if isinstance(value, str):
        return bool(value.strip()) and not ZERO.fullmatch(value.strip())
    if isinstance(value, Fields):
        counts = [each for key, each in value if _plain(key) in COUNTS]
        return any(counts or (each for _, each in value))
    return bool(value)


def _is_no(value: Any) -> bool:
    return value is False or isinstance(value, str) and value.strip().lower() in NO


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
    if finding := _finding(fields):
        yield finding
    for key, value in fields:
        listed = WORDS.get(_plain(key), "none")
        if listed == "none" or listed == "suggestion" and not isinstance(value, list):
            continue
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, str) and each.strip() and not ZERO.fullmatch(each.strip()):
                yield AuditFinding(listed, each.strip())
            elif isinstance(each, Fields) and (finding := _finding(each, listed)):
                yield finding


def _finding(fields: Fields, listed: AuditSeverity | None = None) -> AuditFinding | None:
    """The finding an object is; one in a list below a severity needs none of its own."""
    named = {_plain(key): value for key, value in reversed(fields)}
    own = next(iter(sorted(_of_value(named.get("severity")), key=_rank)), None)
    if listed and own:
        return None  # it is found as an object of its own
    severity = own or listed
    texts = [str(named[key]) for key in TEXTS if isinstance(named.get(key), str) and named[key].strip()]
    if severity is None or severity == "none" or not texts:
        return None
    place, title, advice = (_first(named, keys) for keys in (PLACES, TITLES, ADVICE))
    return AuditFinding(severity, texts[0].strip(), place, title, advice)


def _rank(severity: MaxSeverity) -> int:
    return (*AUDIT_SEVERITIES, "none").index(severity)


def _first(named: dict[str, Any], keys: tuple[str, ...]) -> str:
    return next((str(named[key]).strip() for key in keys if isinstance(named.get(key), str)), "")
