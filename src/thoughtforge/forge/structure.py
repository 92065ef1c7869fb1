"""The structure of a Markdown file: headings and sections. What stands in code fences and comments is text."""

from __future__ import annotations

from typing import NamedTuple


class PlanSection(NamedTuple):
    """A section of level 2 as it lies in the file."""

    name: str
    """Its heading without marks."""
    text: str
    """What stands below its heading."""
    start: int
    """Where its heading begins, counted in characters."""
    end: int

    @property
    def key(self) -> str:
        """What it is found by: case and spaces do not matter."""
        return " ".join(self.name.split()).casefold()


def sections_of(text: str) -> tuple[PlanSection, ...]:
    """Every section in order, also those whose heading stands twice."""
    raise NotImplementedError


def section(text: str, name: str) -> str:
    """The text of all sections of a name, in order; empty when there is none."""
    raise NotImplementedError


def closed(text: str) -> str:
    """The text with a code fence that is still open at its end closed."""
    raise NotImplementedError
