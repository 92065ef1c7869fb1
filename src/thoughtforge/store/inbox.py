"""Messages of other processes to a task: one file each, renamed into place, read by the holder of the lease."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, NamedTuple


class InboxMessage(NamedTuple):
    """One wish. `id` also goes into the event, so a crash between the two does no harm."""

    id: str
    kind: str
    data: dict[str, Any]
    by: str


class FileInbox:
    """The inbox of one task, as a folder of files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "inbox"

    def drop(self, kind: str, data: dict[str, Any], *, by: str, stamp: str) -> str:
        """Leave a message; it is whole or not there."""
        self.folder.mkdir(mode=0o700, exist_ok=True)
        name = f"{stamp.replace(':', '')}-{os.getpid()}-{os.urandom(3).hex()}"
        fresh = self.folder / f".{name}"
        fresh.write_text(json.dumps({"kind": kind, "data": data, "by": by}))
        fresh.replace(self.folder / f"{name}.json")
        _note("left a message %s: %s", kind, name)
        return name

    def waiting(self) -> list[InboxMessage]:
        """The messages in the order they came; only for the lease holder. What is no message is set aside."""
        if not self.folder.is_dir():
            return []
        found = []
        for path in sorted(self.folder.glob("[!.]*.json")):
            try:
                data = json.loads(path.read_bytes())
                found.append(InboxMessage(path.stem, str(data["kind"]), dict(data["data"]), str(data["by"])))
            except (ValueError, KeyError, TypeError):
                path.replace(path.with_suffix(".unreadable"))  # it must not stop the task for ever
        return found

    def done(self, message: InboxMessage) -> None:
        """Take a message away once it is on record."""
        (self.folder / f"{message.id}.json").unlink(missing_ok=True)
        _note("took the message %s: %s", message.kind, message.id)


def _note(message: str, *words: object) -> None:
    import logging  # here, since quick commands load this file and nothing heavy

    logging.getLogger(__name__).info(message, *words)
