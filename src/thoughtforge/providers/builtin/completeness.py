"""Whether a plan that was brought along is complete."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from thoughtforge.kernel.model import JsonObject
from thoughtforge.providers.builtin.sentences import NOT_SAID

HEADING = re.compile(r"^##\s+(\S.*)$")
CELLS = re.compile(r"(?<!\\)\|")
RULE = re.compile(r"^[|\s:-]+$")
HEADER = ("Objective", "Plan", "Assessment")
PLACEHOLDER = re.compile(r"(?<!\w)(?:TBD|TBA|TBC|TODO:|lorem ipsum)(?!\w)", re.IGNORECASE)


class DraftSection(NamedTuple):
    """A section of a plan as it is read: its heading and the cells of its OPA table."""

    heading: str
    cells: tuple[str, ...] | None
    """None when it has no OPA table with a row."""


def completeness(document: str) -> JsonObject:
    """Whether every section of a plan says something; a document without OPA tables is no plan to build from."""
    found = list(_sections(document))
    reasons = [f"{each.heading}: {what}" for each in found for what in _lacking(each)]
    if not any(each.cells for each in found):
        reasons = ["The document has no table of Objective, Plan and Assessment."]
    return {"pass": not reasons, "reasons": reasons}


def _lacking(section: DraftSection) -> Iterator[str]:
    if section.cells is None:
        yield "The section has no table of Objective, Plan and Assessment."
        return
    for column, cell in zip(HEADER, section.cells, strict=False):
        if not cell:
            yield f"{column} is empty."
        elif cell == NOT_SAID:
            yield f"{column}: {NOT_SAID}."
        elif PLACEHOLDER.search(cell):
            yield f"{column} holds a placeholder."
    if len(section.cells) < len(HEADER):
        yield "The table lacks a column."


def _sections(document: str) -> Iterator[DraftSection]:
    heading, rows = "", list[str]()
    for line in document.splitlines():
        found = HEADING.match(line)
        if found:
            if heading:
                yield DraftSection(heading, _row(rows))
            heading, rows = found.group(1).rstrip(), []
        elif line.lstrip().startswith("|"):
            rows.append(line.strip())
    if heading:
        yield DraftSection(heading, _row(rows))


def _row(rows: Sequence[str]) -> tuple[str, ...] | None:
    """The first row of content below the header of an OPA table."""
    split = [
        tuple(part.strip() for part in CELLS.split(row.strip("|")))
        for row in rows
        if not RULE.match(row) or row.strip("| ") == ""
    ]
    return split[1] if len(split) > 1 and split[0] == HEADER else None
