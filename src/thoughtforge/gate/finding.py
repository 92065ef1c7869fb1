"""A finding: one thing wrong at one place, with an id that stays the same when the lines above it move."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

Severity = Literal["critical", "major", "minor"]


class Found(NamedTuple):
    """What a check saw; the gate makes a Finding of it."""

    path: str
    """From the root of the repository; empty when it is about the repository as a whole."""
    line: int
    message: str
    rule: str = ""
    """The tool's own code for it, such as E501."""
    hint: str = ""
    """How to put it right; the check's own hint unless given."""
    anchor: str = ""
    """What identifies it instead of the text of its line: a function's name, a cycle's members."""


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


def identify(
    found: Iterable[tuple[Found, str]],
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
    """What was not there before, by id."""
    known = {finding.id for finding in before}
    return tuple(finding for finding in now if finding.id not in known)
