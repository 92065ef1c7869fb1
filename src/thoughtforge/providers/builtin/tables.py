"""Tables in what a person brought along, and how a table is written in a plan."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from io import StringIO
from typing import Any, NamedTuple

RULE = re.compile(r"^\|?[\s:|-]+\|?$")
CELLS = re.compile(r"(?<!\\)\|")
MOST_ROWS, MOST_COLUMNS = 40, 10
FEWEST_COLUMNS = 2
MARKS = (",", ";", "\t")


class ResourceTable(NamedTuple):
    """A table and the file it is from."""

    name: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left: int
    """Rows that were left out."""


def own_table(text: str) -> ResourceTable | None:
    """The table a statement is, with no name of its own."""
    return next((_table("", rows) for rows in _written(text.splitlines())), None)


def resource_tables(resources: Sequence[Mapping[str, Any]]) -> list[ResourceTable]:
    """Every table in the resources."""
    return [table for one in resources for table in _tables(str(one.get("name", "")), str(one.get("text", "")))]


@lru_cache(maxsize=50)
def _tables(name: str, text: str) -> tuple[ResourceTable, ...]:
    values = values_of(text)
    if values:
        return (_table(name, values),)
    return tuple(_table(name, rows) for rows in _written(text.splitlines()))


def values_of(text: str) -> tuple[tuple[str, ...], ...]:
    """The rows of a file of comma-separated values; none when the text is no such file."""
    lines = [line for line in text.splitlines() if line.strip()]
    mark = next((mark for mark in MARKS if lines and lines[0].count(mark) >= FEWEST_COLUMNS - 1), "")
    if not mark or len(lines) < FEWEST_COLUMNS or any(line.endswith((".", "?", "!")) for line in lines[:1]):
        return ()
    rows = [tuple(cell.strip() for cell in row) for row in csv.reader(StringIO("\n".join(lines)), delimiter=mark)]
    width = len(rows[0])
    alike = sum(len(row) == width for row in rows)
    return tuple(rows) if width >= FEWEST_COLUMNS and alike >= len(rows) * 0.9 else ()


def _written(lines: Sequence[str]) -> Iterator[tuple[tuple[str, ...], ...]]:
    """Tables in Markdown: runs of lines between bars with a line of dashes."""
    run: list[str] = []
    for line in [*lines, ""]:
        if line.lstrip().startswith("|"):
            run.append(line.strip())
            continue
        if len(run) > FEWEST_COLUMNS and RULE.match(run[1]):
            yield tuple(
                tuple(cell.strip() for cell in CELLS.split(row.strip().strip("|"))) for row in (run[0], *run[2:])
            )
        run = []


def _table(name: str, rows: Sequence[tuple[str, ...]]) -> ResourceTable:
    header = rows[0][:MOST_COLUMNS]
    kept = [(*row, *[""] * len(header))[: len(header)] for row in rows[1 : MOST_ROWS + 1]]
    return ResourceTable(name, header, tuple(kept), max(0, len(rows) - 1 - MOST_ROWS))


def written(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines)


def _cell(text: str) -> str:
    return re.sub(r"(?<!\\)\|", r"\\|", " ".join(text.split()))
