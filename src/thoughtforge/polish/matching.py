"""Iterations as one history, in which the same finding has the same id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from thoughtforge.polish.finding import PERSON, SEVERITIES, ReviewFinding
from thoughtforge.polish.history import History, Iteration


def history_of(iterations: Iterable[Iteration]) -> History:
    """The iterations as one history: the same finding gets the same id in each of them."""
    known: tuple[KnownFinding, ...] = ()
    made: list[Iteration] = []
    for number, iteration in enumerate(iterations, start=1):
        if iteration.itemised:
            compared = follow(known, iteration.findings)
            known = compared.known
            findings = compared.open
        else:
            findings = _stand_ins(iteration, number, made[-1] if made else None)
        made.append(replace(iteration, findings=findings))
    return History(tuple(made))


def _stand_ins(iteration: Iteration, number: int, before: Iteration | None) -> tuple[ReviewFinding, ...]:
    """Without findings equal totals count as the same findings: those of the review before keep their ids."""
    same = before is not None and not before.itemised and len(before.findings) == len(iteration.findings)
    old = before.findings if same and before is not None else ()
    return tuple(
        finding._replace(id=old[place].id if same else f"I-{number}.{place + 1}")
        for place, finding in enumerate(iteration.findings)
    )


SIMILAR = 70
"""The least token_set_ratio, in percent, of title and description."""


class KnownFinding(NamedTuple):
    """A finding seen before, in its newest wording."""

    finding: ReviewFinding
    open: bool


class RecheckAnswer(NamedTuple):
    """What the reviewer says, by id, about findings that were open before."""

    fixed: frozenset[str] = frozenset()
    still: frozenset[str] = frozenset()
    """An id in both counts as still there."""
    refuted: frozenset[str] = frozenset()
    """Wrong from the beginning, by a quotation that stands in the deliverable."""


NONE: frozenset[str] = frozenset()


class Compared(NamedTuple):
    """One review held against everything seen before it."""

    open: tuple[ReviewFinding, ...]
    """new + persisting + returned, each with its id."""
    new: tuple[str, ...]
    persisting: tuple[str, ...]
    returned: tuple[str, ...]
    resolved: tuple[str, ...]
    refuted: tuple[str, ...]
    """Open still, and no longer once the next review refutes them too."""
    known: tuple[KnownFinding, ...]
    """What the next review is compared with."""


def settle(
    known: Sequence[KnownFinding],
    fresh: Sequence[ReviewFinding],
    word: RecheckAnswer | None,
    *,
    before: frozenset[str] = NONE,
) -> Compared:
    """The open findings after a review. A critical, and what a person asked for, stays open until its id is said fixed.

    `word` is None when the reviewer could not be asked; then only the texts speak. `before` has what the review before
    refuted: refuted twice running and reported in neither, a finding is none.
    """
    said = word or RecheckAnswer()
    fixed = said.fixed - said.still - _reported_again(known, fresh)
    linked = _linked(fresh, [one for one in known if one.finding.id not in fixed], _ids(known))
    seen = {finding.id for finding in linked}
    refuted = said.refuted - seen - fixed
    carried = [
        one.finding
        for one in known
        if one.open
        and one.finding.id not in seen | fixed | (refuted & before)
        and (one.finding.id in said.still | refuted or _lasts(one.finding))
    ]
    return _compared(known, (*linked, *carried))._replace(refuted=tuple(sorted(refuted - before)))


def _lasts(finding: ReviewFinding) -> bool:
    """Whether a finding stays open until its id is said fixed: a critical, and what a person asked for."""
    return finding.severity == "critical" or finding.source == PERSON


def _reported_again(known: Sequence[KnownFinding], fresh: Sequence[ReviewFinding]) -> frozenset[str]:
    """Findings the same review reports word for word; its saying that they are fixed is not believed."""
    told = {(one.text(), one.location) for one in fresh}
    return frozenset(one.finding.id for one in known if (one.finding.text(), one.finding.location) in told)


def follow(known: Sequence[KnownFinding], findings: Sequence[ReviewFinding]) -> Compared:
    """The findings of a recorded iteration with their ids; nothing is added to them."""
    return _compared(known, _linked(findings, known, _ids(known)))


def remember(history: History) -> tuple[KnownFinding, ...]:
    """Everything a history has seen, for the next review."""
    known: tuple[KnownFinding, ...] = ()
    for iteration in history.iterations:
        if iteration.itemised:
            known = follow(known, iteration.findings).known
    return known


def canonical(finding: ReviewFinding) -> tuple[int, str, str, str, str, bool, str]:
    """An order that does not depend on where a finding was listed."""
    rank = SEVERITIES.index(finding.severity)
    texts = (finding.location, finding.title, finding.description, finding.recommendation)
    return (rank, *texts, finding.exists, finding.id)


def _compared(known: Sequence[KnownFinding], found: Sequence[ReviewFinding]) -> Compared:
    before = {one.finding.id: one for one in known}
    now = {finding.id: finding for finding in found}
    persisting = [name for name in now if name in before and before[name].open]
    returned = [name for name in now if name in before and not before[name].open]
    resolved = [name for name, one in before.items() if one.open and name not in now]
    kept = [KnownFinding(one.finding, open=False) for name, one in before.items() if name not in now]
    return Compared(
        open=tuple(sorted(found, key=canonical)),
        new=tuple(sorted(now.keys() - before.keys())),
        persisting=tuple(sorted(persisting)),
        returned=tuple(sorted(returned)),
        resolved=tuple(sorted(resolved)),
        refuted=(),
        known=(*kept, *(KnownFinding(finding, open=True) for finding in sorted(found, key=canonical))),
    )


def _ids(known: Iterable[KnownFinding]) -> frozenset[str]:
    return frozenset(one.finding.id for one in known)


def _linked(
    fresh: Sequence[ReviewFinding], known: Sequence[KnownFinding], taken: frozenset[str]
) -> tuple[ReviewFinding, ...]:
    """The fresh findings, each with an id: its own, that of the one it is, or the next free one.

    What a person asked for stays theirs, also in a reviewer's words.
    """
    sources = {one.finding.id: one.finding.source for one in known}
    ordered = sorted(fresh, key=canonical)
    links = _pairs(ordered, known)
    free = _free_ids(taken | {finding.id for finding in ordered})
    named = (
        finding if finding.id else finding._replace(id=links.get(number) or next(free))
        for number, finding in enumerate(ordered)
    )
    return tuple(one._replace(source=one.source or sources.get(one.id, "")) for one in named)


def _free_ids(taken: frozenset[str]) -> Iterator[str]:
    number = 0
    while True:
        number += 1
        if f"F-{number:03}" not in taken:
            yield f"F-{number:03}"


def _pairs(fresh: Sequence[ReviewFinding], known: Sequence[KnownFinding]) -> dict[int, str]:
    """Position → id, best pairs first; both sides are used once."""
    claimed = {finding.id for finding in fresh}
    candidates = [one for one in known if one.finding.id not in claimed]
    links: dict[int, str] = {}
    for _, _, _, number, name in sorted(_scored(fresh, candidates)):
        if number not in links and name not in claimed:
            links[number] = name
            claimed.add(name)
    return links


def _scored(
    fresh: Sequence[ReviewFinding], known: Sequence[KnownFinding]
) -> Iterator[tuple[float, int, bool, int, str]]:
    from rapidfuzz import fuzz, process, utils

    texts = [utils.default_process(one.finding.text()) for one in known]
    for number, finding in enumerate(fresh):
        if finding.id:
            continue
        query = utils.default_process(finding.text())
        near = process.extract(query, texts, scorer=fuzz.token_set_ratio, score_cutoff=SIMILAR, limit=None)
        for _, score, index in near:
            one = known[index]
            yield -score, _distance(finding.location, one.finding.location), not one.open, number, one.finding.id


def _distance(here: str, there: str) -> int:
    """0 at the same place, 1 in the same file or section, else 2."""
    if here.strip() == there.strip():
        return 0
    return 1 if here.partition(":")[0].strip() == there.partition(":")[0].strip() else 2
