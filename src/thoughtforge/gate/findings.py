"""Findings of the gate, the verdict over them, and what is new since the base commit. An id survives moved lines.

From what one check saw to the verdict of the gate; an outcome is kept under everything it depends on.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any, Literal, NamedTuple

Severity = Literal["critical", "major", "minor"]


class Violation(NamedTuple):
    """What a check saw; the gate makes a Finding of it."""

    path: str
    """The path from the root of the repository; empty when the finding is about the whole repository."""
    line: int
    message: str
    rule: str = ""
    """The tool's own code for it, such as E501."""
    hint: str = ""
    """How to fix it; the default is the check's own hint."""
    anchor: str = ""
    """What identifies the finding instead of the text of its line: a function's name, a cycle's members."""


class Finding(NamedTuple):
    """One thing wrong, as people, agents and other programs see it."""

    id: str
    """`V-` and 12 hex digits."""
    check: str
    category: str
    severity: Severity
    path: str
    line: int
    message: str
    rule: str
    hint: str


class Outcome(NamedTuple):
    """What one check came to. `broken` is neither pass nor fail and says why and what to install."""

    check: str
    category: str
    outcome: Literal["pass", "fail", "broken"]
    findings: tuple[Finding, ...] = ()
    broken: str = ""
    seconds: float = 0.0
    cached: bool = False


MOST_OUTCOMES = 2_000
"""Results kept in memory."""


class OutcomeCache:
    """Outcomes by key."""

    def __init__(self) -> None:
        self.known: OrderedDict[str, Outcome] = OrderedDict()

    def get(self, key: str) -> Outcome | None:
        """What is known, marked as not measured just now."""
        found = self.known.get(key)
        if found is None:
            return None
        self.known.move_to_end(key)
        return found._replace(cached=True, seconds=0.0)

    def put(self, key: str, outcome: Outcome) -> None:
        """Keep a result; one that is broken is tried again."""
        if outcome.outcome == "broken":
            return
        self.known[key] = outcome
        if len(self.known) > MOST_OUTCOMES:
            self.known.popitem(last=False)


def key_of(*parts: object) -> str:
    """Names everything a result depends on."""
    text = json.dumps(parts, default=_plain, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, frozenset | set):
        return sorted(value)
    return value.model_dump(mode="json") if hasattr(value, "model_dump") else str(value)


def identify(
    found: Iterable[tuple[Violation, str]],
    *,
    check: str,
    category: str,
    severity: Severity,
    origins: Mapping[str, str] | None = None,
) -> list[Finding]:
    """Findings of one check with their ids. Each comes with the text of its line; equal ones are numbered.

    A file that was moved keeps the ids of its findings: `origins` says what it was called before.
    """
    seen: Counter[str] = Counter()
    made = []
    for item, text in found:
        path = (origins or {}).get(item.path, item.path)
        key = "\0".join((check, path, item.rule, item.anchor or " ".join(text.split())))
        seen[key] += 1
        digest = hashlib.sha256(f"{key}\0{seen[key]}".encode("utf-8", "replace")).hexdigest()
        made.append(
            Finding(
                id=f"V-{digest[:12]}",
                check=check,
                category=category,
                severity=severity,
                path=item.path,
                line=item.line,
                message=item.message,
                rule=item.rule,
                hint=item.hint,
            )
        )
    return made


def new_findings(now: Sequence[Finding], before: Iterable[Finding]) -> tuple[Finding, ...]:
    """What was not there before: as many as have a new id, and among equals of a file those that say something new.

    Equal lines and several findings on one line are numbered, and the number does not tell which of them came last.
    """
    known = {finding.id: finding for finding in before}
    fresh = {finding.id for finding in now if finding.id not in known}
    alike: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in now if fresh else ():
        alike.setdefault((finding.path, finding.check, finding.rule), []).append(finding)
    new = {finding.id for group in alike.values() for finding in _unsaid(group, known, fresh)}
    return tuple(finding for finding in now if finding.id in new)


def _unsaid(group: Sequence[Finding], known: Mapping[str, Finding], fresh: Collection[str]) -> list[Finding]:
    """Of one check's findings in a file: those that say what none said before, as many as are new."""
    wanted = [finding for finding in group if finding.id in fresh]
    said = Counter(known[finding.id].message for finding in group if finding.id in known)
    left = []
    for finding in sorted(group, key=lambda each: each.id in fresh):
        said[finding.message] -= 1
        if said[finding.message] < 0:
            left.append(finding)
    lines = {finding.line for finding in wanted}
    left.sort(key=lambda each: (each.id not in fresh, each.line not in lines))
    return left[: len(wanted)]


ALIKE = 0.5
"""Which part of the lines two files must share to be one that was moved."""


class Moved:
    """The files that are new beside those that are gone since the base commit."""

    def __init__(self, before: Mapping[str, str]) -> None:
        self.before = before
        self.origins: dict[str, str] = {}
        """New file → what it was called at the base commit."""
        self.seen: tuple[object, ...] = ()

    def trace(self, texts: Mapping[str, str]) -> frozenset[str]:
        """Follow the files as they are now; answers those of which something else is known than before.

        A file that is gone is the origin of one new file at most, and of none once it is back: a copy is new.
        """
        new = {path: texts[path] for path in sorted(texts.keys() - self.before.keys())}
        gone = self.before.keys() - texts.keys() if new else frozenset()
        if self.seen == (new, gone):
            return frozenset()
        self.seen = (new, gone)
        origins: dict[str, str] = {}
        for path, text in new.items():
            old = _origin(path, text, gone=gone - set(origins.values()), before=self.before)
            if old:
                origins[path] = old
        differing = {
            path for path in origins.keys() | self.origins.keys() if origins.get(path) != self.origins.get(path)
        }
        self.origins = origins
        return frozenset(differing)


