"""The message about a task to a person: five fields, the same on every channel."""

from __future__ import annotations

from typing import Literal

from thoughtforge.kernel.model import Value

EventType = Literal["convergence_success", "guard_triggered", "human_needed", "milestone_complete", "error"]


class Notice(Value):
    """One message about one task."""

    project_id: str
    """The task."""
    project_name: str
    """What a person calls it."""
    phase: str
    """The stage it is in."""
    event_type: EventType
    summary: str
    """One line: what happened and what to do."""

    def title(self) -> str:
        """A heading for channels that have one."""
        return f"{self.project_name or self.project_id}: {self.event_type.replace('_', ' ')}"

    def text(self) -> str:
        """All of it in plain words, for channels without fields."""
        return f"{self.summary}\n\n{self.project_id} · {self.phase}"


def cut_bytes(text: str, most: int) -> str:
    """`text` in at most that many bytes of UTF-8, never in the middle of a character; a cut shows as …"""
    data = text.encode("utf-8", "replace")
    if len(data) <= most:
        return data.decode()
    mark = "…"
    return data[: most - len(mark.encode())].decode("utf-8", "ignore") + mark
