"""A task that does not exist yet: what its record begins with, collected before any of it is kept."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from thoughtforge.kernel.events import Event
    from thoughtforge.kernel.model import Digest
    from thoughtforge.store.secrets import Masker


class NewTask:
    """Blobs, events and files of a task to come. `Store.create` keeps all of it or nothing."""

    def __init__(self, masker: Masker) -> None:
        self.masker = masker
        self.blobs: dict[Digest, bytes] = {}
        self.events: list[Event] = []
        self.files: dict[str, bytes] = {}
        """Views that exist from the beginning, by name; they go to the task's local folder."""

    def put(self, text: str) -> Digest:
        """Keep a text, masked; its digest, for the events that name it."""
        data = self.masker.text(text.encode("utf-8", "replace").decode()).encode()
        digest = hashlib.sha256(data).hexdigest()
        self.blobs[digest] = data
        return digest
