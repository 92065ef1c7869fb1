"""What makes a call of one task the same call in another: its text without what differs from task to task."""

from __future__ import annotations

import hashlib
import re

_VARYING = (
    # follows from the text between the marks
    ("data ", re.compile(r"^(</?data )[0-9a-f]{8}", re.MULTILINE), r"\1MARK"),
    # a call that had to be made twice moves the numbers
    ("- step ", re.compile(r"^- step \d+ ", re.MULTILINE), "- step N "),
    ("resolved_at: ", re.compile(r"^(\s*resolved_at:) .*$", re.MULTILINE), r"\1 TIME"),
)
"""What must be there, what it looks like, what stands for it."""


def neutral(text: str, task_id: str) -> str:
    """`text` without the task's id, step numbers, times of answers and marks of data."""
    if task_id:
        text = text.replace(task_id, "TASK")
    for trigger, pattern, instead in _VARYING:
        if trigger in text:
            text = pattern.sub(instead, text)
    return text


def replay_digest(system: str, context: str, task_id: str) -> str:
    """The same for the same step of another task with the same request."""
    return hashlib.sha256(neutral(f"{system}\0{context}", task_id).encode("utf-8", "replace")).hexdigest()
