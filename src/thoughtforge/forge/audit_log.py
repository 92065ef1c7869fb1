"""The audit log of a change plan: numbered reviews, always at its end."""

from __future__ import annotations

import re

from thoughtforge.forge.layout import AUDIT_LOG, NOTES, OwnSection, before_separation, layout_of
from thoughtforge.forge.plan_file import line_break
from thoughtforge.forge.structure import key_of, marks_of

REVIEW = re.compile(r"Review (\d+)\b")


def with_review(text: str, notes: str, *, title: str = "") -> str:
    """The plan with one more review in its audit log: `### Review N` and the title, then the notes as a quotation.

    Missing headings of the audit log and the implementation notes are added. The body never changes.
    """
    text = with_own_headings(text)
    log = next(one for one in layout_of(text).own if one.key == key_of(AUDIT_LOG))
    nl = line_break(text)
    head = " ".join(["### Review", str(reviews(text) + 1), *(["—", _flat(title)] if title.strip() else [])])
    at = before_separation(text, log.text_start, log.end)
    review = f"{head}{nl}{nl}{_quoted(notes, nl)}{nl}"
    before = text[:at] if text[:at].endswith("\n") else f"{text[:at]}{nl}"
    after = text[at:]
    return f"{before}{nl}{review}{after if not after or after.startswith((chr(10), chr(13))) else nl + after}"


def reviews(text: str) -> int:
    """The highest number of a review in the audit log."""
    logs = [text[one.text_start : one.end] for one in layout_of(text).own if one.key == key_of(AUDIT_LOG)]
    names = [heading.name for log in logs for heading in marks_of(log).headings if heading.level == 3]
    return max((int(found[1][:9]) for name in names if (found := REVIEW.match(name))), default=0)


def with_own_headings(text: str) -> str:
    """The plan with the headings of both own sections; one that is missing is added, the audit log before the notes."""
    own = layout_of(text).own
    keys = {one.key for one in own}
    if key_of(NOTES) not in keys:
        text = _added(text, len(text), NOTES)
    if key_of(AUDIT_LOG) not in keys:
        text = _added(text, _notes(text).start, AUDIT_LOG)
    return text


def _notes(text: str) -> OwnSection:
    return next(one for one in layout_of(text).own if one.key == key_of(NOTES))


def _added(text: str, at: int, heading: str) -> str:
    nl = line_break(text)
    before = text[:at].rstrip("\r\n")
    return f"{before}{nl}{nl}---{nl}{nl}## {heading}{nl}{text[at:]}"


def _flat(text: str) -> str:
    return " ".join(text.replace("-->", "-- >").split())


def _quoted(notes: str, nl: str) -> str:
    """Notes as a quotation: no heading, fence or comment in them can become structure of the plan."""
    plain = notes.replace("\r\n", "\n").replace("\r", "\n").replace("-->", "-- >").strip("\n")
    return nl.join(f"> {line}".rstrip() for line in plain.split("\n"))
