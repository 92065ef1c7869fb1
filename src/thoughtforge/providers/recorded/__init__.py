"""Replays the replies in a task's record: the same request on the same commit, without any model.

A call is found by its text, less what differs from task to task (`store/replay.py`). A call that is not in the record
fails and says which step differs from the recorded one, in which part, and how.
"""

from __future__ import annotations

from thoughtforge.providers.recorded.model import Options, RecordedModel, make

__all__ = ["Options", "RecordedModel", "make"]
