"""Iterations as one history, in which the same finding has the same id."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from thoughtforge.review.finding import Finding
from thoughtforge.review.history import History, Iteration
from thoughtforge.review.matching import Known, follow


def history_of(iterations: Iterable[Iteration]) -> History:
    """The iterations as one history: the same finding gets the same id in each of them."""
    known: tuple[Known, ...] = ()
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


def _stand_ins(iteration: Iteration, number: int, before: Iteration | None) -> tuple[Finding, ...]:
    """Without findings equal totals count as the same findings: those of the review before keep their ids."""
    same = before is not None and not before.itemised and len(before.findings) == len(iteration.findings)
    old = before.findings if same and before is not None else ()
    return tuple(
        finding._replace(id=old[place].id if same else f"I-{number}.{place + 1}")
        for place, finding in enumerate(iteration.findings)
    )
