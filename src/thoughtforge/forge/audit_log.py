"""The audit log of a change plan: numbered reviews, always at its end."""

from __future__ import annotations


def with_review(text: str, notes: str, *, title: str = "") -> str:
    """The plan with one more review in its audit log: `### Review N` and the title, then the notes as a quotation.

    Missing headings of the audit log and the implementation notes are added. The body never changes.
    """
    raise NotImplementedError


def reviews(text: str) -> int:
    """How many reviews the audit log has."""
    raise NotImplementedError
