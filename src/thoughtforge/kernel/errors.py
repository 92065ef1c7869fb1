"""Every error the engine raises on purpose; anything else is a bug and keeps its traceback.

ThoughtForgeError
├── UserError        a problem the user can fix: what, where, what to do (exit 2)
├── TaskLocked       another process runs this task; it says who
├── LeaseLost        this process no longer holds the task it ran; it writes nothing more
├── LogCorrupt       the record is damaged; nothing goes on until a person accepts the loss
├── Stop             an expected end of the work: it becomes an event, never a crash
│   └── LimitHit     the next call could cross a cap (calls/port.py)
└── ProviderError    a model or coding agent did not answer properly (calls/port.py)
"""

from __future__ import annotations


class ThoughtForgeError(Exception):
    """The root of every expected error."""


class UserError(ThoughtForgeError):
    """A problem the user can fix."""

    def __init__(self, what: str, *, do: str = "", details: tuple[str, ...] = ()) -> None:
        super().__init__(what)
        self.what = what
        self.do = do
        """What the user can do, as one sentence or command."""
        self.details = details
        """Every single problem when there are several, never only the first."""


class TaskLocked(ThoughtForgeError):
    """The task is being run by another process."""

    def __init__(self, task_id: str, holder: str) -> None:
        super().__init__(f"task {task_id} is being run by {holder}")
        self.task_id = task_id
        self.holder = holder


class LeaseLost(ThoughtForgeError):
    """The task's folder or its lock file is not the one this process holds, so another may run it: write nothing."""


class LogCorrupt(ThoughtForgeError):
    """The record of a task does not hold together at one named place."""

    def __init__(self, path: str, line: int, what: str) -> None:
        super().__init__(f"{path}, line {line}: {what}")
        self.path = path
        self.line = line
        self.what = what


class Stop(ThoughtForgeError):
    """An end the engine expects; the loop turns it into an event."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(detail or reason)
        self.reason = reason
        self.detail = detail
