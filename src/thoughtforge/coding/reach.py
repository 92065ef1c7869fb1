"""How far an agent reaches: the files the specification names, and how much it has seen of one it changes."""

from __future__ import annotations

from typing import Literal

from thoughtforge.agent.run import Run

Sight = Literal["none", "part", "all"]
"""How much of a file an agent has seen."""


def must_read(path: str, sight: Sight, *, whole: bool = False) -> str:
    """Why a file must be read first, all of it when `whole`; empty when the agent has seen enough."""
    if sight == "all" or (sight == "part" and not whole):
        return ""
    seen = "have not seen" if sight == "none" else "have seen only a part of"
    return f"you {seen} {path}; read it first with read_file, then change it"


def specified(run: Run) -> frozenset[str]:
    """The files the specification names."""
    specification = run.record.accepted().get("specification", {})
    return frozenset([*specification.get("files_to_modify", []), *specification.get("files_to_create", [])])
