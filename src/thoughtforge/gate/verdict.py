"""What the gate came to: what is new, what was there before, what could not be judged, and what to do next."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from thoughtforge.gate.finding import Finding, Outcome, new_findings

ORDER = {"critical": 0, "major": 1, "minor": 2}


class Verdict(NamedTuple):
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


def judge(outcomes: Sequence[Outcome], before: Iterable[Finding], *, seconds: float) -> Verdict:
    """Hold what was found against what was there before."""
    found = [finding for outcome in outcomes for finding in outcome.findings]
    new = tuple(sorted(new_findings(found, before), key=_worst_first))
    fresh = {finding.id for finding in new}
    existing = tuple(sorted((finding for finding in found if finding.id not in fresh), key=_worst_first))
    broken = tuple(outcome for outcome in outcomes if outcome.outcome == "broken")
    return Verdict(tuple(outcomes), new, existing, broken, next_action(new, broken), seconds)


def next_action(new: Sequence[Finding], broken: Sequence[Outcome]) -> str:
    """What to do first, and how much is left after it."""
    if broken:
        more = f" {len(broken) - 1} more checks could not run." if len(broken) > 1 else ""
        return f"The check {broken[0].check} could not run: {broken[0].broken}{more}"
    if not new:
        return "Nothing to correct; go on."
    first = new[0]
    more = f" Then {len(new) - 1} more." if len(new) > 1 else ""
    return f"{suggestion(first)}{more}"


def suggestion(finding: Finding) -> str:
    """What to do about one finding."""
    place = f"{finding.path}:{finding.line}" if finding.path else "the repository"
    message = finding.message.rstrip(".")
    return f"Correct {place} ({finding.check}): {message}. {finding.hint}".rstrip()


def _worst_first(finding: Finding) -> tuple[int, str, int, str]:
    return ORDER[finding.severity], finding.path, finding.line, finding.check
