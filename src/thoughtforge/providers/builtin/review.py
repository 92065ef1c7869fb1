"""A review by rules: what is empty, what nobody has said, what contradicts. It has no opinion and corrects nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from thoughtforge.kernel.model import JsonObject
from thoughtforge.providers.builtin.contradictions import contradictions
from thoughtforge.providers.builtin.unsaid import NOT_SAID

HEADING = re.compile(r"^##\s+(\S.*)$")
CELLS = re.compile(r"(?<!\\)\|")
RULE = re.compile(r"^[|\s:-]+$")
HEADER = ("Objective", "Plan", "Assessment")
PLACEHOLDER = re.compile(r"(?<!\w)(?:TBD|TBA|TBC|TODO:|lorem ipsum)(?!\w)", re.IGNORECASE)
SEVERITIES = ("critical", "medium", "minor")


class Section(NamedTuple):
    """A section of a plan as it is read: its heading and the cells of its OPA table."""

    heading: str
    cells: tuple[str, ...] | None
    """None when it has no OPA table with a row."""


def review(document: str, intent: JsonObject | None = None) -> JsonObject:
    """What can be seen without judgement, each with its place."""
    issues = [issue for section in _sections(document) for issue in _findings(section)]
    if not document.strip():
        issues = [_issue("critical", "The document is empty.", "", "Build the plan again.")]
    statements = [*intent["constraints"], *intent["objective"]] if intent else []
    for pair in contradictions(statements):
        said = f"Two statements speak against each other: “{pair.one}” and “{pair.other}”"
        issues.append(_issue("medium", said, "", "Say which of the two holds."))
    counts = {severity: sum(issue["severity"] == severity for issue in issues) for severity in SEVERITIES}
    return {**counts, "issues": issues}


def fix(document: str, issues: Sequence[Mapping[str, Any]]) -> JsonObject:
    """The document as it was: without a model nothing can be put right that a person has not said."""
    return {"document": document, "left": [dict(issue) for issue in issues]}


def completeness(document: str) -> JsonObject:
    """Whether every section of a plan says something; a document without OPA tables is no plan to build from."""
    found = list(_sections(document))
    reasons = [f"{issue['location']}: {issue['description']}" for each in found for issue in _findings(each)]
    if not any(each.cells for each in found):
        reasons = ["There is no table of Objective, Plan and Assessment in the document."]
    return {"pass": not reasons, "reasons": reasons}


def _findings(section: Section) -> Iterator[JsonObject]:
    if section.cells is None:
        yield _issue(
            "medium", "The section has no table of Objective, Plan and Assessment.", section.heading, "Add it."
        )
        return
    for column, cell in zip(HEADER, section.cells, strict=False):
        if not cell:
            yield _issue("medium", f"{column} is empty.", section.heading, f"Say the {column.lower()}.")
        elif cell == NOT_SAID:
            yield _issue("minor", f"{column}: {NOT_SAID}.", section.heading, f"Say the {column.lower()}.")
        elif PLACEHOLDER.search(cell):
            yield _issue("medium", f"{column} holds a placeholder.", section.heading, f"Say the {column.lower()}.")
    if len(section.cells) < len(HEADER):
        yield _issue("medium", "The table lacks a column.", section.heading, "Give it all three columns.")


def _sections(document: str) -> Iterator[Section]:
    heading, rows = "", list[str]()
    for line in document.splitlines():
        found = HEADING.match(line)
        if found:
            if heading:
                yield Section(heading, _row(rows))
            heading, rows = found.group(1).rstrip(), []
        elif line.lstrip().startswith("|"):
            rows.append(line.strip())
    if heading:
        yield Section(heading, _row(rows))


def _row(rows: Sequence[str]) -> tuple[str, ...] | None:
    """The first row of content below the header of an OPA table."""
    split = [
        tuple(part.strip() for part in CELLS.split(row.strip("|")))
        for row in rows
        if not RULE.match(row) or row.strip("| ") == ""
    ]
    return split[1] if len(split) > 1 and split[0] == HEADER else None


def _issue(severity: str, description: str, location: str, recommendation: str) -> JsonObject:
    return {"severity": severity, "description": description, "location": location, "recommendation": recommendation}