def _origin(path: str, text: str, *, gone: Collection[str], before: Mapping[str, str]) -> str:
    """One of the same name is the likeliest, then the most similar one."""
    pure = PurePosixPath(path)
    shared = {old: _shared(text, before[old]) for old in gone if PurePosixPath(old).suffix == pure.suffix}
    likely = [old for old in sorted(shared) if shared[old] >= ALIKE]
    return max(likely, key=lambda old: (PurePosixPath(old).name == pure.name, shared[old]), default="")


def _shared(one: str, other: str) -> float:
    """Which part of the longer text's lines the other one has too; nothing in common with an empty one."""
    mine, others = _lines(one), _lines(other)
    return len(mine & others) / max(len(mine), len(others)) if mine and others else 0.0


@lru_cache(maxsize=256)
def _lines(text: str) -> frozenset[str]:
    return frozenset(line.strip() for line in text.split("\n")) - {""}


ORDER = {"critical": 0, "major": 1, "minor": 2}


class GateVerdict(NamedTuple):
    """The answer to one look. It passes only when nothing is new and nothing is broken."""

    outcomes: tuple[Outcome, ...]
    new: tuple[Finding, ...]
    """Findings the base commit does not have, the worst first."""
    existing: tuple[Finding, ...]
    broken: tuple[Outcome, ...]
    next_action: str
    """One sentence of the engine's own."""
    seconds: float

    @property
    def passed(self) -> bool:
        """Whether work may go on."""
        return not self.new and not self.broken


def judge(outcomes: Sequence[Outcome], before: Iterable[Finding], *, seconds: float) -> GateVerdict:
    """Hold what was found against what was there before."""
    found = [finding for outcome in outcomes for finding in outcome.findings]
    new = tuple(sorted(new_findings(found, before), key=_worst_first))
    fresh = {finding.id for finding in new}
    existing = tuple(sorted((finding for finding in found if finding.id not in fresh), key=_worst_first))
    broken = tuple(outcome for outcome in outcomes if outcome.outcome == "broken")
    return GateVerdict(tuple(outcomes), new, existing, broken, next_action(new, broken), seconds)


PLACES = 3
"""Places of equal findings that are told; of the others the number and the files."""
FILES = 20
"""Files of those others that are named."""


class FindingGroup(NamedTuple):
    """What one check says in the same words of one or more places."""

    findings: tuple[Finding, ...]

    @property
    def first(self) -> Finding:
        """The one that stands for all."""
        return self.findings[0]

    @property
    def where(self) -> str:
        """The first places, the number of the others and the files that only those are in."""
        places = list(dict.fromkeys((one.path, one.line) for one in self.findings))
        told = ", ".join(f"{path}:{line}" if path else "the repository" for path, line in places[:PLACES])
        rest = places[PLACES:]
        if not rest:
            return told + (f" ({len(self.findings)} times)" if len(self.findings) > len(places) else "")
        shown = {path for path, _ in places[:PLACES]}
        files = list(dict.fromkeys(path for path, _ in rest if path and path not in shown))
        more = f", {len(files) - FILES} more files" if len(files) > FILES else ""
        others = f", also in {', '.join(files[:FILES])}{more}" if files else ""
        return f"{told} and {len(rest)} more place{'s' * (len(rest) > 1)}{others}"

    def told(self) -> str:
        """In one line."""
        return f"{self.first.id} {self.where} {self.first.check}: {self.first.message}"


def grouped(findings: Iterable[Finding]) -> tuple[FindingGroup, ...]:
    """Equal findings together, in the order of their first one."""
    groups: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.check, finding.message), []).append(finding)
    return tuple(FindingGroup(tuple(found)) for found in groups.values())


def next_action(
    new: Sequence[Finding],
    broken: Sequence[Outcome],
    *,
    may_write: Callable[[str], bool] = lambda path: True,
    way_out: str = "",
) -> str:
    """What to do first, in a file that may be written, and how much is left after it.

    `way_out` goes before the names of files that may not be written and have all findings.
    """
    if broken:
        more = f" {len(broken) - 1} more checks could not run." if len(broken) > 1 else ""
        return f"The check {broken[0].check} could not run: {broken[0].broken}{more}"
    if not new:
        return "Nothing to fix; continue."
    free = [finding for finding in new if not finding.path or may_write(finding.path)]
    if not free:
        files = ", ".join(sorted({finding.path for finding in new})[:FILES])
        other = f", or {way_out} {files}" if way_out else ""
        return f"You may change no file with a finding; undo in yours what causes it{other}: {grouped(new)[0].told()}"
    group = grouped(free)[0]
    left = len(new) - len(group.findings)
    return suggestion(group.first, group.where) + (f" Then {left} more." if left else "")


def suggestion(finding: Finding, where: str = "") -> str:
    """What to do about one finding; `where` names the places of equal ones too."""
    message = finding.message.rstrip(".")
    return f"Correct {where or FindingGroup((finding,)).where} ({finding.check}): {message}. {finding.hint}".rstrip()


def _worst_first(finding: Finding) -> tuple[int, str, int, str]:
    return ORDER[finding.severity], finding.path, finding.line, finding.check
