"""What a tool is handed and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from thoughtforge.workspaces.tree import Tree


@dataclass(frozen=True)
class Desk:
    """All a tool can reach."""

    tree: Tree


class Result(NamedTuple):
    """A tool's answer. `end` is set when the agent's work is over with it."""

    ok: bool
    summary: str
    """One line, for the record and for later steps."""
    output: str
    """The whole answer, for the agent's next step."""
    end: dict[str, Any] | None = None
